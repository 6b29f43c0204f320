package template_test

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/cli/doctor/template"
)

const written = `{
	"Parameters": {"Size": {"Type": "Number", "Default": 7}, "Open": {"Type": "String"},
		"Stored": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/name"}},
	"Resources": {
		"Q": {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": "1800", "FifoQueue": "true", "DelaySeconds": {"Ref": "Q"}}},
		"F": {"Type": "AWS::Lambda::Function", "Properties": {"FunctionName": "match"}},
		"V": {"Type": "AWS::Lambda::Version", "Properties": {"FunctionName": {"Ref": "F"}}},
		"A": {"Type": "AWS::Lambda::Alias", "Properties": {"FunctionName": {"Fn::GetAtt": ["V", "Arn"]}}}}}`

func parse(t *testing.T) *template.Template {
	t.Helper()
	parsed, err := template.Parse([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]template.Value{
		`null`:                       {},
		`"text"`:                     {Text: "text"},
		`12`:                         {Text: "12"},
		`true`:                       {Text: "true"},
		`{"Ref":"Q"}`:                {Resource: "Q"},
		`{"Ref":"Size"}`:             {Text: "7"},
		`{"Ref":"Open"}`:             {Missing: "the parameter Open has no default"},
		`{"Ref":"Stored"}`:           {Missing: "the parameter Stored has no default"},
		`{"Ref":"AWS::Region"}`:      {Missing: "it depends on AWS::Region, which only a deployment knows: --stack reads it"},
		`{"Ref":"Elsewhere"}`:        {Missing: `it refers to "Elsewhere", which is not in the template`},
		`{"Fn::GetAtt":["Q","Arn"]}`: {Resource: "Q"},
		`{"Fn::GetAtt":"Q.Arn"}`:     {Resource: "Q"},
		`{"Fn::Join":["-",["a",{"Ref":"Size"}]]}`: {Text: "a-7"},
		`{"Fn::Join":["",["a",{"Ref":"Q"}]]}`:     {Missing: "it is made of Q, which only a deployment knows"},
		`{"Fn::Sub":"plain"}`:                     {Text: "plain"},
		`{"Fn::Sub":"${Q.Arn}"}`:                  {Resource: "Q"},
		`{"Fn::Sub":"a-${Q}"}`:                    {Missing: "it is a Fn::Sub, which only a deployment works out"},
		`{"Fn::If":["x",1,2]}`:                    {Missing: "it is made by Fn::If, which only a deployment works out"},
		`["a"]`:                                   {Missing: "it is written in a way that is not read here"},
	} {
		decoder := json.NewDecoder(strings.NewReader(value))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil {
			t.Fatal(value, err)
		}
		if got := parse(t).Resolve(v); got != want {
			t.Errorf("%s: got %+v, want %+v", value, got, want)
		}
	}
}

func TestNumberAndTruth(t *testing.T) {
	t.Parallel()
	parsed := parse(t)
	queue := parsed.Resource("Q")
	for name, want := range map[string]struct {
		n       int
		missing string
	}{
		"VisibilityTimeout":      {1800, ""},
		"MessageRetentionPeriod": {30, ""}, // not given
		"FifoQueue":              {0, "FifoQueue is no whole number that makes sense"},
		"DelaySeconds":           {0, "DelaySeconds is only known to a deployment"},
	} {
		if n, missing := parsed.Number(queue, 30, name); n != want.n || missing != want.missing {
			t.Errorf("%s: got %d, %q; want %+v", name, n, missing, want)
		}
	}
	if is, missing := parsed.Truth(queue, false, "FifoQueue"); !is || missing != "" {
		t.Errorf("FifoQueue: got %v, %q", is, missing)
	}
	if is, missing := parsed.Truth(queue, true, "Absent"); !is || missing != "" {
		t.Errorf("a property that is not given: got %v, %q", is, missing)
	}
}

// A mapping may name a function, a version, an alias, or an ARN.
func TestFunctionOf(t *testing.T) {
	t.Parallel()
	for _, named := range []any{
		map[string]any{"Ref": "F"}, map[string]any{"Ref": "A"}, "match", "arn:aws:lambda:eu-central-1:123456789012:function:match:live",
	} {
		if got := parse(t).FunctionOf(named); got != "F" {
			t.Errorf("%v: got %s", named, got)
		}
	}
	if got := parse(t).FunctionOf("another"); got != "another" {
		t.Errorf("got %s", got)
	}
}
