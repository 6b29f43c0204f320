package matchrun

import (
	"context"
	"fmt"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// warningReport is a warning about a document.
type warningReport struct {
	Kind     string    `json:"kind"`
	Document uuid.UUID `json:"document"`
	Other    uuid.UUID `json:"other"`
	Words    string    `json:"words"`
}

func (f *Found) addWarnings(ctx context.Context, db *postgres.DB, ids []uuid.UUID) error {
	f.Warnings = []warningReport{}
	list, err := report.From(db).Warnings(ctx, ids)
	for _, w := range list {
		f.Warnings = append(f.Warnings, warningReport{w.Kind, w.Document, w.Other, w.Words})
	}
	return err
}

// warnings shows the warnings about the documents of a tenant, if there are any.
func (t *reportText) warnings(tenant uuid.UUID) {
	headed := false
	for _, w := range t.Warnings {
		if d := t.byID[w.Document]; d == nil || d.TenantID != tenant {
			continue
		}
		if !headed {
			t.Line("Warnings")
			headed = true
		}
		t.Hang("  - ", fmt.Sprintf("%s  %s -- %s", w.Kind, t.name(w.Document), t.name(w.Other)))
		t.Hang("    ", term.Clean(w.Words, term.MaxText))
	}
}
