package cost

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestEachFigureSaysWhereItIsFrom(t *testing.T) {
	t.Parallel()
	for file, kind := range map[string]*regexp.Regexp{
		"measured.json": regexp.MustCompile(`"from": ?"(measured|counted|assumed): .`),
		"prices.json":   regexp.MustCompile(`"date": ?"(20\d\d(-\d\d)?|undated|remembered, 20\d\d)", "source": ?"(https://|from memory)`),
	} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if strings.Contains(line, ": {") && !kind.MatchString(line) {
				t.Errorf("%s: %s", file, strings.TrimSpace(line))
			}
		}
	}
}

func TestFilesThatForgetSomethingAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file        string
		field, key  string
		value       any
		want        string
		delete, add bool
	}{
		"as it is":                     {file: "measured.json"},
		"a price that is not there":    {file: "prices.json", field: "sqs_requests", delete: true, want: "sqs_requests has no per, date or source"},
		"a price below 0":              {file: "prices.json", field: "sqs_requests", key: "usd", value: -1, want: "sqs_requests has no usd of 0 or more"},
		"a price without an amount":    {file: "prices.json", field: "sqs_requests", key: "usd", delete: true, want: "sqs_requests has no usd of 0 or more"},
		"a price from nowhere":         {file: "prices.json", field: "sqs_requests", key: "source", value: "", want: "sqs_requests has no per, date or source"},
		"a figure that is not there":   {file: "measured.json", field: "pollers", delete: true, want: "pollers has no origin in \"from\""},
		"a figure below 0":             {file: "measured.json", field: "pollers", key: "value", value: -1, want: "pollers has no value of 0 or more"},
		"a figure without a value":     {file: "measured.json", field: "pollers", key: "value", delete: true, want: "pollers has no value of 0 or more"},
		"a figure that is divided by":  {file: "measured.json", field: "core_speed", key: "value", value: 0, want: "core_speed is 0, and something is divided by it"},
		"a name that means nothing":    {file: "measured.json", field: "polers", add: true, want: `unknown field "polers"`},
		"no date of the measurements":  {file: "measured.json", field: "date", delete: true, want: "date is missing"},
		"a field that means nothing":   {file: "prices.json", field: "sqs_requests", key: "eur", value: 1, want: `unknown field "eur"`},
		"a value that is not a number": {file: "prices.json", field: "sqs_requests", key: "usd", value: "much", want: "cannot unmarshal string"},
	} {
		raw, err := os.ReadFile(tc.file)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		switch {
		case tc.delete && tc.key != "":
			delete(all[tc.field].(map[string]any), tc.key)
		case tc.delete:
			delete(all, tc.field)
		case tc.add:
			all[tc.field] = map[string]any{"value": 1, "from": "assumed"}
		case tc.field != "":
			all[tc.field].(map[string]any)[tc.key] = tc.value
		}
		raw, err = json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if tc.file == "prices.json" {
			_, err = readPrices(raw)
		} else {
			_, err = ReadMeasured(raw)
		}
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}

func TestEachMetricOfTheManifestIsPaidFor(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../manifest/metric.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	metrics := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Metric") && spec.Names[0].Name != "MetricNamespace" {
			metrics++
		}
		return true
	})
	m, err := ReadMeasured(nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "metrics", m.Metrics.Value, float64(metrics+3)) // two functions have MetricRefused, MetricRefusedSets and MetricRefusedEvents
}

// What the template makes is counted in it, with an Aurora of its own and without
// the URL of reviews and the console, which are settings.
func TestWhatTheInfrastructureMakesIsPaidFor(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../infra/testdata/aurora.template.golden")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				RetentionInDays                  float64
				ServerlessV2ScalingConfiguration struct{ MinCapacity float64 }
			}
		}
	}
	if err := json.Unmarshal(raw, &template); err != nil {
		t.Fatal(err)
	}
	made, days, capacity := make(map[string]float64), 0.0, 0.0
	for id, r := range template.Resources {
		if !strings.HasPrefix(id, "Web") && !strings.HasPrefix(id, "Console") {
			made[r.Type]++
		}
		days = max(days, r.Properties.RetentionInDays)
		capacity = max(capacity, r.Properties.ServerlessV2ScalingConfiguration.MinCapacity)
	}
	m, err := ReadMeasured(nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "alarms", m.Alarms.Value, made["AWS::CloudWatch::Alarm"])
	near(t, "dashboards", m.Dashboards.Value, made["AWS::CloudWatch::Dashboard"])
	near(t, "gateways", m.NATCount.Value, made["AWS::EC2::NatGateway"])
	near(t, "addresses", m.PublicAddress.Value, made["AWS::EC2::EIP"])
	near(t, "keys", m.Keys.Value, made["AWS::KMS::Key"])
	near(t, "months of logs", m.LogMonths.Value, days/30)
	near(t, "the least capacity", m.MinACU.Value, capacity)
}
