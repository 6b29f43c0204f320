package bymodel

import (
	"encoding/json"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/llm/schema"
)

type node struct {
	Type       any              `json:"type"` // a name or several
	Properties map[string]*node `json:"properties,omitempty"`
	Required   []string         `json:"required,omitempty"`
	Additional *bool            `json:"additionalProperties,omitempty"`
	Items      *node            `json:"items,omitempty"`
	Enum       []string         `json:"enum,omitempty"`
}

var answers = schema.MustParse(encode(answerSchema()))

func object(properties map[string]*node) *node {
	no := false
	n := &node{Type: "object", Properties: properties, Additional: &no}
	for name := range properties {
		n.Required = append(n.Required, name)
	}
	slices.Sort(n.Required)
	return n
}

func list(items *node) *node { return &node{Type: "array", Items: items} }

// fields returns an object with fields of these names, separated by spaces.
func fields(names string) map[string]*node {
	all := map[string]*node{}
	for _, name := range strings.Fields(names) {
		f := object(map[string]*node{"value": {Type: "string"}, "quote": {Type: "string"}, "page": {Type: "integer"}})
		f.Type = []string{"object", "null"}
		all[name] = f
	}
	return all
}

func answerSchema() *node {
	kinds := []string{other}
	for _, t := range document.Types {
		kinds = append(kinds, string(t))
	}
	confidences := []string{string(extraction.High), string(extraction.Medium), string(extraction.Low)}
	doc := fields("number date currency subtotal tax total")
	doc["type"] = &node{Type: "string", Enum: kinds}
	doc["pages"] = list(&node{Type: "integer"})
	doc["supplier"] = object(fields("name vat_id iban address"))
	doc["buyer"] = object(fields("name vat_id iban address"))
	doc["period"] = object(fields("from to"))
	doc["payment_terms"] = object(fields("due text"))
	cited := fields("number")
	cited["type"] = &node{Type: "string", Enum: kinds}
	doc["references"] = list(object(cited))
	doc["line_items"] = list(object(fields("sku description quantity unit unit_price amount tax_rate")))
	doc["taxes"] = list(object(fields("rate base amount")))
	doc["charges"] = list(object(fields("description amount tax_rate")))
	return object(map[string]*node{
		"extraction_successful": {Type: "boolean"},
		"confidence":            {Type: "string", Enum: confidences},
		"missing_fields":        list(&node{Type: "string"}),
		"documents":             list(object(doc)),
	})
}

func encode(n *node) json.RawMessage {
	raw, err := json.Marshal(n)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return raw
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20
