package scripted

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of strict mode, from the API's guide on structured outputs.
const (
	maxSchemaDepth      = 10
	maxSchemaProperties = 5000
	maxSchemaNames      = 120_000 // characters in all names and enum values
	maxSchemaEnum       = 1000    // values in all enums
)

var schemaTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// schemaCheck checks one schema. It stops at the first problem.
type schemaCheck struct {
	problem                  string
	properties, names, enums int
}

// schemaNode is a subschema.
type schemaNode struct {
	*schemaCheck
	at     []string // path
	depth  int      // number of enclosing objects and arrays
	fields map[string]json.RawMessage
	kinds  []string
}

// checkSchema returns why strict mode would refuse a schema, or "".
func checkSchema(raw json.RawMessage) string {
	root := &schemaNode{schemaCheck: &schemaCheck{}}
	if json.Unmarshal(raw, &root.fields) != nil || root.fields == nil {
		return "schema must be a JSON object."
	}
	if kind := ""; json.Unmarshal(root.fields["type"], &kind) != nil || kind != "object" {
		return `schema must be a JSON Schema of 'type: "object"'.`
	}
	root.check()
	return root.problem
}

func (n *schemaNode) report(format string, args ...any) {
	if n.problem == "" {
		n.problem = fmt.Sprintf("In context=(%s), %s", cut(strings.Join(n.at, ", ")), fmt.Sprintf(format, args...))
	}
}

// child checks a subschema.
func (n *schemaNode) child(raw json.RawMessage, deeper int, at ...string) {
	below := &schemaNode{schemaCheck: n.schemaCheck, at: slices.Concat(n.at, at), depth: n.depth + deeper}
	switch {
	case n.problem != "":
	case below.depth > maxSchemaDepth:
		below.report("the schema nests deeper than %d levels.", maxSchemaDepth)
	case json.Unmarshal(raw, &below.fields) != nil || below.fields == nil:
		below.report("schema must be an object.")
	default:
		below.check()
	}
}

func (n *schemaNode) check() {
	if n.fields["type"] == nil {
		n.report("schema must have a 'type' key.")
	}
	n.types(n.fields["type"])                                 // first, because others depend on it
	for _, name := range slices.Sorted(maps.Keys(n.fields)) { // the keywords used by Matchbook
		switch name {
		case "type", "properties", "required", "additionalProperties", "items":
		case "enum":
			n.enum(n.fields[name])
		case "description":
			if text := ""; json.Unmarshal(n.fields[name], &text) != nil {
				n.report("'description' must be a string.")
			}
		default:
			n.report("'%s' is not permitted.", cut(name))
		}
	}
	if slices.Contains(n.kinds, "object") {
		n.object()
	}
	if slices.Contains(n.kinds, "array") {
		if n.fields["items"] == nil {
			n.report("array schema missing items.")
		}
		n.child(n.fields["items"], 1, "items")
	}
}

// types reads one type or several.
func (n *schemaNode) types(raw json.RawMessage) {
	one := ""
	if json.Unmarshal(raw, &one) == nil {
		n.kinds = []string{one}
	} else if json.Unmarshal(raw, &n.kinds) != nil || len(n.kinds) == 0 {
		n.report("'type' must be a string or an array of strings.")
	}
	for _, kind := range n.kinds {
		if !slices.Contains(schemaTypes, kind) {
			n.report("'%s' is not a type.", cut(kind))
		}
	}
}

// object checks that every property is required and no others are allowed.
func (n *schemaNode) object() {
	var properties map[string]json.RawMessage
	if raw, present := n.fields["properties"]; present && json.Unmarshal(raw, &properties) != nil {
		n.report("'properties' must be an object.")
	}
	if string(n.fields["additionalProperties"]) != "false" {
		n.report("'additionalProperties' is required to be supplied and to be false.")
	}
	var required []string
	if json.Unmarshal(n.fields["required"], &required) != nil && len(properties) > 0 {
		n.report("'required' is required to be supplied and to be an array including every key in properties.")
	}
	for _, name := range required {
		if _, known := properties[name]; !known {
			n.report("'required' has the extra key '%s'.", cut(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, name) {
			n.report("'required' is required to be an array including every key in properties. Missing '%s'.", cut(name))
		}
		n.count(name)
		n.child(properties[name], 1, "'properties'", "'"+cut(name)+"'")
	}
	if n.properties += len(properties); n.properties > maxSchemaProperties {
		n.report("the schema has more than %d properties.", maxSchemaProperties)
	}
}

func (n *schemaNode) enum(raw json.RawMessage) {
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil || len(values) == 0 {
		n.report("'enum' must be an array that is not empty.")
	}
	for _, value := range values {
		n.value(value)
	}
	if n.enums += len(values); n.enums > maxSchemaEnum {
		n.report("the schema has more than %d enum values.", maxSchemaEnum)
	}
}

// value checks an enum value against the type: a string or an integer, or null if the type
// includes it.
func (n *schemaNode) value(raw json.RawMessage) {
	text, number := "", int64(0)
	kinds := []string{"null"}
	switch {
	case string(raw) == "null":
	case json.Unmarshal(raw, &text) == nil:
		kinds = []string{"string"}
		n.count(text)
	case json.Unmarshal(raw, &number) == nil:
		kinds = []string{"integer", "number"}
	default:
		n.report("enum values are strings or integers here.")
	}
	if !slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(n.kinds, kind) }) {
		n.report("an enum value does not validate against the type.")
	}
}

func (n *schemaNode) count(name string) {
	if n.names += len(name); n.names > maxSchemaNames {
		n.report("names and enum values have more than %d characters.", maxSchemaNames)
	}
}
