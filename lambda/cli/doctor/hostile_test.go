package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/doctor/template"
	"matchbook/lambda/manifest"
)

// wrap has a resource in a template that is Matchbook's otherwise.
func wrap(resources string) string {
	return `{"Resources":{"Q":{"Type":"AWS::SQS::Queue"},"F":{"Type":"AWS::Lambda::Function","Properties":{"Environment":{"Variables":{"QUEUE_URL":{"Ref":"Q"}}}}},` + resources + `}}`
}

func TestTemplateThatCannotBeReadSaysSo(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                   "the template is no JSON: cdk synth writes one into cdk.out/STACK.template.json",
		"Resources:\n  Q:\n": "the template is no JSON",
		`{"Resources":{}`:    "the template is no JSON",
		`[]`:                 "no object with Resources and Parameters",
		`{"Resources":[]}`:   "no object with Resources and Parameters",
		`{"Resources":{"A":{"Type":"X"}},"Parameters":7}`: "no object with Resources and Parameters",
		`null`:                                  "the template has no Resources",
		`{}`:                                    "the template has no Resources",
		`{"Resources":{"A":7}}`:                 `resource "A" of the template is no object with a Type and Properties`,
		`{"Resources":{"A":null}}`:              `resource "A"`,
		`{"Resources":{"A":{"Properties":{}}}}`: `resource "A"`,
		`{"Resources":{"A":{"Type":7}}}`:        `resource "A"`,
		`{"Resources":{"A":{"Type":"X","Properties":[]}}}`:                                        `resource "A"`,
		`{"Resources":{"A":{"Type":"X"}},"Parameters":{"P":7}}`:                                   `parameter "P" of the template is no object`,
		`{"Resources":{"A":{"Type":"AWS::S3::Bucket"}}}`:                                          "has no function that an SQS queue feeds: is it a stack of Matchbook?",
		`{"Resources":{"` + strings.Repeat("A", 5000) + `":7}}`:                                   "is no object with a Type",
		`{"Resources":` + strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000) + "}": "the template is no JSON",
	} {
		_, err := Examine(t.Context(), Options{Template: []byte(raw)})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.80s: got %v, want %q", raw, err, want)
		}
	}
}

// What is written strangely is skipped with its reason, and nothing panics or
// runs in circles.
func TestStrangeTemplatesAreSkippedAndNotPassed(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"Fn::Join":["",[`, 500) + `"x"` + strings.Repeat(`]]}`, 500)
	for resources, want := range map[string]string{
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Ref":"Q"},"FunctionName":{"Ref":"A"}}},"A":{"Type":"AWS::Lambda::Alias","Properties":{"FunctionName":{"Ref":"B"}}},"B":{"Type":"AWS::Lambda::Alias","Properties":{"FunctionName":{"Ref":"A"}}}`: "mapping error F",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":` + deep + `,"FunctionName":{"Ref":"F"}}}`:                                                                                                                                                        "queue-url skipped F",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Ref":["Q"]},"FunctionName":{"Ref":"F"}}}`:                                                                                                                                                       "queue-url skipped F",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":[]},"FunctionName":{"Ref":"F"}}}`:                                                                                                                                                   "queue-url skipped F",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":"arn:aws:kinesis:eu-central-1:123456789012:stream/x","FunctionName":{"Ref":"F"}}}`:                                                                                                                "mapping error F",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":["Q","Arn"]},"FunctionName":{"Ref":"F"},"BatchSize":{"Ref":"AWS::Region"}}}`:                                                                                                        "batch-size skipped M",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":["Q","Arn"]},"FunctionName":{"Ref":"F"},"BatchSize":99999999999999999999}}`:                                                                                                         "batch-size skipped M",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":["Q","Arn"]},"FunctionName":{"Ref":"F"},"BatchSize":-1}}`:                                                                                                                           "batch-size skipped M",
		`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":["Q","Arn"]},"FunctionName":{"Ref":"F"},"ScalingConfig":7}}`:                                                                                                                        "maximum-concurrency skipped M",
		`"F":{"Type":"AWS::Lambda::Function","Properties":{"Timeout":"soon","Environment":{"Variables":{"QUEUE_URL":{"Fn::Sub":"${Q}"}}}}}`:                                                                                                                                             "visibility skipped F",
		`"F":{"Type":"AWS::Lambda::Function","Properties":{"Environment":{"Variables":{"QUEUE_URL":{"Fn::Sub":"${Q.Arn}"},"RETRY_SCHEDULE":{"Fn::Sub":"${AWS::Region}"}}}}}`:                                                                                                            "schedule-limit skipped F",
		`"F":{"Type":"AWS::Lambda::Function","Properties":{"Environment":{"Variables":{"QUEUE_URL":{"Ref":"P"}}}}}`:                                                                                                                                                                     "visibility skipped F",
		`"Q":{"Type":"AWS::SQS::Queue","Properties":{"RedrivePolicy":{"deadLetterTargetArn":{"Ref":"Q"},"maxReceiveCount":{}}}}`:                                                                                                                                                        "schedule-entries skipped F",
		`"Q":{"Type":"AWS::SQS::Queue","Properties":{"RedrivePolicy":{"deadLetterTargetArn":{"Ref":"Q"},"maxReceiveCount":"3"}}}`:                                                                                                                                                       "schedule-entries ok F",
	} {
		r, err := Examine(t.Context(), Options{Template: []byte(wrap(resources))})
		if err != nil {
			t.Errorf("%.200s: %v", resources, err)
			continue
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s %s %s", f.ID, f.Severity, f.Subject))
		}
		if !slices.Contains(got, want) {
			t.Errorf("%.300s: want %s in\n%s", resources, want, show(r))
		}
	}
}

