package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

type widget struct {
	Type       string
	Properties struct {
		Title   string
		Metrics [][]any
		Alarms  []any
	}
}

func (tpl *template) widgets(t *testing.T) (list []widget) {
	t.Helper()
	var body struct{ Widgets []widget }
	// References are ${Id}; nothing in them breaks the JSON.
	if err := json.Unmarshal([]byte(tpl.at(t, "Dashboard", "DashboardBody")), &body); err != nil {
		t.Fatal(err)
	}
	return body.Widgets
}

func TestDashboardHasAllMetrics(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, w := range synthesise(t, wishes{context: bare}).widgets(t) {
		for _, m := range w.Properties.Metrics {
			if len(m) > 1 && m[0] == "Matchbook" {
				shown[fmt.Sprint(m[1])] = true
			}
		}
	}
	want := constants(t, "metric/metric.go")
	for constant, name := range want {
		if !shown[name] {
			t.Errorf("%s (%s) is measured and not shown", constant, name)
		}
	}
	if known := slices.Collect(maps.Values(want)); len(shown) != len(known) {
		t.Errorf("shown %v, measured %v", shown, known)
	}
}

func TestDashboardGraphs(t *testing.T) {
	t.Parallel()
	widgets := synthesise(t, wishes{context: bare}).widgets(t)
	for title, want := range map[string]string{
		"match: Deliveries by result":              "Succeeded",
		"match: Time per document":                 "AttemptTime",
		"Backlog: oldest due row":                  "OldestDue",
		"match: Model: calls":                      "ModelCalls",
		"match: Model: tokens":                     "ModelPromptTokens",
		"match: Model: cost (USD, at 0.4 and 1.6 ": "(prompt * 0.4 + completion * 1.6) / 1000000",
	} {
		i := slices.IndexFunc(widgets, func(w widget) bool { return strings.HasPrefix(w.Properties.Title, title) })
		if i < 0 {
			t.Errorf("nothing is called %q", title)
		} else if !strings.Contains(fmt.Sprint(widgets[i].Properties.Metrics), want) {
			t.Errorf("%s: %v has no %s", title, widgets[i].Properties.Metrics, want)
		}
	}
	if len(widgets[0].Properties.Alarms) != len(synthesise(t, wishes{context: bare}).of("AWS::CloudWatch::Alarm")) {
		t.Errorf("%d alarms are on it", len(widgets[0].Properties.Alarms))
	}
}

// A price that was not given is not the default model's, and never 0.
func TestCostNeedsPrice(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		context map[string]any
		want    string
	}{
		"the default model":        {bare, "prompt * 0.4 + completion * 1.6"},
		"another one with prices":  {everything, "prompt * 2 + completion * 8"},
		"another one without them": {ownModel, ""},
		"no model":                 {rulesOnly, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, w := range synthesise(t, wishes{context: tc.context}).widgets(t) {
				if strings.Contains(w.Properties.Title, "cost") {
					got = fmt.Sprint(w.Properties.Metrics)
				}
			}
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
