package bymodel

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
)

// node is a JSON schema of the kinds that the answer has.
type node struct {
	Type       any              `json:"type"` // a name, or several
	Properties map[string]*node `json:"properties,omitempty"`
	Required   []string         `json:"required,omitempty"`
	Additional *bool            `json:"additionalProperties,omitempty"`
	Items      *node            `json:"items,omitempty"`
	Enum       []string         `json:"enum,omitempty"`
}

// schema is that of the answer; read checks answers against it.
var (
	schema     = answerSchema()
	schemaText = encode(schema)
)

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

// fields is an object of fields with these names, separated by spaces.
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
		panic(err) // it is made of strings
	}
	return raw
}

// errForm is the error for every answer off the schema; it contains nothing of
// the answer.
var errForm = errors.New("it is not JSON of the requested form")

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20

// conform decodes an answer that follows the schema exactly.
func conform(text string) (map[string]any, error) {
	if len(text) > maxAnswer {
		return nil, errors.New("it is too long")
	}
	d := json.NewDecoder(strings.NewReader(text))
	var v any
	if d.Decode(&v) != nil || !schema.fits(v) {
		return nil, errForm
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errForm
	}
	return v.(map[string]any), nil
}

// fits reports whether the value follows the schema.
func (n *node) fits(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return n.is("object") && n.fitsObject(v)
	case []any:
		return n.is("array") && !slices.ContainsFunc(v, func(item any) bool { return !n.Items.fits(item) })
	case string:
		return n.is("string") && (len(n.Enum) == 0 || slices.Contains(n.Enum, v))
	case float64:
		return n.is("integer") && v == math.Trunc(v)
	case bool:
		return n.is("boolean")
	}
	return n.is("null")
}

func (n *node) fitsObject(v map[string]any) bool {
	if len(v) != len(n.Properties) {
		return false
	}
	for name, below := range n.Properties {
		if child, ok := v[name]; !ok || !below.fits(child) {
			return false
		}
	}
	return true
}

func (n *node) is(kind string) bool {
	if several, ok := n.Type.([]string); ok {
		return slices.Contains(several, kind)
	}
	return n.Type == kind
}
