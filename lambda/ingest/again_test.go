package ingest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"
)

// askedAgain is in the second question.
const askedAgain = "failed the checks below"

// asksTwice is a PDF with the two invoices on two pages, read by a model with these answers.
func asksTwice(t *testing.T, first string, second func() string, faults ...scripted.Fault) (*rig, *scripted.Server) {
	t.Helper()
	server := must.Get(scripted.Start(t.Context(), scripted.Options{KeepText: true,
		Faults: scripted.Ordered(scripted.Order{Contains: askedAgain, Faults: faults}),
		Mind: func(q scripted.Question) string {
			if strings.Contains(q.User, askedAgain) {
				return second()
			}
			return first
		}}))(t)
	t.Cleanup(server.Close)
	client := must.Get(openai.New(openai.Config{BaseURL: server.URL(), Model: "m"}))(t)
	pages := make([][]piece, 2)
	for i, line := range strings.Split(twoInvoices, "\n") {
		pages[i/3] = append(pages[i/3], piece{x: 60, y: float64(100 + 20*i), size: 10, text: line})
	}
	r := newRigWith(t, printedPDF(pages))
	r.Model = &llm.Asker{Model: client.Model(), Vault: forgets{}, Retry: llm.Retry{Tries: 1}}
	return r, server
}

// onSecond is an invoice on the second page.
func onSecond(doc string) string { return strings.Replace(doc, `"pages":[1]`, `"pages":[2]`, 1) }

// seen is what the documents are, and the reasons.
func (r *rig) seen() string {
	var all []string
	for _, d := range r.store.documents {
		all = append(all, fmt.Sprintf("%s of %s over %s on %v %s", d.Data.Number, d.Data.Date, d.Data.Tax.Fixed(), d.Pages,
			strings.Join(d.Reasons, "; ")))
	}
	return strings.Join(all, "\n")
}

func TestAgainAsksOnlyWhatFailed(t *testing.T) {
	t.Parallel()
	one := invoiceOf(t, "A-1", "20.02.2026", "100.00", "19.00", "119.00")
	two := onSecond(invoiceOf(t, "A-2", "21.02.2026", "200.00", "38.00", "238.00"))
	wrong := onSecond(invoiceOf(t, "A-2", "21.02.2026", "200.00", "200.00", "238.00"))
	const sums = "subtotal 200.00 and tax 200.00 add up to 400.00, not to the total 238.00"
	const right = "A-1 of 2026-02-20 over 19.00 on [1] \nA-2 of 2026-02-21 over 38.00 on [2] "
	const leftOut = "page 2 of 2 was not read: no document was found on it"
	for name, c := range map[string]struct {
		first, second, want string
		questions           int
	}{
		"another date and supplier": {answered(one, wrong), answered(strings.ReplaceAll(strings.ReplaceAll(two,
			"2026-02-21", "2026-02-20"), "Sommer GmbH", "Brutto")), right, 2},
		"only the sums": {answered(one, wrong), answered(strings.Replace(two, `"number":{"quote":"Nr. A-2","value":"A-2"}`, `"number":null`, 1)),
			right, 2},
		"nothing":               {answered(one, wrong), answered(), "A-1 of 2026-02-20 over 19.00 on [1] \nA-2 of 2026-02-21 over 200.00 on [2] " + sums, 2},
		"a page left out":       {answered(one), answered(two), right, 2},
		"left out again":        {answered(one), answered(), "A-1 of 2026-02-20 over 19.00 on [1] " + leftOut, 2},
		"nothing at first":      {answered(), answered(one, two), right, 2},
		"low confidence at all": {strings.Replace(answered(one, wrong), "high", "low", 1), "", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, server := asksTwice(t, c.first, func() string { return c.second })
			must.OK(t, r.ingest(t))
			if got := r.seen(); got != c.want && c.want != "" {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			calls := server.Calls()
			if len(calls) != c.questions {
				t.Fatalf("%d questions", len(calls))
			}
			if c.first == answered(one, wrong) && strings.Contains(calls[1].UserText, "A-1") {
				t.Errorf("the right page is in the second question: %s", calls[1].UserText)
			}
		})
	}
}

// What was paid for counts, however the second question fails. Stopped work is left to the next
// attempt.
func TestAgainFailsKeepsFirst(t *testing.T) {
	t.Parallel()
	one := invoiceOf(t, "A-1", "20.02.2026", "100.00", "19.00", "119.00")
	first := answered(one, onSecond(invoiceOf(t, "A-2", "21.02.2026", "200.00", "200.00", "238.00")))
	for name, fault := range map[string]scripted.Fault{"away": scripted.Unavailable, "no quota": scripted.QuotaExhausted, "cut off": scripted.FinishLength,
		"off the schema": scripted.AnswerBreaksSchema} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, server := asksTwice(t, first, func() string { return first }, slices.Repeat([]scripted.Fault{fault}, 9)...)
			must.OK(t, r.ingest(t))
			if docs := r.store.documents; len(docs) != 2 || !docs[0].Valid || docs[1].Valid || docs[0].InputTokens == 0 {
				t.Errorf("got %s", r.seen())
			}
			if len(server.Calls()) < 2 {
				t.Error("it was not asked twice")
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := asksTwice(t, first, func() string { cancel(); return first }, scripted.HangBeforeHeaders)
	if err := r.Ingest(ctx, job.Attempt{ID: r.store.row.ID, Number: 1}); err == nil || r.store.documents != nil {
		t.Errorf("got %v, %s", err, r.seen())
	}
}
