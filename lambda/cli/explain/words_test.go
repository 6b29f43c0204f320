package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// at is a time of a day in March, in hours.
func at(hours int) time.Time { return time.Date(2026, 3, 2, hours, 0, 0, 0, time.UTC) }

var one, two = uuid.UUID{1}, uuid.UUID{2}

// All words for what happened, with and without details.
func TestEventWords(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	prices := must.Get(cost.ReadModelPrices(""))(t)
	for _, kind := range append(slices.Sorted(maps.Keys(happenings)), "unknown") {
		for _, h := range []report.Happening{{Kind: kind, Name: "gpt-4o-mini", N: 2, M: 3, Detail: "why\tso", USD: new(0.5), At: at(1)}, {Kind: kind, Name: "whole", N: 1, M: 1, USD: new(0.25), At: at(2)}} {
			for _, e := range eventsOf([]report.Happening{h}, prices) {
				fmt.Fprintf(&out, "%s %s: %s\n", e.At.Format(time.Kitchen), kind, e.What)
			}
		}
	}
	for _, what := range []string{"confirmed", "rejected", "withdrawn", "billed-twice", "publish", "correct", "read", "dismiss", "pages", "approve", "hold", "dispute",
		"withdraw", "reopen", "comment", "assign"} {
		for _, note := range []string{"", "a note\x07"} {
			deed := report.Deed{What: what, By: "Anna\t", Note: note}
			if slices.Contains([]string{"confirmed", "rejected", "withdrawn", "billed-twice"}, what) {
				deed.Other = &two
			}
			fmt.Fprintf(&out, "%s: %s\n", what, deedWords(deed))
		}
	}
	for _, a := range []report.Attempt{
		{Subject: "document", Number: 1, Worker: "host\t", Request: "r-1", Ended: new(at(2)), Outcome: "succeeded"},
		{Subject: "ingestion", Number: 2, Ended: new(at(2)), Outcome: "pending", Error: "out of\ttime", Due: new(at(3))},
		{Subject: "ingestion", Number: 3, Ended: new(at(2)), Outcome: "pending"},
		{Subject: "chunk", Part: 4, Number: 1, Next: new(2)}, {Subject: "chunk", Number: 1}, {Subject: "job", Number: 1, Ended: new(at(2)), Outcome: "cancelled"},
		{Subject: "job", Number: 1, Ended: new(at(2))},
	} {
		a.Claimed, a.Until = at(1), at(1).Add(90*time.Second)
		story := []report.Happening{{Kind: "job-begun", At: at(1)}, {Kind: "received", At: at(1)}, {Kind: "job-failed", At: at(2)}, {Kind: "job-begun", At: at(4)}}
		rest, events := withAttempts(story, []report.Attempt{a})
		for _, h := range rest {
			fmt.Fprintf(&out, "left: %s at %s\n", h.Kind, h.At.Format(time.Kitchen))
		}
		p := page{}
		p.events(events)
		out.WriteString(p.String())
	}
	for _, kind := range []string{"failed", "file-begun", "file-completed", "file-failed", "part-failed", "job-begun", "job-completed", "job-failed", "part-published"} {
		rest, _ := withAttempts([]report.Happening{{Kind: kind, At: at(1)}}, []report.Attempt{{Claimed: at(1)}})
		fmt.Fprintf(&out, "%s is told by its attempt: %t\n", kind, len(rest) == 0)
	}
	for _, err := range []string{"the database's disk is full (SQLSTATE 53100)", "write a file: the disk is full", "ask the model: model provider denied access (HTTP 401)",
		"model provider's quota exhausted (HTTP 429)", "unknown model or address at the model provider (HTTP 404)", "model provider failed (HTTP 500)", "model provider took too long",
		"connection to model provider failed", "file storage is away", "documents/a.pdf: not found in storage", "3 attempts ended without a result", "lost: 3 messages never came", "structured data: invalid date",
		"panic (*errors.errorString)", "the receiver answered 500", "another error"} {
		fmt.Fprintf(&out, "%s\n  %s\n  %s\n", err, RemedyOf(err).Cause, strings.Join(DoAbout(err, "again"), "\n  "))
		fmt.Fprintf(&out, "  now: %q\n", newProgress("pending", 1, err, report.Times{}).do("again"))
	}
	fmt.Fprintln(&out, askedWords(report.Happening{Name: "gpt-4o-mini", N: 1_000_000, M: 3_000_000}, prices))
	golden.Compare(t, "events.txt", out.String())
}

