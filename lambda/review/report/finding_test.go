package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/record"
)

// decided is a review with three findings: one accepted and assigned, one rejected, one open.
func decided(t *testing.T) Review {
	r := sample(t)
	for i, severity := range []record.Severity{record.Low, record.Critical, record.High} {
		r.find(t, record.Finding{Analyst: "renewal", Category: record.Renewal, Severity: severity, Title: fmt.Sprint("Risk ", i+1), Explanation: "Because.",
			Quote: renews})
		r.Findings[i].Number = 3 - i
	}
	on := time.Date(2026, 3, 5, 23, 0, 0, 0, time.UTC)
	r.Actions = []record.Action{
		{ID: 1, Seq: 2, Kind: record.Reject, Text: "*agreed*", By: "Anna", At: on},
		{ID: 2, Seq: 2, Kind: record.Comment, Text: "see <mail>", By: "Ben", At: on},
		{ID: 3, Seq: 3, Kind: record.Accept, By: "Anna", At: on, Carried: true},
		{ID: 4, Seq: 3, Kind: record.Assign, Text: "Carl", By: "Anna", At: on},
	}
	return r
}

func TestReportShowsDecisions(t *testing.T) {
	t.Parallel()
	r := decided(t)
	page := string(must.Get(HTML(r))(t))
	for format, tc := range map[string]struct{ text, rejected string }{
		"markdown": {Markdown(r), "\n## Rejected findings\n\n- F2. Risk 2 (critical, Renewal). Rejected by Anna on 2026-03-05: \\*agreed\\* · Ben on 2026-03-05: see &lt;mail>\n"},
		"html": {page, `<p id="finding-F2">F2. <bdi>Risk 2</bdi> (Critical · Renewal · <bdi>Software Licence and Services Agreement &gt; 12. Term and renewal &gt; 12.2, line 224</bdi>).` + "\n" +
			`<bdi>Rejected by Anna on 2026-03-05: *agreed*</bdi> · <bdi>Ben on 2026-03-05: see &lt;mail&gt;</bdi></p>`},
	} {
		if !strings.Contains(tc.text, tc.rejected) || strings.Count(tc.text, "Risk 2") != 1 {
			t.Errorf("%s: rejected in\n%s", format, tc.text)
		}
		if !strings.Contains(tc.text, "Accepted by Anna on 2026-03-05, in an earlier review of this clause · Assigned to Carl") {
			t.Errorf("%s: accepted in\n%s", format, tc.text)
		}
	}
	if md := Markdown(r); !strings.Contains(md, "| Critical | 0 |\n| High | 1 |\n| Medium | 0 |\n| Low | 1 |") ||
		strings.Index(md, "**F1. Risk 3**") > strings.Index(md, "**F3. Risk 1**") {
		t.Errorf("counts and order: %s", md)
	}
}

func TestFilterFindings(t *testing.T) {
	t.Parallel()
	r := decided(t)
	r.Findings = append(r.Findings, record.Finding{Seq: 4, Analyst: "payment", Severity: record.High, Repeats: 1},
		record.Finding{Seq: 5, Analyst: "contract", Severity: record.Info, Withdrawn: true},
		record.Finding{Seq: 6, Analyst: "model-and-rules", Severity: record.Info})
	for _, tc := range []struct{ severity, analyst, state, want string }{
		{"", "", "", "2 4 3 1 5 6"},
		{"high, critical", "", "", "2 4 3"},
		{"", "payment,contract", "", "4 5"},
		{"", "", "open", "1 6"},
		{"question", "", "", "6"},
		{"info", "", "", "5"},
		{"", "", "accepted,rejected", "2 3"},
		{"low", "renewal", "open", "1"},
		{"", "nobody", "", ""},
		{"hgih", "", "", "severity: invalid value \"hgih\", expected some of critical high medium low info question"},
		{"", "", "done", "state: invalid value \"done\", expected some of open accepted rejected"},
	} {
		f, err := NewFilter(tc.severity, tc.analyst, tc.state)
		var got []string
		for _, g := range f.Select(With(r.Findings, r.Actions)) {
			got = append(got, fmt.Sprint(g.Seq))
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%+v: got %v", tc, got)
		}
	}
}

// Without its text, a pruned review shows findings with their quotes and no places.
func TestPrunedText(t *testing.T) {
	t.Parallel()
	r := Review{Job: record.Job{Status: record.Completed, Model: "m"}, Findings: []record.Finding{
		{Seq: 1, Severity: record.High, Title: "Cap", Quote: "The cap is low.", Start: 40, End: 55}}}
	page := Markdown(r)
	if !strings.Contains(page, "The cap is low.") || strings.Contains(page, "line ") {
		t.Errorf("got %s", page)
	}
}
