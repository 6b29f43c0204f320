package ingest

import (
	"context"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/bymodel"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"
)

// toComplete is the time left to store what the first question found.
const toComplete = 30 * time.Second

// again asks once more about the fields that failed the gate, and about pages without a document.
// It uses the second answer only if fewer checks fail. Otherwise, also after an error, the first one
// counts, because it is paid for: a person sees the reasons.
func (in *Ingester) again(ctx context.Context, row ingestion.Row, src *source, t transcript.Transcription,
	first []extraction.Extraction, docs []ingestion.Extracted, failed []bymodel.Failed) (
	[]ingestion.Extracted, llm.Usage, error,
) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if deadline, ok := ctx.Deadline(); ok {
		within, cancel = context.WithDeadline(ctx, deadline.Add(-toComplete))
	}
	defer cancel()
	reader := bymodel.Reader{Asker: in.Model}
	found, paid, err := reader.Again(within, row.TenantID, row.DocumentID, t, first, failed)
	switch {
	case ctx.Err() != nil:
		return docs, paid, failure.At("extract again", ctx.Err())
	case err != nil:
		in.Log.Warn("second question failed; using the first answer", "id", row.ID.String(), "reason", failure.Of(err).Text)
		return docs, paid, nil
	}
	second, still, err := in.examine(ctx, row, src, t, found)
	if err != nil {
		return docs, paid, err
	}
	still = append(still, leftOut(found, t)...)
	if len(found) > 0 && len(found) >= len(first) && faults(second, still) < faults(docs, failed) {
		docs = second
	}
	return docs, paid, nil
}

// faults counts what a person must look at.
func faults(docs []ingestion.Extracted, failed []bymodel.Failed) int {
	n := len(failedChecks(docs))
	for _, f := range failed {
		if f.Document < 0 {
			n++
		}
	}
	return n
}

// leftOut names the pages without a document.
func leftOut(found []extraction.Extraction, t transcript.Transcription) (failed []bymodel.Failed) {
	for _, p := range t.Pages {
		if !slices.ContainsFunc(found, func(e extraction.Extraction) bool { return slices.Contains(e.Pages, p.Number) }) {
			failed = append(failed, bymodel.Failed{Document: -1, Page: p.Number, Why: "no document was found on it"})
		}
	}
	return failed
}

// passes says what passes a check.
var passes = map[gate.Check]string{
	gate.Schema:       "a value of the form asked for",
	gate.Required:     "the printed value; null if there is none",
	gate.Grounding:    "a quote copied from the page that shows the value; null if it isn't printed",
	gate.Arithmetic:   "printed amounts that add up",
	gate.Plausibility: "the value that the page names so; null if there is none",
	gate.Confidence:   "a value that nothing else on the page contradicts",
}

// related are fields that mistakes exchange; sums is the place of the sums, to which lines add up.
var related = [][]string{{"subtotal", "tax", "total", "taxes", "charges", "prepaid", "rounding", "amount_due"},
	{"supplier", "buyer", "payee"}, {"number", "references"}, {"date", "delivery_date", "period", "payment_terms"}}

const (
	sums = 0
	many = 5
)

// failedFields returns what to ask again about a document's reasons. A reason without a field is
// about all of it, and so are many reasons. A final reason leaves nothing to ask, and neither does a
// model that isn't sure.
func failedFields(document int, e *extraction.Extraction, reasons []gate.Reason) (failed []bymodel.Failed) {
	for _, r := range reasons {
		if r.Final || e.Confidence == extraction.Low {
			continue
		}
		failed = append(failed, bymodel.Failed{Document: document, Fields: toAsk(r, e), Why: r.Text, Passes: passes[r.Check]})
	}
	for i := range failed {
		if len(failed) > many {
			failed[i].Fields = nil
		}
	}
	return failed
}

func toAsk(r gate.Reason, e *extraction.Extraction) []string {
	path := r.Field
	top, _, _ := strings.Cut(path, ".")
	if slices.Contains([]string{"references", "line_items", "taxes", "charges"}, top) {
		path = top
	}
	switch i := slices.IndexFunc(related, func(group []string) bool { return slices.Contains(group, top) }); {
	case path == "":
		return nil
	case r.Check == gate.Grounding:
		return []string{path}
	case path == "line_items", i == sums && len(e.Data.Lines) == 0:
		return append([]string{"line_items"}, related[sums]...)
	case i >= 0:
		return related[i]
	}
	return []string{path}
}