// What rows wait for, by state.
func TestProgressWords(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := report.Times{Now: at(12)}
	for i, tc := range []struct {
		status, err string
		times       report.Times
	}{
		{"", "", now}, {"succeeded", "", now}, {"in-progress", "", report.Times{Now: at(12), Lease: new(at(12))}}, {"in-progress", "", report.Times{Now: at(12), Lease: new(at(13))}},
		{"failed", "broken", report.Times{Now: at(12), Due: new(at(14)), Service: "the model"}}, {"pending", "out of time", report.Times{Now: at(12), Due: new(at(11))}}, {"pending", "", report.Times{Now: at(12), Due: new(at(14))}},
		{"pending", "the disk is full", report.Times{Now: at(12), Due: new(at(14)), Service: "the model\t"}}, {"pending", "model provider failed", report.Times{Now: at(12), Due: new(at(12)), Service: "the model"}},
		{"failed", "broken\x07", report.Times{Now: at(12), Failed: new(at(1))}}, {"failed", "the disk is full", report.Times{Now: at(12), Failed: new(at(1))}},
	} {
		f := &file{Ingestion: one, Path: "documents/a.pdf", Pages: []int{2, 3}, progress: newProgress(tc.status, 2, tc.err, tc.times), Reasons: []string{"the sums differ"},
			Account: &ingestion.Account{Pages: 3}}
		d := &documentState{named: named{two, "invoice", "R-1", "a.pdf"}, TenantID: one, Date: "2026-03-02", Supplier: "S", Buyer: "B", progress: f.progress, File: f, NoEmbedding: "away",
			Unknown: slices.Repeat([]string{"a"}, maxNamed+i%2), Cites: slices.Repeat([]reference{{"purchase-order", "7"}}, maxNamed+2*(i%2))}
		fmt.Fprintf(&out, "== %q %q\n%s\n%s\n%q %q\n", tc.status, tc.err, d.unmatched(), f.unread(), f.Waits(), f.do("again"))
		out.WriteString(documentOnly{d}.Text())
		c := chunk{ID: one, Position: 2, Stage: "read", Lapses: 1, Paused: "noon", progress: f.progress}
		out.WriteString((&chunks{Review: two, Status: "running", Chunks: []chunk{c, {Whole: true}}, Tries: tries{{at(1), "attempt 1 began"}}}).Text())
		job := newOfferJob(report.OfferJob{ID: one, Tenant: two, User: one, Name: "Ada", Date: must.Get(day.Parse("2026-03-29"))(t), Zone: "Europe/Berlin", OfferedAt: at(9), Status: "failed"})
		job.progress, job.Tries = f.progress, tries{{at(2), "attempt 2 began"}}
		f.Reasons = nil
		fmt.Fprintf(&out, "%q\n", f.remedy(two))
		out.WriteString(job.Text())
	}
	var none *file
	fmt.Fprintf(&out, "%q\n", none.unread())
	budget := 2.0
	for _, status := range []string{"running", "failed", "completed-with-gaps"} {
		r := &reviewState{Review: report.Review{ID: one, TenantID: two, DocumentID: one, Name: "lease.txt", Status: status, Error: "a gap", Calls: 3, USD: .5, Budget: &budget},
			Parts: &chunks{Review: one, Status: status}}
		out.WriteString((&Story{State: r, Timeline: []Event{{at(1), "received"}}, More: status == "failed"}).Text())
	}
	golden.Compare(t, "progress.txt", out.String())
}

