package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/manifest/contract"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// configuration evaluates the expressions of a Terraform configuration, without Terraform and
// its provider of 700 MB, neither of which CI has. Attributes that a resource gets when it is
// made are written as in a template of CloudFormation.
type configuration struct {
	body      *hclsyntax.Body
	context   *hcl.EvalContext
	locals    map[string]cty.Value
	resources map[string]map[string]cty.Value // by type and name
}

func evaluate(t *testing.T, file string, variables map[string]any) *configuration {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, problems := hclsyntax.ParseConfig(source, file, hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	c := &configuration{body: parsed.Body.(*hclsyntax.Body), locals: map[string]cty.Value{},
		resources: map[string]map[string]cty.Value{}, context: &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: functions}}
	given := map[string]cty.Value{}
	for _, b := range c.blocks("variable") {
		if fallback := b.Body.Attributes["default"]; fallback != nil {
			given[b.Labels[0]], _ = fallback.Expr.Value(nil)
		}
	}
	for name, v := range variables {
		given[name] = asValue(t, v)
	}
	c.context.Variables["var"] = cty.ObjectVal(given)
	c.resolve(t)
	return c
}

// resolve evaluates locals and the keys of resources, which depend on each other.
func (c *configuration) resolve(t *testing.T) {
	t.Helper()
	left := map[string]func() hcl.Diagnostics{}
	for _, b := range c.blocks("locals") {
		for name, a := range b.Body.Attributes {
			left["local."+name] = func() (problems hcl.Diagnostics) {
				c.locals[name], problems = a.Expr.Value(c.context)
				return problems
			}
		}
	}
	for _, b := range c.blocks("resource") {
		left[strings.Join(b.Labels, ".")] = func() hcl.Diagnostics { return c.declare(b) }
	}
	for len(left) > 0 {
		last, before := hcl.Diagnostics(nil), len(left)
		for name, try := range left {
			if problems := try(); problems.HasErrors() {
				last = problems
				continue
			}
			delete(left, name)
			known := map[string]cty.Value{}
			for name, v := range c.locals {
				if v != cty.NilVal && left["local."+name] == nil {
					known[name] = v
				}
			}
			c.context.Variables["local"] = cty.ObjectVal(known)
		}
		if len(left) == before {
			t.Fatal(last)
		}
	}
}

// afterwards are the attributes that exist only after a resource was made, as CloudFormation has them.
var afterwards = map[string]map[string]string{
	"aws_sqs_queue.queue":           {"arn": "${%sQueue.Arn}", "url": "${%sQueue}"},
	"aws_sqs_queue.dead_letter":     {"arn": "${%sDeadLetterQueue.Arn}", "url": "${%sDeadLetterQueue}"},
	"aws_s3_bucket.files":           {"arn": "${Files.Arn}", "id": "${Files}"},
	"aws_cloudwatch_log_group":      {"arn": "${%sFunctionLogs.Arn}"},
	"aws_iam_role.function":         {"arn": "${%sFunctionRole.Arn}", "id": "${%sFunctionRole}"},
	"aws_iam_role.schedule":         {"arn": "${%sScheduleRole.Arn}", "id": "${%sScheduleRole}"},
	"aws_lambda_alias.live":         {"arn": "${%sLive}", "name": "live"},
	"aws_lambda_function":           {"arn": "${%sFunction.Arn}", "function_name": "${%sFunction}", "version": "1", "source_code_hash": "h"},
	"aws_lambda_invocation.migrate": {},
}

// declare makes the instances of a resource known to expressions.
func (c *configuration) declare(b *hclsyntax.Block) hcl.Diagnostics {
	kind, name := b.Labels[0], b.Labels[1]
	attributes := afterwards[kind+"."+name]
	if attributes == nil {
		attributes = afterwards[kind]
	}
	of := func(key string) cty.Value {
		values := map[string]cty.Value{}
		for name, form := range attributes {
			values[name] = cty.StringVal(strings.ReplaceAll(form, "%s", title(key)))
		}
		return cty.ObjectVal(values)
	}
	instances := of("_")
	if each := b.Body.Attributes["for_each"]; each != nil {
		keys, problems := each.Expr.Value(c.context)
		if problems.HasErrors() {
			return problems
		}
		all := map[string]cty.Value{}
		for key := range keys.AsValueMap() {
			all[key] = of(key)
		}
		instances = cty.ObjectVal(all)
	}
	if c.resources[kind] == nil {
		c.resources[kind] = map[string]cty.Value{}
	}
	c.resources[kind][name] = instances
	c.context.Variables[kind] = cty.ObjectVal(c.resources[kind])
	return nil
}

