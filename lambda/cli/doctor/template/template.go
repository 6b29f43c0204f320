// Package template reads a CloudFormation template, made by cdk synth: its
// resources, and values as far as they are known before a deployment.
package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Types of resources that the doctor examines.
const (
	TypeFunction = "AWS::Lambda::Function"
	TypeAlias    = "AWS::Lambda::Alias"
	TypeVersion  = "AWS::Lambda::Version"
	TypeMapping  = "AWS::Lambda::EventSourceMapping"
	TypeQueue    = "AWS::SQS::Queue"
	TypeBucket   = "AWS::S3::Bucket"
	TypePolicy   = "AWS::IAM::Policy"
)

// Template is a CloudFormation template.
type Template struct {
	resources  map[string]Resource
	parameters map[string]any // their defaults; nil is none
}

// Resource is a resource as it is written.
type Resource struct {
	Type       string
	Properties map[string]any
}

// Parse reads Resources and Parameters of a template. It accepts the same
// values as CloudFormation: a number may be a text.
func Parse(raw []byte) (*Template, error) {
	if !json.Valid(raw) {
		return nil, errors.New("the template is no JSON: cdk synth writes one into cdk.out/STACK.template.json")
	}
	var written struct {
		Resources  map[string]json.RawMessage
		Parameters map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &written); err != nil {
		return nil, errors.New("the template is no object with Resources and Parameters, each of them an object")
	}
	if len(written.Resources) == 0 {
		return nil, errors.New("the template has no Resources: is it CloudFormation's?")
	}
	t := &Template{resources: map[string]Resource{}, parameters: map[string]any{}}
	for name, raw := range written.Resources {
		var r Resource
		if err := decode(raw, &r); err != nil || r.Type == "" {
			return nil, fmt.Errorf("resource %.100q of the template is no object with a Type and Properties", name)
		}
		t.resources[name] = r
	}
	for name, raw := range written.Parameters {
		var p struct {
			Type    string
			Default any
		}
		if err := decode(raw, &p); err != nil {
			return nil, fmt.Errorf("parameter %.100q of the template is no object", name)
		}
		if t.parameters[name] = p.Default; strings.HasPrefix(p.Type, "AWS::SSM::") {
			t.parameters[name] = nil // the default names the parameter that holds the value
		}
	}
	return t, nil
}

func decode(raw []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(v)
}

// Resource returns the resource of a name; its Type is empty if there is none.
func (t *Template) Resource(name string) Resource { return t.resources[name] }

// Names lists the resources of a type, in the order of their names.
func (t *Template) Names(kind string) (names []string) {
	for name, r := range t.resources {
		if r.Type == kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// FunctionOf follows versions and aliases to the function, by its name in the
// template.
func (t *Template) FunctionOf(v any) string {
	for range 5 { // an alias of a version of a function; a circle ends
		target := t.lambdaIn(v, maxDepth)
		if target == "" {
			break
		}
		if t.resources[target].Type == TypeFunction {
			return target
		}
		v = t.resources[target].Properties["FunctionName"]
	}
	return t.calledBy(t.Resolve(v).Text)
}

// calledBy finds a function by its own name or its ARN.
func (t *Template) calledBy(text string) string {
	if text == "" {
		return "a function that is not named"
	}
	for _, name := range t.Names(TypeFunction) {
		own := t.Resolve(t.resources[name].Properties["FunctionName"]).Text
		if own != "" && strings.Contains(":"+text+":", ":"+own+":") {
			return name
		}
	}
	return text
}

// lambdaIn finds the function, alias or version that a value is made of: cdk
// takes the ARN of an alias apart to put its function's name and its own
// together.
func (t *Template) lambdaIn(v any, depth int) string {
	if r := t.Resolve(v).Resource; r != "" {
		if slices.Contains([]string{TypeFunction, TypeAlias, TypeVersion}, t.resources[r].Type) {
			return r
		}
		return ""
	}
	var parts []any
	switch v := v.(type) {
	case []any:
		parts = v
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, v[name])
		}
	}
	for _, part := range parts {
		if depth == 0 {
			break
		}
		if found := t.lambdaIn(part, depth-1); found != "" {
			return found
		}
	}
	return ""
}
