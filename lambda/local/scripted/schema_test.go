package scripted

import (
	"fmt"
	"strings"
	"testing"
)

func TestStrictSchemas(t *testing.T) {
	t.Parallel()
	of := func(property string) string {
		return `{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":` + property + `}}`
	}
	deep := func(n int) string {
		text := `{"type":"string"}`
		for range n {
			text = of(text)
		}
		return text
	}
	for name, tc := range map[string]struct{ schema, want string }{
		"the match schema":        {matchSchema, ""},
		"no properties":           {`{"type":"object","additionalProperties":false}`, ""},
		"nullable":                {of(`{"type":["string","null"],"enum":["x",null]}`), ""},
		"integer enum":            {of(`{"type":"integer","enum":[1,2]}`), ""},
		"integers of a number":    {of(`{"type":"number","enum":[1,2]}`), ""},
		"texts":                   {of(`{"type":"string","description":"B"}`), ""},
		"as deep as may be":       {deep(maxSchemaDepth), ""},
		"no object":               {`[]`, "must be a JSON object"},
		"null":                    {`null`, "must be a JSON object"},
		"array at the top":        {`{"type":"array","items":{"type":"string"}}`, "'type: \"object\"'"},
		"anyOf at the top":        {strings.Replace(of(`{"type":"string"}`), `{`, `{"anyOf":[],`, 1), "'anyOf' is not permitted"},
		"open object":             {`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, "'additionalProperties' is required"},
		"additionalProperties on": {`{"type":"object","additionalProperties":true}`, "'additionalProperties' is required"},
		"open object inside":      {of(`{"type":"object","properties":{}}`), "In context=('properties', 'a'), 'additionalProperties'"},
		"open object in an array": {of(`{"type":"array","items":{"type":"object"}}`), "'additionalProperties' is required"},
		"nullable open object":    {of(`{"type":["object","null"]}`), "'additionalProperties' is required"},
		"property not required":   {`{"type":"object","additionalProperties":false,"required":[],"properties":{"a":{"type":"string"}}}`, "Missing 'a'"},
		"no required":             {`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`, "'required' is required"},
		"required that is not":    {`{"type":"object","additionalProperties":false,"required":["a"],"properties":{}}`, "extra key 'a'"},
		"no type":                 {of(`{"description":"x"}`), "'type' key"},
		"enum without a type":     {of(`{"enum":["x"]}`), "'type' key"},
		"unknown type":            {of(`{"type":"text"}`), "'text' is not a type"},
		"type that is a number":   {of(`{"type":1}`), "'type' must be"},
		"array without items":     {of(`{"type":"array"}`), "missing items"},
		"items that are a list":   {of(`{"type":"array","items":[{"type":"string"}]}`), "must be an object"},
		"property that is true":   {of(`true`), "must be an object"},
		"empty enum":              {of(`{"type":"string","enum":[]}`), "'enum' must be"},
		"enum of another type":    {of(`{"type":"string","enum":[1]}`), "does not validate"},
		"texts of an integer":     {of(`{"type":"integer","enum":["1"]}`), "does not validate"},
		"enum of fractions":       {of(`{"type":"number","enum":[1.5]}`), "strings or integers"},
		"enum of lists":           {of(`{"type":"array","items":{"type":"string"},"enum":[[]]}`), "strings or integers"},
		"null of no nullable":     {of(`{"type":"string","enum":[null]}`), "does not validate"},
		"too many enum values":    {of(`{"type":"integer","enum":[` + strings.Repeat("1,", maxSchemaEnum) + `1]}`), "enum values"},
		"anyOf":                   {of(`{"type":"string","anyOf":[{"type":"string"}]}`), "'anyOf' is not permitted"},
		"$defs":                   {strings.Replace(of(`{"type":"string"}`), `{`, `{"$defs":{},`, 1), "'$defs' is not permitted"},
		"allOf":                   {of(`{"type":"string","allOf":[]}`), "'allOf' is not permitted"},
		"oneOf":                   {of(`{"type":"string","oneOf":[]}`), "'oneOf' is not permitted"},
		"not":                     {of(`{"type":"string","not":{}}`), "'not' is not permitted"},
		"if":                      {of(`{"type":"string","if":{}}`), "'if' is not permitted"},
		"default":                 {of(`{"type":"string","default":"x"}`), "'default' is not permitted"},
		"minimum":                 {of(`{"type":"integer","minimum":1}`), "'minimum' is not permitted"},
		"minLength":               {of(`{"type":"string","minLength":1}`), "'minLength' is not permitted"},
		"uniqueItems":             {of(`{"type":"array","items":{"type":"string"},"uniqueItems":true}`), "'uniqueItems' is not permitted"},
		"$schema":                 {strings.Replace(of(`{"type":"string"}`), `{`, `{"$schema":"x",`, 1), "'$schema' is not permitted"},
		"description of no text":  {of(`{"type":"string","description":1}`), "must be a string"},
		"$ref":                    {of(`{"type":"string","$ref":"#/$defs/x"}`), "'$ref' is not permitted"},
		"deeper than may be":      {deep(maxSchemaDepth + 1), "deeper than 10"},
		"more names than may be":  {of(`{"type":"string","enum":["` + strings.Repeat("x", maxSchemaNames+1) + `"]}`), "characters"},
		"properties of no object": {`{"type":"object","additionalProperties":false,"properties":[]}`, "'properties' must be"},
	} {
		got := checkSchema([]byte(tc.schema))
		if got == "" != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestSchemaLimits(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{maxSchemaProperties: "", maxSchemaProperties + 1: "properties"} {
		properties, required := map[string]any{}, []string{}
		for i := range n {
			name := fmt.Sprint(i)
			properties[name], required = map[string]any{"type": "string"}, append(required, name)
		}
		got := checkSchema([]byte(marshal(map[string]any{
			"type": "object", "additionalProperties": false, "properties": properties, "required": required})))
		if got == "" != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%d properties: %q, want %q", n, got, want)
		}
	}
}
