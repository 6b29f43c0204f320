package template

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Value is the value of a property or a variable: a text, a reference to a
// resource, or not known before it is deployed.
type Value struct {
	Text     string
	Resource string // its logical id; then there is no text
	Missing  string // why it is not known
}

// Why returns the reason why a value is not a text.
func (v Value) Why() string {
	if v.Resource != "" {
		return fmt.Sprintf("it is %.60s, which only a deployment has: --stack reads it", v.Resource)
	}
	return v.Missing
}

// maxDepth limits how deep functions may be nested.
const maxDepth = 20

// Resolve reads a value as far as the template contains it. The attribute of a
// resource makes no difference here: every one names the resource.
func (t *Template) Resolve(v any) Value { return t.resolveTo(v, maxDepth) }

func (t *Template) resolveTo(v any, depth int) Value {
	switch v := v.(type) {
	case nil:
		return Value{}
	case string:
		return Value{Text: v}
	case json.Number:
		return Value{Text: v.String()}
	case bool:
		return Value{Text: strconv.FormatBool(v)}
	case map[string]any:
		if len(v) == 1 && depth > 0 {
			for name, argument := range v {
				return t.call(name, argument, depth-1)
			}
		}
	}
	return Value{Missing: "it is written in a way that is not read here"}
}

// call resolves a function.
func (t *Template) call(name string, argument any, depth int) Value {
	switch name {
	case "Ref":
		return t.ref(argument)
	case "Fn::GetAtt":
		return t.ref(firstOf(argument))
	case "Fn::Join":
		if list, ok := argument.([]any); ok && len(list) == 2 {
			return t.join(list[0], list[1], depth)
		}
	case "Fn::Sub":
		if s, ok := argument.(string); ok {
			return t.substitute(s)
		}
	}
	return Value{Missing: fmt.Sprintf("it is made by %.40s, which only a deployment works out", name)}
}

// firstOf is the resource of a Fn::GetAtt, which is [name, attribute] or
// "name.attribute".
func firstOf(argument any) any {
	switch a := argument.(type) {
	case []any:
		if len(a) > 0 {
			return a[0]
		}
	case string:
		name, _, _ := strings.Cut(a, ".")
		return name
	}
	return nil
}

func (t *Template) ref(argument any) Value {
	name, ok := argument.(string)
	if !ok {
		return Value{Missing: "it is a reference without a name"}
	}
	if _, ok := t.resources[name]; ok {
		return Value{Resource: name}
	}
	switch d, ok := t.parameters[name]; d := d.(type) {
	case string:
		return Value{Text: d}
	case json.Number:
		return Value{Text: d.String()}
	default:
		if ok {
			return Value{Missing: fmt.Sprintf("the parameter %.60s has no default", name)}
		}
	}
	if strings.HasPrefix(name, "AWS::") {
		return Value{Missing: fmt.Sprintf("it depends on %.60s, which only a deployment knows: --stack reads it", name)}
	}
	return Value{Missing: fmt.Sprintf("it refers to %.60q, which is not in the template", name)}
}

func (t *Template) join(separator, list any, depth int) Value {
	sep, ok := separator.(string)
	parts, isList := list.([]any)
	if !ok || !isList {
		return Value{Missing: "it is a Fn::Join that is not read here"}
	}
	var texts []string
	for _, part := range parts {
		v := t.resolveTo(part, depth)
		switch {
		case v.Missing != "":
			return v
		case v.Resource != "":
			return Value{Missing: fmt.Sprintf("it is made of %.60s, which only a deployment knows", v.Resource)}
		}
		texts = append(texts, v.Text)
	}
	return Value{Text: strings.Join(texts, sep)}
}

// substitute resolves a Fn::Sub that is a text, or a single variable.
func (t *Template) substitute(s string) Value {
	if !strings.Contains(s, "${") {
		return Value{Text: s}
	}
	name, ok := strings.CutPrefix(s, "${")
	name, ends := strings.CutSuffix(name, "}")
	if !ok || !ends || strings.ContainsAny(name, "${}!") {
		return Value{Missing: "it is a Fn::Sub, which only a deployment works out"}
	}
	return t.ref(firstOf(name))
}

// maxNumber is larger than any number in templates.
const maxNumber = 1 << 30

// Number reads a property at a path; usual is its default. missing is the reason
// why it is not known.
func (t *Template) Number(r Resource, usual int, path ...string) (n int, missing string) {
	var v any = r.Properties
	for _, name := range path {
		object, is := v.(map[string]any)
		if !is {
			return 0, fmt.Sprintf("the parent of %s is no object", name)
		}
		if isCall(object) {
			return 0, fmt.Sprintf("%s is only known to a deployment", name)
		}
		if v = object[name]; v == nil {
			return usual, ""
		}
	}
	name := path[len(path)-1]
	resolved := t.Resolve(v)
	if resolved.Missing != "" || resolved.Resource != "" {
		return 0, fmt.Sprintf("%s is only known to a deployment", name)
	}
	n, err := strconv.Atoi(resolved.Text)
	if err != nil || n < 0 || n > maxNumber {
		return 0, fmt.Sprintf("%s is no whole number that makes sense", name)
	}
	return n, ""
}

// isCall reports whether an object is a function of CloudFormation.
func isCall(object map[string]any) bool {
	for name := range object {
		return len(object) == 1 && (name == "Ref" || strings.HasPrefix(name, "Fn::"))
	}
	return false
}

// Truth reads a boolean property, as Number reads a number.
func (t *Template) Truth(r Resource, usual bool, name string) (is bool, missing string) {
	v := t.Resolve(r.Properties[name])
	if v == (Value{}) {
		return usual, ""
	}
	is, err := strconv.ParseBool(v.Text)
	if err != nil {
		return false, name + " is only known to a deployment"
	}
	return is, ""
}
