package doctor

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// value is the value of a property or a variable: a text, a reference to a
// resource, or not known before it is deployed.
type value struct {
	text     string
	resource string // its logical id; then there is no text
	missing  string
}

// id returns the id of the queue that the value names.
func (v value) id() fact[string] {
	switch {
	case v.missing != "":
		return unknown[string](v.missing)
	case v.resource != "":
		return known(v.resource)
	}
	return known(queueID(v.text, ""))
}

// maxDepth limits how deep functions may be nested.
const maxDepth = 20

// resolve reads a value as far as the template contains it. The attribute of a
// resource makes no difference here: every one names the resource.
func (t *template) resolve(v any) value { return t.resolveTo(v, maxDepth) }

func (t *template) resolveTo(v any, depth int) value {
	switch v := v.(type) {
	case nil:
		return value{}
	case string:
		return value{text: v}
	case json.Number:
		return value{text: v.String()}
	case bool:
		return value{text: strconv.FormatBool(v)}
	case map[string]any:
		if len(v) == 1 && depth > 0 {
			for name, argument := range v {
				return t.call(name, argument, depth-1)
			}
		}
	}
	return value{missing: "it is written in a way that is not read here"}
}

// call resolves a function.
func (t *template) call(name string, argument any, depth int) value {
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
	return value{missing: fmt.Sprintf("it is made by %.40s, which only a deployment works out", name)}
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

func (t *template) ref(argument any) value {
	name, ok := argument.(string)
	if !ok {
		return value{missing: "it is a reference to what has no name"}
	}
	if _, ok := t.resources[name]; ok {
		return value{resource: name}
	}
	switch d, ok := t.parameters[name]; d := d.(type) {
	case string:
		return value{text: d}
	case json.Number:
		return value{text: d.String()}
	default:
		if ok {
			return value{missing: fmt.Sprintf("the parameter %.60s has no default", name)}
		}
	}
	if strings.HasPrefix(name, "AWS::") {
		return value{missing: fmt.Sprintf("it depends on %.60s, which only a deployment knows: --stack reads it", name)}
	}
	return value{missing: fmt.Sprintf("it refers to %.60q, which is not in the template", name)}
}

func (t *template) join(separator, list any, depth int) value {
	sep, ok := separator.(string)
	parts, isList := list.([]any)
	if !ok || !isList {
		return value{missing: "it is a Fn::Join that is not read here"}
	}
	var texts []string
	for _, part := range parts {
		v := t.resolveTo(part, depth)
		switch {
		case v.missing != "":
			return v
		case v.resource != "":
			return value{missing: fmt.Sprintf("it is made of %.60s, which only a deployment knows", v.resource)}
		}
		texts = append(texts, v.text)
	}
	return value{text: strings.Join(texts, sep)}
}

// substitute resolves a Fn::Sub that is a text, or a single variable.
func (t *template) substitute(s string) value {
	if !strings.Contains(s, "${") {
		return value{text: s}
	}
	name, ok := strings.CutPrefix(s, "${")
	name, ends := strings.CutSuffix(name, "}")
	if !ok || !ends || strings.ContainsAny(name, "${}!") {
		return value{missing: "it is a Fn::Sub, which only a deployment works out"}
	}
	return t.ref(firstOf(name))
}

// maxNumber is larger than any number in templates.
const maxNumber = 1 << 30

// number reads a property at a path; usual is its default.
func (t *template) number(r resource, usual int, path ...string) fact[int] {
	var v any = r.Properties
	for _, name := range path {
		object, is := v.(map[string]any)
		if !is {
			return unknown[int](fmt.Sprintf("what holds %s is no object", name))
		}
		if isCall(object) {
			return unknown[int](fmt.Sprintf("%s is only known to a deployment", name))
		}
		if v = object[name]; v == nil {
			return known(usual)
		}
	}
	name := path[len(path)-1]
	resolved := t.resolve(v)
	if resolved.missing != "" || resolved.resource != "" {
		return unknown[int](fmt.Sprintf("%s is only known to a deployment", name))
	}
	n, err := strconv.Atoi(resolved.text)
	if err != nil || n < 0 || n > maxNumber {
		return unknown[int](fmt.Sprintf("%s is no whole number that makes sense", name))
	}
	return known(n)
}

// isCall reports whether an object is a function of CloudFormation.
func isCall(object map[string]any) bool {
	for name := range object {
		return len(object) == 1 && (name == "Ref" || strings.HasPrefix(name, "Fn::"))
	}
	return false
}

func (t *template) seconds(r resource, usual int, path ...string) fact[time.Duration] {
	n := t.number(r, usual, path...)
	if why := n.why(); why != "" {
		return unknown[time.Duration](why)
	}
	return known(time.Duration(n.value) * time.Second)
}

// truth reads a boolean property.
func (t *template) truth(r resource, usual bool, name string) fact[bool] {
	v := t.resolve(r.Properties[name])
	if v == (value{}) {
		return known(usual)
	}
	is, err := strconv.ParseBool(v.text)
	if err != nil {
		return unknown[bool](name + " is only known to a deployment")
	}
	return known(is)
}

// variables reads the environment of a function.
func (t *template) variables(r resource) variables {
	env := variables{}
	if e, ok := r.Properties["Environment"].(map[string]any); ok {
		list, _ := e["Variables"].(map[string]any)
		for name, v := range list {
			env[name] = t.resolve(v)
		}
	}
	return env
}
