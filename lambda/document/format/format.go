// Package format has the JSON Schema of a document, and lists every departure from it.
//
// Use Check for people preparing documents. Matching itself is lenient: it reads whatever
// document.Parse accepts and ignores unknown fields.
package format

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Schema is the JSON Schema (draft 2020-12) of a document. Its descriptions must complete the
// sentence "expected ...", because Check uses them.
//
//go:embed document.schema.json
var Schema []byte

const schemaURL = "urn:matchbook:document"

// Problem is one departure of a document from the schema.
type Problem struct {
	Path     string `json:"path"`  // JSON path: $.structured_data.line_items[0].amount
	Found    string `json:"found"` // in words, without more of a value than its beginning
	Expected string `json:"expected"`
	Hint     string `json:"hint,omitempty"` // what was perhaps meant; empty if nothing comes near
	Unknown  bool   `json:"unknown_field"`  // a field that matching ignores
}

// String returns the problem in one line.
func (p Problem) String() string {
	s := fmt.Sprintf("%s: found %s, expected %s", p.Path, p.Found, p.Expected)
	if p.Hint != "" {
		s += "; did you mean " + p.Hint + "?"
	}
	return s
}

// Check lists all problems of a document in the order of their paths; nil if there aren't any.
func Check(raw []byte) []Problem {
	if len(raw) > 4*document.MaxBytes {
		return []Problem{{Path: "$", Found: fmt.Sprintf("%d bytes", len(raw)), Expected: fmt.Sprintf("at most %d", 4*document.MaxBytes)}}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []Problem{{Path: "$", Found: brokenJSON(err), Expected: "a JSON object"}}
	}
	var invalid *jsonschema.ValidationError
	if errors.As(compiled.Validate(value), &invalid) {
		c := checker{value: value, seen: map[string]bool{}}
		c.collect(invalid)
		slices.SortStableFunc(c.problems, func(a, b Problem) int { return comparePaths(a.Path, b.Path) })
		return c.problems
	}
	return beyondSchema(raw)
}

// beyondSchema checks the limits a schema cannot express: size and depth.
func beyondSchema(raw []byte) []Problem {
	var d struct {
		Data json.RawMessage `json:"structured_data"`
	}
	err := json.Unmarshal(raw, &d)
	if err == nil {
		_, err = document.Parse(d.Data)
	}
	if err != nil {
		return []Problem{{Path: "$.structured_data", Found: "a fault: " + err.Error(), Expected: "data within the limits"}}
	}
	return nil
}

func brokenJSON(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("broken JSON at byte %d", syntax.Offset)
	}
	return "broken JSON"
}

var (
	compiled *jsonschema.Schema
	tree     any // Schema as JSON, for its descriptions and fields
)

func init() {
	var err error
	if tree, err = jsonschema.UnmarshalJSON(bytes.NewReader(Schema)); err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(schemaURL, tree); err != nil {
		panic(err)
	}
	compiled = compiler.MustCompile(schemaURL)
}

// checker turns the tree of validation errors into a list.
type checker struct {
	value    any
	problems []Problem
	seen     map[string]bool // by path: one problem is enough
}

func (c *checker) collect(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		c.collect(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	path := pathOf(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		known := fieldsAt(e.SchemaURL)
		for _, name := range k.Properties {
			c.add(Problem{Path: path + "." + short(name), Found: "an unknown field",
				Expected: "one of " + strings.Join(known, ", "), Hint: meant(name, known), Unknown: true})
		}
	case *kind.Required:
		for _, name := range k.Missing {
			c.add(Problem{Path: path + "." + name, Found: "nothing", Expected: expectedAt(e.SchemaURL + "/properties/" + name)})
		}
	default:
		p := Problem{Path: path, Found: foundAt(c.value, e.InstanceLocation), Expected: expectedAt(e.SchemaURL)}
		p.Hint = meantValue(valueAt(c.value, e.InstanceLocation), e.SchemaURL)
		c.add(p)
	}
}

func (c *checker) add(p Problem) {
	if !c.seen[p.Path] {
		c.seen[p.Path] = true
		c.problems = append(c.problems, p)
	}
}

func pathOf(location []string) string {
	path := "$"
	for _, part := range location {
		if _, err := strconv.Atoi(part); err == nil {
			path += "[" + part + "]"
		} else {
			path += "." + short(part)
		}
	}
	return path
}

// comparePaths orders paths, with the numbers in them as numbers.
func comparePaths(a, b string) int {
	split := func(r rune) bool { return strings.ContainsRune(".[]", r) }
	return slices.CompareFunc(strings.FieldsFunc(a, split), strings.FieldsFunc(b, split), func(x, y string) int {
		i, errX := strconv.Atoi(x)
		j, errY := strconv.Atoi(y)
		if errX == nil && errY == nil {
			return i - j
		}
		return strings.Compare(x, y)
	})
}

func valueAt(value any, location []string) any {
	for _, part := range location {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			i, _ := strconv.Atoi(part)
			value = v[i]
		}
	}
	return value
}

func foundAt(value any, location []string) string {
	switch v := valueAt(value, location).(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return "the number " + short(v.String())
	case string:
		return strconv.Quote(short(v))
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	}
	return "an object"
}

func short(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "..."
	}
	return s
}

// schemaAt follows a schema's location, and a reference found there.
func schemaAt(location string) map[string]any {
	_, pointer, _ := strings.Cut(location, "#")
	at := tree
	for part := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		switch v := at.(type) {
		case map[string]any:
			if part != "" {
				at = v[part]
			}
		case []any:
			i, _ := strconv.Atoi(part)
			at = v[i]
		}
	}
	found, _ := at.(map[string]any)
	if ref, ok := found["$ref"].(string); ok && found["description"] == nil {
		return schemaAt(ref)
	}
	return found
}

// expectedAt returns the description of a schema, or of the nearest around it.
func expectedAt(location string) string {
	for {
		if text, ok := schemaAt(location)["description"].(string); ok {
			return text
		}
		i := strings.LastIndexByte(location, '/')
		if i < 0 {
			return "another value"
		}
		location = location[:i]
	}
}

func fieldsAt(location string) (names []string) {
	properties, _ := schemaAt(location)["properties"].(map[string]any)
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
