package matchrun

import (
	"context"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

func (f *Found) addThreeWays(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (err error) {
	f.ThreeWay, err = report.From(db).ThreeWays(ctx, ids)
	if f.ThreeWay == nil {
		f.ThreeWay = []report.ThreeWay{}
	}
	return err
}

// threeWays shows the comparison of the tenant's invoices with their orders and
// receipts: the number that are matched in every line, and each that is not, with its
// lines if verbose.
func (t *reportText) threeWays(tenant uuid.UUID) {
	all, good := 0, 0
	for _, w := range t.ThreeWay {
		if d := t.byID[w.ID]; d != nil && d.TenantID == tenant {
			if all++; w.Verdict == "matched" {
				good++
			}
		}
	}
	if all == 0 {
		return
	}
	t.Line("Three-way match: %d of %d invoices agree with their orders and receipts", good, all)
	for _, w := range t.ThreeWay {
		if d := t.byID[w.ID]; d == nil || d.TenantID != tenant || w.Verdict == "matched" {
			continue
		}
		sentences := w.Sentences(t.name)
		t.Hang("  - ", t.name(w.ID)+": "+term.Clean(sentences[0], term.MaxText))
		for _, s := range sentences[1:] {
			if t.verbose {
				t.Hang("    - ", term.Clean(s, term.MaxText))
			}
		}
	}
}