func TestParameterStandsForItsDefault(t *testing.T) {
	t.Parallel()
	raw := wrap(`"Q2":{"Type":"AWS::SQS::Queue"}`)
	for parameter, want := range map[string]string{
		`{"Type":"Number","Default":300}`:                               "visibility timeout 30m",
		`{"Type":"Number","Default":"300"}`:                             "visibility timeout 30m",
		`{"Type":"Number"}`:                                             "Timeout is only known to a deployment",
		`{"Type":"AWS::SSM::Parameter::Value<String>","Default":"300"}`: "Timeout is only known to a deployment",
	} {
		template := strings.Replace(raw, `"Properties":{`, `"Properties":{"Timeout":{"Ref":"P"},`, 1)
		template = strings.Replace(template, `"Q":{"Type":"AWS::SQS::Queue"}`, `"Q":{"Type":"AWS::SQS::Queue","Properties":{"VisibilityTimeout":1800}}`, 1)
		template = strings.TrimSuffix(template, "}") + `,"Parameters":{"P":` + parameter + `}}`
		r, err := Examine(t.Context(), Options{Template: []byte(template)})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(show(r), want) {
			t.Errorf("%s: want %q in\n%s", parameter, want, show(r))
		}
	}
}

// Whatever the template, there is an error in words or a result for each
// check, and no panic.
func FuzzTemplate(f *testing.F) {
	f.Add(readFile(f, healthyTemplate))
	for _, seed := range []string{`{}`, `{"Resources":{"A":{"Type":"AWS::SQS::Queue","Properties":{"RedrivePolicy":[]}}}}`,
		wrap(`"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":"Q.Arn"},"FunctionName":[[{"Ref":"F"}]],"ScalingConfig":{"MaximumConcurrency":"2"}}}`),
		wrap(`"F":{"Type":"AWS::Lambda::Function","Properties":{"Environment":{"Variables":{"QUEUE_URL":"arn:aws:sqs:::","RETRY_SCHEDULE":",","OPENAI_API_KEY":"\u0000"}}}}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		parsed, err := template.Parse(raw)
		if err != nil {
			return
		}
		found, _, err := templateReader{parsed, manifest.Functions()}.facts()
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, finding := range examine(checks, found).Findings {
			if seen[finding.ID] = true; finding.What == "" || finding.Severity >= Warning && finding.Do == "" {
				t.Errorf("%+v says nothing", finding)
			}
		}
		if len(seen) != len(checks) {
			t.Errorf("%d checks of %d have a result", len(seen), len(checks))
		}
	})
}
