// Package schema reads a model's answers by the JSON schema of their questions. An answer must
// follow the schema exactly; otherwise you get an error.
//
// A schema must have the strict form supported by providers: objects with all properties
// required and no others allowed, arrays, and typed values, optionally limited to a list of
// texts.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Schema is a JSON schema. Use MustParse to make one.
type Schema struct {
	raw  json.RawMessage
	root *node
}

type node struct {
	Type        kinds            `json:"type"`
	Properties  map[string]*node `json:"properties"`
	Required    []string         `json:"required"`
	Additional  *bool            `json:"additionalProperties"`
	Items       *node            `json:"items"`
	Enum        []string         `json:"enum"`
	Description string           `json:"description"`
}

type kinds []string

// UnmarshalJSON reads a name or a list of names.
func (k *kinds) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	return json.Unmarshal(raw, (*[]string)(k))
}

// MustParse parses a schema in the source code. It panics if the schema isn't strict, because
// a part of it would remain unchecked.
func MustParse(raw []byte) Schema {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	s := Schema{raw: raw}
	if err := d.Decode(&s.root); err != nil {
		panic(fmt.Errorf("schema: %w", err))
	}
	if err := s.root.check(); err != nil {
		panic(fmt.Errorf("schema: %w", err))
	}
	return s
}

// Raw returns the schema as it was passed to MustParse.
func (s Schema) Raw() json.RawMessage { return s.raw }

// check refuses anything that fits wouldn't check.
func (n *node) check() error {
	switch {
	case n == nil || len(n.Type) == 0:
		return errors.New("missing type of a value")
	case n.Type.has("array"):
		return n.Items.check()
	case !n.Type.has("object"):
		return nil
	case len(n.Required) != len(n.Properties) || n.Additional == nil || *n.Additional:
		return errors.New("object must be strict")
	}
	for _, name := range n.Required {
		if err := n.Properties[name].check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// errForm is the error for any answer that doesn't follow its schema. It must not quote the
// answer.
var errForm = errors.New("expected JSON of the requested form")

// Read decodes an answer of at most most bytes. Its root must be an object. Errors never quote
// the answer, so they are safe to store.
func (s Schema) Read(answer string, most int) (map[string]any, error) {
	if len(answer) > most {
		return nil, errors.New("too long")
	}
	d := json.NewDecoder(strings.NewReader(answer))
	var v any
	if d.Decode(&v) != nil || !s.root.fits(v) {
		return nil, errForm
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errForm
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errForm
	}
	return object, nil
}

func (n *node) fits(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return n.Type.has("object") && n.fitsObject(v)
	case []any:
		return n.Type.has("array") && !slices.ContainsFunc(v, func(item any) bool { return !n.Items.fits(item) })
	case string:
		return n.Type.has("string") && (len(n.Enum) == 0 || slices.Contains(n.Enum, v))
	case float64:
		return n.Type.has("integer") && v == math.Trunc(v)
	case bool:
		return n.Type.has("boolean")
	}
	return n.Type.has("null")
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

func (k kinds) has(kind string) bool { return slices.Contains(k, kind) }
