package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// cdk-nag's AwsSolutions rules find nothing except the findings that the stack
// accepts with a reason, and every reason is still needed.
func TestNagFindings(t *testing.T) {
	t.Parallel()
	for name, context := range nagged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tpl := synthesise(t, wishes{context: context})
			out := filepath.Dir(tpl.file)
			want, got := reasons(t, tpl), findings(t, out)
			for finding := range want {
				if !got[finding] {
					t.Errorf("%s: is accepted and no longer found: delete the reason", finding)
				}
			}
			for finding := range got {
				if !want[finding] {
					t.Errorf("%s: is found and not accepted: fix it, or accept it with a reason", finding)
				}
			}
			if len(got) < 3 {
				t.Errorf("only %v was found: did the rules run?", got)
			}
			checkReport(t, out)
		})
	}
}

// reasons are the findings that the template gives one for, by path and name.
func reasons(t *testing.T, tpl *template) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	for _, r := range tpl.Resources {
		nag, _ := r.Metadata["cdk_nag"].(map[string]any)
		rules, _ := nag["rules_to_suppress"].([]any)
		for _, rule := range rules {
			m := rule.(map[string]any)
			finding := fmt.Sprint(r.Metadata["aws:cdk:path"], " ", m["id"])
			if only, ok := m["applies_to"].([]any); ok {
				finding += fmt.Sprint("[", only[0], "]")
			}
			if reason := fmt.Sprint(m["reason"]); len(reason) < 20 {
				t.Errorf("%s: no reason worth its name: %q", finding, reason)
			}
			list[finding] = true
		}
	}
	return list
}

// findings are all there are, as if nothing was accepted.
func findings(t *testing.T, out string) map[string]bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(out, "matchbook-*.metadata.json"))
	if len(files) != 1 {
		t.Fatalf("metadata: %v", files)
	}
	var metadata map[string][]struct {
		Type string
		Data any
	}
	decode(t, files[0], &metadata)
	list := map[string]bool{}
	for path, entries := range metadata {
		for _, e := range entries {
			text, _ := e.Data.(string)
			if id, _, ok := strings.Cut(text, ": "); ok && e.Type == "aws:cdk:error" {
				list[strings.TrimPrefix(path, "/")+" "+id] = true
			}
		}
	}
	return list
}

// checkReport checks the output of cdk-nag for a stack with its reasons.
func checkReport(t *testing.T, out string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(out, "AwsSolutions-*-NagReport.json"))
	if len(files) != 1 {
		t.Fatalf("reports: %v", files)
	}
	var report struct {
		Lines []struct{ RuleID, ResourceID, Compliance string }
	}
	decode(t, files[0], &report)
	for _, l := range report.Lines {
		if l.Compliance != "Compliant" && l.Compliance != "Suppressed" {
			t.Errorf("%s %s: %s", l.ResourceID, l.RuleID, l.Compliance)
		}
	}
}

// nag adds the rules twice: as a user would, with a report, and without regard to
// reasons. They change nothing in the template.
func nag(app awscdk.App) {
	rules := awscdk.Aspects_Of(app)
	rules.Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{
		Reports: jsii.Bool(true), ReportFormats: &[]cdknag.NagReportFormat{cdknag.NagReportFormat_JSON},
	}), nil)
	rules.Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{
		Reports: jsii.Bool(false), SuppressionIgnoreCondition: cdknag.NewSuppressionIgnoreAlways(jsii.String("to see all")),
	}), nil)
}
