package main

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// template is a synthesised stack, as far as tests look at it.
type template struct {
	Resources map[string]resource
	Outputs   map[string]struct{ Value any }
	Mappings  map[string]map[string]map[string]string
	file      string
	text      string
}

type resource struct {
	Type                                string
	Properties                          map[string]any
	DependsOn                           []string
	DeletionPolicy, UpdateReplacePolicy string
	UpdatePolicy                        map[string]any
	Metadata                            map[string]any
}

func readTemplate(t *testing.T, file string) *template {
	t.Helper()
	tpl := &template{file: file}
	decode(t, file, tpl)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tpl.text = string(data)
	return tpl
}

// at returns the value in a resource's properties by names and indices, as
// text: a number or a string as it is, all else as JSON.
func (tpl *template) at(t *testing.T, id string, path ...any) string {
	t.Helper()
	r, ok := tpl.Resources[id]
	if !ok {
		t.Fatalf("the template has no %s", id)
	}
	var v any = r.Properties
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			l, _ := v.([]any)
			if s >= len(l) {
				return ""
			}
			v = l[s]
		}
	}
	return plain(v)
}

// plain is a value as text. CloudFormation's joins are joined, a reference is
// ${Id} or ${Id.Attribute}.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any:
		if len(v) == 1 {
			if s, ok := intrinsic(v); ok {
				return s
			}
		}
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	data, _ := json.Marshal(v) // it was JSON before
	return string(data)
}

func intrinsic(v map[string]any) (string, bool) {
	if name, ok := v["Ref"].(string); ok {
		return "${" + name + "}", true
	}
	if path, ok := v["Fn::GetAtt"].([]any); ok {
		return "${" + plain(path[0]) + "." + plain(path[1]) + "}", true
	}
	if path, ok := v["Fn::FindInMap"].([]any); ok {
		return "${" + plain(path[0]) + " " + plain(path[1]) + " " + plain(path[2]) + "}", true
	}
	if parts, ok := v["Fn::Join"].([]any); ok {
		return strings.Join(several(parts[1]), plain(parts[0])), true
	}
	return "", false
}

// of are the ids of all resources of a type.
func (tpl *template) of(kind string) (ids []string) {
	for id, r := range tpl.Resources {
		if r.Type == kind {
			ids = append(ids, id)
		}
	}
	return ids
}
