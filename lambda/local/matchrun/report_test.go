package matchrun

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// reported is a report about these documents.
func reported(documents ...documentReport) *Report {
	r := &Report{Found: Found{Documents: documents, byID: make(map[uuid.UUID]*documentReport)}}
	for i := range r.Documents {
		r.byID[r.Documents[i].ID] = &r.Documents[i]
	}
	return r
}

func TestRepeatedDeliveries(t *testing.T) {
	t.Parallel()
	once, again := uuid.New(), uuid.New()
	r := reported(documentReport{ID: once, Type: document.Invoice, Number: "R-1"},
		documentReport{ID: again, Type: document.Invoice, Number: "R-2"})
	r.Deliveries = []delivery{
		{Document: once, Message: "a", Delivery: 1, Settled: "acknowledged"},
		{Document: again, Message: "b", Delivery: 1, Settled: "retry"},
		{Document: again, Message: "b", Delivery: 2, Seconds: 300, Settled: "acknowledged"},
	}
	want := `DELIVERIES
     1 acknowledged on delivery 1
     1 acknowledged on delivery 2
     1 retry on delivery 1
  - invoice R-2: +0s retry, +5m0s acknowledged

`
	if got := r.Text(true); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got, want)
	}
}

func TestTwentyRepeatsListed(t *testing.T) {
	t.Parallel()
	r := reported()
	for i := range 23 {
		id := uuid.New()
		for n := range 2 {
			r.Deliveries = append(r.Deliveries, delivery{Document: id, Message: string(rune('a' + i)), Delivery: n + 1, Settled: "retry"})
		}
	}
	got := r.Text(true)
	if n := strings.Count(got, ": +0s retry, +0s retry\n"); n != 20 || !strings.Contains(got, "\n  ... and 3 more with several deliveries (use --json for all)\n") {
		t.Errorf("%d messages are listed:\n%s", n, got)
	}
}

func TestNotificationsShown(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		notified notifiedReport
		failed   int
		want     string // "": nothing about notifications
	}{
		"no failure":          {notifiedReport{Channels: []channelReport{{"slack", 0}}}, 0, ""},
		"every failure sent":  {notifiedReport{Channels: []channelReport{{"slack", 0}}}, 2, "NOTIFIED   slack received every failure\n"},
		"a channel is down":   {notifiedReport{Channels: []channelReport{{"slack", 2}}}, 2, "NOTIFIED   slack did not accept 2 notifications; they stay in the outbox. Use\n           --logs to see why\n"},
		"without any channel": {notifiedReport{Messages: []string{"one\ntwo  \n"}}, 1, "NOT SENT, because no channel is configured (set SLACK_WEBHOOK_URL, or EMAIL_FROM and EMAIL_TO)\n  one\n  two\n\n"},
	} {
		r := reported()
		r.Notified, r.Accounting.Failed = tc.notified, tc.failed
		got := r.Text(true)
		if tc.want == "" && (strings.Contains(got, "NOTIFIED") || strings.Contains(got, "WOULD")) || !strings.HasSuffix(got, tc.want) {
			t.Errorf("%s: got\n%s\nwant at its end\n%s", name, got, tc.want)
		}
	}
}

func TestAccounting(t *testing.T) {
	t.Parallel()
	dead := uuid.New()
	j := newJournal()
	j.add(sqs.Event{Kind: sqs.MovedToDLQ, Body: dead.String()})
	r := reported(documentReport{ID: uuid.New(), Status: "succeeded"}, documentReport{ID: uuid.New(), Status: "failed"},
		documentReport{ID: uuid.New(), Status: "pending"}, documentReport{ID: uuid.New(), Status: "in-progress"},
		documentReport{ID: dead, Status: "pending"})
	r.Accounting.Published = 5
	must.OK(t, r.count(j))
	if want := (accounting{Published: 5, Succeeded: 1, Failed: 1, Pending: 2, InDLQ: 1}); r.Accounting != want {
		t.Errorf("got %+v, want %+v", r.Accounting, want)
	}
	lost := reported(documentReport{ID: uuid.New()}) // no state at all
	lost.Accounting.Published = 1
	if err := lost.count(j); err == nil || err.Error() != "accounting mismatch: published 1, accounted for 0" {
		t.Errorf("got %v", err)
	}
}

func TestLikeliestQuestionFirst(t *testing.T) {
	t.Parallel()
	order, invoice, other, elsewhere := uuid.UUID{2}, uuid.UUID{1}, uuid.UUID{3}, uuid.UUID{4}
	r := reported(documentReport{ID: order, Type: document.PurchaseOrder, Number: "B-7"},
		documentReport{ID: invoice, Type: document.Invoice, Number: "R-1"},
		documentReport{ID: other, Type: document.Invoice, Number: "R-2"},
		documentReport{ID: elsewhere, TenantID: uuid.UUID{9}, Type: document.Invoice, Number: "R-3"})
	r.addOpen([]report.Match{
		{A: order, B: other, Score: 0.5, DecidedBy: "rules", Reasoning: "Undecided. A tie."},
		{A: invoice, B: order, Score: 0.7, DecidedBy: "model", Reasoning: "Unlikely."},
		{A: invoice, B: other, DecidedBy: "rules", Reasoning: "Not matched. The currencies differ."},
		{A: other, B: elsewhere, Score: 0.6, DecidedBy: "person", Reasoning: "Rejected."}, // by a person
	})
	want := `Matches
Open questions
  0.70  purchase order B-7 -- invoice R-1
        Unlikely.
  0.50  purchase order B-7 -- invoice R-2
        Undecided. A tie.
  0.00  invoice R-1 -- invoice R-2
        Not matched. The currencies differ.
Clusters
`
	if got := r.Text(true); !strings.Contains(got, want) || strings.Count(got, "Open questions") != 1 {
		t.Errorf("got\n%s\nwant in it\n%s", got, want)
	}
	if len(r.Open) != 3 || r.Open[0] != (openReport{invoice, order, 0.7, "Unlikely."}) {
		t.Errorf("got %+v", r.Open)
	}
}
