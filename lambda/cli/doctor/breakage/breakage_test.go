// Package breakage breaks a deployed stack by AWS's API, one thing after another, and lets
// doctor find each. Use .ci/deploy to run it, on MiniStack; without a stack it's skipped.
package breakage

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/doctor"
	"matchbook/lambda/internal/must"
)

// stackVariable names the stack to break. Never set it to one that anybody uses.
const stackVariable = "MATCHBOOK_TEST_STACK"

func TestDoctorFindsBreakages(t *testing.T) { //nolint:paralleltest // it has the stack to itself
	name := os.Getenv(stackVariable)
	if name == "" {
		t.Skip("skipped: " + stackVariable + " names no stack; .ci/deploy has one")
	}
	if !strings.HasPrefix(os.Getenv("AWS_ENDPOINT_URL"), "http://127.0.0.1:") {
		t.Fatal("expected the stack of an emulator on this machine")
	}
	healthy(t, name)
	s := open(t)
	found := 0
	for _, batch := range batches(rows()) {
		for _, r := range batch {
			s.now = r.name
			r.harm(s)
		}
		report := examine(t, name)
		for _, r := range batch {
			if r.in(report) {
				found++
				continue
			}
			t.Errorf("not found: %s: want a %s of %s with %q and %q, got\n%s", r.name, r.severity, r.id, r.what, r.do, show(report, r.id))
		}
		for _, f := range report.Findings {
			if f.Severity >= doctor.Warning && !explained(batch, f) {
				t.Errorf("false alarm %s %s %s: %s, after %s", f.Severity, f.ID, f.Subject, f.What, names(batch))
			}
		}
		s.restore()
	}
	t.Logf("%d of %d breakages found", found, len(rows()))
	if len(rows()) < 100 { // as the pages claim
		t.Errorf("%d breakages", len(rows()))
	}
	healthy(t, name)
}

// fromFiles is a true finding: some of the sample's files can't be read, on purpose.
const fromFiles = "failed"

func healthy(t *testing.T, stack string) {
	t.Helper()
	r := examine(t, stack)
	for _, f := range r.Findings {
		if f.Severity >= doctor.Warning && f.ID != fromFiles {
			t.Fatalf("false alarms on a good stack:\n%s", show(r, ""))
		}
	}
}

func examine(t *testing.T, stack string) doctor.Report {
	t.Helper()
	return must.Get(doctor.Examine(t.Context(), doctor.Options{Env: os.Getenv, Stack: stack}))(t)
}

// batches lets rows that touch different things share an examination.
func batches(all []row) (list [][]row) {
	for _, r := range all {
		clash := func(other row) bool { return other.touches == r.touches }
		i := slices.IndexFunc(list, func(batch []row) bool { return !slices.ContainsFunc(batch, clash) })
		if i < 0 {
			list, i = append(list, nil), len(list)
		}
		list[i] = append(list[i], r)
	}
	return list
}

func (r row) in(report doctor.Report) bool {
	return slices.ContainsFunc(report.Findings, func(f doctor.Finding) bool {
		return f.ID == r.id && f.Severity == r.severity && strings.Contains(f.What, r.what) && strings.Contains(f.Do, r.do) &&
			(r.severity < doctor.Warning || f.Subject+f.What != "" && f.Why != "")
	})
}

// explained reports whether a row of the batch is the reason for a finding.
func explained(batch []row, f doctor.Finding) bool {
	return f.ID == fromFiles || slices.ContainsFunc(batch, func(r row) bool { return r.id == f.ID || slices.Contains(r.also, f.ID) })
}

func names(batch []row) string {
	var list []string
	for _, r := range batch {
		list = append(list, r.name)
	}
	return strings.Join(list, ", ")
}

// show lists the findings of a check, or of all.
func show(report doctor.Report, id string) string {
	var text strings.Builder
	for _, f := range report.Findings {
		if f.Severity != doctor.OK && (id == "" || f.ID == id) {
			fmt.Fprintf(&text, "  %s %s %s: %s\n      %s\n", f.Severity, f.ID, f.Subject, f.What, f.Do)
		}
	}
	return text.String()
}
