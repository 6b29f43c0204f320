package bymodel

import (
	"encoding/json"
	"strings"
	"sync"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/llm/schema"
)

// answers is the schema of an answer. A model writes the members in the order of the schema, so
// what decides about the others comes first, and its opinion of the result last. Older servers
// take 100 properties on 5 levels; so a quote needs no page, and a printed value no quote.
var answers = sync.OnceValue(func() schema.Schema {
	return schema.MustParse(encode(object(
		property{"documents", list(object(
			property{"type", oneOf(kinds()...)},
			property{"pages", list(node{Type: "integer"})},
			property{"number", field},
			property{"date", field},
			property{"delivery_date", field},
			property{"period", object(property{"from", field}, property{"to", field})},
			property{"currency", field},
			property{"supplier", party},
			property{"buyer", party},
			property{"payee", object(property{"name", field}, property{"iban", nullable})},
			property{"buyer_reference", field},
			property{"references", list(object(property{"type", oneOf(kinds()...)}, property{"number", nullable},
				property{"quote", plain}))},
			property{"line_items", row("sku description quantity unit unit_price price_quantity amount tax_rate")},
			property{"charges", row("description amount tax_rate")},
			property{"taxes", row("rate base amount")},
			property{"subtotal", field},
			property{"tax", field},
			property{"total", field},
			property{"prepaid", field},
			property{"rounding", field},
			property{"amount_due", field},
			property{"payment_terms", object(property{"due", field}, property{"text", nullable})},
		))},
		property{"missing_fields", list(plain)},
		property{"confidence", oneOf(string(extraction.High), string(extraction.Medium), string(extraction.Low))},
	)))
})

var (
	plain    = node{Type: "string"}
	nullable = node{Type: []string{"string", "null"}} // its own quote

	// field is a value with the text that shows it.
	field = func() node {
		n := object(property{"value", plain}, property{"quote", plain})
		n.Type = []string{"object", "null"}
		return n
	}()
	party = object(property{"name", field}, property{"vat_id", nullable}, property{"iban", nullable},
		property{"address", nullable})
)

type node struct {
	Type       any        `json:"type"` // a name or several
	Properties properties `json:"properties,omitempty"`
	Required   []string   `json:"required,omitempty"`
	Additional *bool      `json:"additionalProperties,omitempty"`
	Items      *node      `json:"items,omitempty"`
	Enum       []string   `json:"enum,omitempty"`
}

type property struct {
	name string
	node node
}

type properties []property

// MarshalJSON keeps the order, unlike a map.
func (p properties) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i, member := range p {
		value, err := json.Marshal(member.node)
		if err != nil {
			return nil, err
		}
		b.WriteString([]string{"{", ","}[min(i, 1)] + `"` + member.name + `":` + string(value))
	}
	return []byte(b.String() + "}"), nil
}

func object(members ...property) node {
	no := false
	n := node{Type: "object", Properties: members, Additional: &no}
	for _, m := range members {
		n.Required = append(n.Required, m.name)
	}
	return n
}

func list(items node) node { return node{Type: "array", Items: &items} }

func oneOf(values ...string) node { return node{Type: "string", Enum: values} }

// row is a list of printed rows. Their values, named here, share one quote.
func row(names string) node {
	var members []property
	for _, name := range strings.Fields(names) {
		members = append(members, property{name, nullable})
	}
	return list(object(append(members, property{"quote", plain})...))
}

func kinds() (all []string) {
	for _, t := range document.Types {
		all = append(all, string(t))
	}
	return append(all, other)
}

func encode(n node) json.RawMessage {
	raw, err := json.Marshal(n)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return raw
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20