// Each remedy is reached: no earlier one has words that are part of its words.
func TestRemediesAreReached(t *testing.T) {
	t.Parallel()
	for _, r := range Remedies {
		if got := RemedyOf("ask: " + r.Words + "; again").Words; got != r.Words {
			t.Errorf("%q has the remedy of %q", r.Words, got)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	p := progress{now: at(12)}
	for when, want := range map[time.Time]string{at(11): "2026-03-02 11:00:00Z (1h0m0s ago) true", at(12): "2026-03-02 12:00:00Z (0s ago) true",
		at(12).Add(1600 * time.Millisecond): "2026-03-02 12:00:01Z (in 2s) false"} {
		text, over := p.at(when)
		if got := fmt.Sprint(text, " ", over); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A long explanation is cut, and ends with a note.
func TestExplanationIsCut(t *testing.T) {
	t.Parallel()
	doc := &documentState{named: named{ID: one, Type: "invoice", Number: "R-1"}, TenantID: two}
	e := &Explanation{Document: doc}
	for n := range 12 {
		other := named{ID: uuid.UUID{3, byte(n)}, Type: "purchase-order", Number: fmt.Sprint("PO-", n)}
		for _, outcome := range []string{isMatched, isUndecided, isOut, isRejected, isDropped} {
			e.Pairs = append(e.Pairs, pairReport{Document: &other, Outcome: outcome, Score: .5, Confidence: "high", DecidedBy: []string{"rules", "model", "person"}[n%3], MissingPoints: n % 2,
				OutOfQuestion: []string{"", "The VAT ids differ."}[n%2], Reasoning: "It fits.", Owed: n == 1, Note: []string{"", "Stored by another version."}[n%2],
				Evidence: []score.Evidence{{Name: "cites", Points: 60, Text: "It cites it."}, {Name: "dates", Points: -5, Text: "Dated before it."}}})
		}
		w := warningReport{Kind: "billed-twice", Document: []uuid.UUID{one, other.ID}[n%2], Other: other, Words: "The same items."}
		if n%3 == 0 {
			w.Settled = &settled{By: "Anna", At: at(1), Verdict: []string{"", "is-no-copy"}[n/3%2], Reason: "by phone"}
		}
		e.Warnings = append(e.Warnings, w)
		tw := threeWayReport{report.ThreeWay{Invoice: threeway.Invoice{ID: []uuid.UUID{one, other.ID}[n%2], Verdict: threeway.Matched, Words: "It agrees."}, State: threeway.OnHold,
			Settled: &report.Settled{By: []string{"Anna", ""}[n%2], At: at(1), Reason: "it waits"}}, map[uuid.UUID]string{other.ID: "invoice R-" + fmt.Sprint(n)}}
		e.ThreeWay = append(e.ThreeWay, tw)
		e.Near = append(e.Near, other)
	}
	e.NoMatch, e.Tries = []string{"No other document shares a key with it."}, tries{{at(1), "attempt 1 began"}}
	ten := *e
	ten.Pairs, ten.Warnings, ten.ThreeWay, ten.Near = slices.Clone(e.Pairs), e.Warnings[:10], e.ThreeWay[:10], nil
	ten.Pairs = ten.Pairs[:10*5]
	for i, state := range []threeway.State{threeway.Open, threeway.Approved} {
		ten.ThreeWay[i].State = state
	}
	ten.ThreeWay[2].Settled = nil
	ten.ThreeWay[3].Verdict = threeway.WithoutOrder
	ten.ThreeWay[4].Verdict, ten.ThreeWay[4].State = threeway.WithoutOrder, threeway.Open
	none := Explanation{Document: doc, ThreeWay: ten.ThreeWay[4:5]}
	golden.Compare(t, "cut.txt", e.Text()+"==\n"+ten.Text()+"==\n"+none.Text())
}

func TestWaitingText(t *testing.T) {
	t.Parallel()
	item := func(kind, why string) WaitingItem {
		return WaitingItem{Kind: kind, Document: waitingNamed{named{one, "invoice", "R-1", "a.pdf"}, "Acme"}, Other: &waitingNamed{named: named{ID: two, Type: "purchase-order"}}, Why: why, Since: at(1)}
	}
	file := item(report.WaitingFile, "the PDF is damaged")
	file.Unread, file.Other, file.Document.Number = &two, nil, ""
	question := item(report.WaitingQuestion, "")
	question.Score, question.Value = new(0.456), new("1190.00")
	var out strings.Builder
	for _, w := range []Waiting{
		{Failed: []string{"1 job"}}, {}, {Differ: 1}, {Differ: 2, Counts: map[string]int{report.WaitingQuestion: 1}}, {Failed: []string{"1 part of a review", "2 jobs of match offers"}, Away: []string{"The model is away."}},
		{Counts: map[string]int{report.WaitingQuestion: 2, report.WaitingWarning: 1, report.WaitingDocument: 1, report.WaitingFile: 2, report.WaitingReview: 1, report.WaitingInvoice: 1},
			Items: []WaitingItem{question, item(report.WaitingWarning, "billed-twice: Twice."), item(report.WaitingDocument, "the disk is full"), file, item(report.WaitingFile, "no date"),
				item(report.WaitingReview, "1 finding"), item(report.WaitingInvoice, "on hold")}},
	} {
		out.WriteString("== \n" + w.Text())
	}
	golden.Compare(t, "waiting.txt", out.String())
}
