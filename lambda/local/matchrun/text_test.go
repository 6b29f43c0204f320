package matchrun

import (
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

func TestVerboseShowsEvidence(t *testing.T) {
	t.Parallel()
	order, invoice := uuid.UUID{2}, uuid.UUID{1}
	r := reported(documentReport{ID: order, Type: document.PurchaseOrder, Number: "B-7"},
		documentReport{ID: invoice, Type: document.Invoice, Number: "R-1"})
	r.Accounting, r.Model.Mode = accounting{Published: 2, Succeeded: 2, Kills: 3, Seed: 7}, scripted.ModeNone
	r.Matches = []matchReport{{A: invoice, B: order, Score: 0.987, Confidence: "medium", DecidedBy: "person",
		Evidence: []score.Evidence{{Points: 60, Text: "The invoice cites the purchase order B-7."}, {Points: -4, Text: "The prices differ."}}}}
	r.Open = []openReport{{A: invoice, B: order, Score: 0.5, Why: "Undecided."}}
	const summary = `KILLS      the function's process was killed 3 times (seed 7)
ACCOUNTING published 2 = succeeded 2 + failed 0 + pending 0 + in the DLQ 0
           1 match, 1 open question, 0 clusters, 0 documents alone, 0.0 s
`
	for verbose, want := range map[bool]string{
		false: summary + `           use --verbose for the evidence of each match and open question
MODEL      none: questions left open by the rules stay undecided

TENANT 00000000-0000-0000-0000-000000000000
Matches
  0.99 medium person  purchase order B-7 -- invoice R-1
Open questions
  0.50  purchase order B-7 -- invoice R-1
Clusters
`,
		true: summary + `MODEL      none: questions left open by the rules stay undecided

TENANT 00000000-0000-0000-0000-000000000000
Matches
  0.99 medium person  purchase order B-7 -- invoice R-1
       +60  The invoice cites the purchase order B-7.
        -4  The prices differ.
Open questions
  0.50  purchase order B-7 -- invoice R-1
        Undecided.
Clusters
`,
	} {
		if got := r.Text(verbose); !strings.HasPrefix(got, want) {
			t.Errorf("verbose %v: got\n%s\nwant at its beginning\n%s", verbose, got, want)
		}
	}
}

// hostile are texts of documents that would break a page.
var hostile = []string{
	strings.Repeat("ü", 300), strings.Repeat("東", 300), strings.Repeat("東京 Lieferanten-Gesellschaft m.b.H. ", 20),
	"a\x1b[31m red\r\n" + strings.Repeat("ACCOUNTING\t", 30), "\u202e" + strings.Repeat("x", 79) + " y",
}

func TestReportFits80Columns(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		r := hostileReport(text)
		for line := range strings.Lines(r.Text(true) + r.Text(false)) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line) + strings.Count(line, "東") + strings.Count(line, "京"); n > 80 {
				t.Errorf("%d columns: %q", n, line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("not clean: %q", line)
			}
		}
	}
}

// hostileReport has the text everywhere.
func hostileReport(text string) *Report {
	a, b, failed := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	const many = 1_000_000_000
	r := reported(documentReport{ID: a, Type: document.OrderConfirmation, Number: text, Status: "succeeded"},
		documentReport{ID: b, Type: document.PurchaseOrder, Number: text, Status: "succeeded", AloneBecause: term.Clean(text, term.MaxText)},
		documentReport{ID: failed, Type: document.Invoice, Number: text, Status: "in-progress", Error: text})
	r.Matches = []matchReport{{A: a, B: b, Confidence: "medium", DecidedBy: "person", Evidence: []score.Evidence{{Points: -100, Text: text}}}}
	r.Open = []openReport{{A: a, B: b, Why: text}}
	r.Clusters = []clusterReport{{Documents: []uuid.UUID{a, b}}}
	r.Warnings = []warningReport{{Kind: "bank-account-changed", Document: a, Other: b, Words: text}}
	r.ThreeWay = []report.ThreeWay{{Invoice: threeway.Invoice{ID: failed, Verdict: threeway.NotReceived, Words: text,
		Lines: []threeway.Line{{Item: text, Verdict: threeway.NotReceived, Words: []string{text}}}, Orders: []threeway.Order{{ID: b}}}}}
	for n := range 9 {
		r.Deliveries = append(r.Deliveries, delivery{Document: a, Message: "m", Delivery: n + 1, Seconds: n * 10_000, Settled: "interrupted"})
	}
	r.Problems = []corpus.Problem{{File: text, Line: 1, What: text}}
	r.Accounting = accounting{Published: many, Succeeded: many, Failed: many, Kills: many, Seed: math.MaxUint64, Malformed: many, Resumed: many, Interrupted: true}
	r.Model.Mode, r.Model.Name, r.Model.Documents, r.Model.Questions, r.Model.Calls = scripted.ModeOpenAI, text, many, many, many
	r.Notified.Channels = []channelReport{{"slack", many}}
	return r
}