func (c *configuration) blocks(kind string) (list []*hclsyntax.Block) {
	for _, b := range c.body.Blocks {
		if b.Type == kind {
			list = append(list, b)
		}
	}
	return list
}

// each returns the attributes of a resource by key, also the ones of its blocks, as environment.variables.
func (c *configuration) each(t *testing.T, kind, name string) map[string]map[string]any {
	t.Helper()
	at := slices.IndexFunc(c.body.Blocks, func(b *hclsyntax.Block) bool { return slices.Equal(b.Labels, []string{kind, name}) })
	if at < 0 {
		t.Fatalf("missing resource %s.%s", kind, name)
	}
	body := c.body.Blocks[at].Body
	keys, problems := body.Attributes["for_each"].Expr.Value(c.context)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	all := map[string]map[string]any{}
	for key, value := range keys.AsValueMap() {
		inner := c.context.NewChild()
		inner.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(key), "value": value})}
		all[key] = map[string]any{}
		attributesOf(t, body, inner, "", all[key])
	}
	return all
}

func attributesOf(t *testing.T, body *hclsyntax.Body, context *hcl.EvalContext, prefix string, into map[string]any) {
	t.Helper()
	for name, a := range body.Attributes {
		if name == "for_each" || name == "depends_on" {
			continue
		}
		value, problems := a.Expr.Value(context)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		text, err := ctyjson.Marshal(value, value.Type())
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		if err := json.Unmarshal(text, &plain); err != nil {
			t.Fatal(err)
		}
		into[prefix+name] = plain
		var inside map[string]any // of jsonencode
		if encoded, ok := plain.(string); ok && json.Unmarshal([]byte(encoded), &inside) == nil {
			for key, v := range inside {
				into[prefix+name+"."+key] = v
			}
		}
	}
	for _, b := range body.Blocks {
		if b.Type != "dynamic" {
			attributesOf(t, b.Body, context, prefix+b.Type+".", into)
		}
	}
}

func asValue(t *testing.T, v any) cty.Value {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := ctyjson.ImpliedType(text)
	if err != nil {
		t.Fatal(err)
	}
	value, err := ctyjson.Unmarshal(text, kind)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// functions are Terraform's functions that the configuration calls.
var functions = map[string]function.Function{
	"jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc, "concat": stdlib.ConcatFunc,
	"merge": stdlib.MergeFunc, "keys": stdlib.KeysFunc, "lookup": stdlib.LookupFunc, "trimprefix": stdlib.TrimPrefixFunc,
	"contains": stdlib.ContainsFunc,
	"startswith": ofTexts(2, cty.Bool, func(texts []string) (cty.Value, error) {
		return cty.BoolVal(strings.HasPrefix(texts[0], texts[1])), nil
	}),
	"file": ofTexts(1, cty.String, func(texts []string) (cty.Value, error) {
		text, err := os.ReadFile(texts[0])
		return cty.StringVal(string(text)), err
	}),
	"filebase64sha256": ofTexts(1, cty.String, func([]string) (cty.Value, error) { return cty.StringVal("h"), nil }),
	"fileset": ofTexts(2, cty.List(cty.String), func(texts []string) (cty.Value, error) {
		files, err := filepath.Glob(filepath.Join(texts[0], texts[1]))
		var names []cty.Value
		for _, f := range files {
			names = append(names, cty.StringVal(filepath.Base(f)))
		}
		return cty.ListVal(names), err
	}),
	"one": function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.List(cty.String)}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if n := args[0].LengthInt(); n != 1 {
				return cty.NilVal, fmt.Errorf("%d elements", n)
			}
			return args[0].AsValueSlice()[0], nil
		}}),
}

func ofTexts(n int, result cty.Type, do func([]string) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: slices.Repeat([]function.Parameter{{Name: "text", Type: cty.String}}, n),
		Type:   function.StaticReturnType(result),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			var texts []string
			for _, a := range args {
				texts = append(texts, a.AsString())
			}
			return do(texts)
		}})
}

// released is a folder as of a release, without zips.
func released(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	text, err := json.Marshal(contract.Describe("1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "matchbook_1_contract.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
