package ingest

import (
	"context"
	"fmt"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/ingest/transcript"
)

// consider passes an extraction through the gate, with the values that corrections taught to find.
// The gate checks them like all others. A rule that finds nothing, or a value refused by the
// gate, is forgotten with a reason for a person, and the extraction keeps its value.
func (in *Ingester) consider(
	ctx context.Context, row ingestion.Row, t transcript.Transcription, e extraction.Extraction, shared bool,
) (d ingestion.Extracted, reasons []gate.Reason, err error) {
	d = ingestion.Extracted{ID: row.ID, DocumentID: row.DocumentID}
	pass := func(use []taught.Found) []gate.Reason {
		d.Extraction = taught.Use(e.Clone(), use)
		addUp(&d.Extraction, t, use)
		return in.judge(&d.Extraction, t, row, shared)
	}
	reasons = pass(nil)
	var found []taught.Found
	if e.Source != "einvoice" {
		d.Lines = taught.Lines(t.Only(e.Pages).Pages)
		if found, err = in.taught(ctx, row, d.Extraction, d.Lines); err != nil {
			return d, nil, err
		}
	}
	for before, again := reasons, len(found) > 0; again; again = blame(found, reasons, before) {
		reasons = pass(slices.DeleteFunc(slices.Clone(found), taught.Found.Failed))
	}
	for _, r := range reasons {
		d.Reasons = append(d.Reasons, r.String())
	}
	for _, f := range found {
		if f.Failed() {
			d.Forgotten = append(d.Forgotten, ingestion.Forgotten{Rule: f.ID, Why: f.Why})
			d.Reasons = append(d.Reasons, fmt.Sprintf("the place of the %s, taught by %s, is forgotten: %s", f.Name(), f.By(), f.Why))
		}
	}
	return d, reasons, nil
}

// taught reads the fields that the supplier's corrections teach.
func (in *Ingester) taught(ctx context.Context, row ingestion.Row, e extraction.Extraction, lines []taught.Line) ([]taught.Found, error) {
	keys := taught.Keys(e.Data, lines, row.Own)
	if len(keys) == 0 {
		return nil, nil
	}
	rules, err := in.Store.Taught(ctx, row.TenantID, row.DocumentID, keys)
	if err != nil {
		return nil, failure.At("read what corrections taught", err)
	}
	return taught.Read(taught.Of(rules, e, keys), e, lines, keys), nil
}

// blame fails the values refused by the gate, and reports whether there was one. A sum is also
// refused if the sums added up before.
func blame(found []taught.Found, reasons, before []gate.Reason) (blamed bool) {
	for i := range found {
		f := &found[i]
		at := slices.IndexFunc(reasons, func(r gate.Reason) bool {
			return r.Field == f.Field || f.Adds() && r.Check == gate.Arithmetic && r.Field != "line_items" && !slices.Contains(before, r)
		})
		if at >= 0 && !f.Failed() {
			f.Why, blamed = reasons[at].Text, true
		}
	}
	return blamed
}

// addUp looks for the sums of a taught total, unless they were taught too.
func addUp(e *extraction.Extraction, t transcript.Transcription, use []taught.Found) {
	of := func(path string) bool {
		return slices.ContainsFunc(use, func(f taught.Found) bool { return f.Field == path })
	}
	d := e.Data
	if of("total") && !of("subtotal") && !of("tax") && !d.Subtotal.IsZero() && !d.Subtotal.Plus(d.Tax).Equal(d.Total) {
		byrules.AddUp(e, t)
	}
}
