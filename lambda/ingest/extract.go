package ingest

import (
	"context"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/bymodel"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"
)

// extract reads the documents of a file. It uses the file's e-invoice, otherwise the text, by
// the model or, without a model, by rules. A document that fails the gate lists the reasons.
func (in *Ingester) extract(ctx context.Context, row ingestion.Row, src *source, t transcript.Transcription) (
	[]ingestion.Extracted, error,
) {
	t = t.Only(row.Pages)
	pages := in.account(t)
	switch {
	case src.invoices != nil:
		docs, err := in.electronic(ctx, row, src, t)
		if err == nil && pages.Pages > 0 {
			docs[0].Account = &pages.Account // the XML is the document, whatever its pages show
		}
		return docs, err
	case t.Quality() == 0:
		return nil, failure.Permanently("unreadable file: %s", append(src.notes, pages.first())[0])
	case len(row.Begins) > 0:
		docs, err := in.divided(ctx, row, src, pages.legible)
		return pages.settle(docs), err
	case in.Model == nil:
		t = pages.legible
		docs, _, err := in.examine(ctx, row, src, t, atLeastOne(byrules.Extract(t, row.Own...), byrules.Source, t))
		return pages.settle(docs), err
	}
	docs, err := in.ask(ctx, row, src, pages.legible)
	return pages.settle(docs), err
}

// electronic takes the documents of e-invoices. Their problems and their contradictions to the
// pages are reasons.
func (in *Ingester) electronic(ctx context.Context, row ingestion.Row, src *source, t transcript.Transcription) (
	[]ingestion.Extracted, error,
) {
	pages, found := shownIn(t), []extraction.Extraction{}
	for i := range src.invoices {
		found = append(found, fromInvoice(&src.invoices[i], t, pages))
	}
	docs, _, err := in.examine(ctx, row, src, t, found)
	for i := range docs {
		d := &docs[i]
		for _, p := range src.invoices[i].Problems {
			d.Reasons = append(d.Reasons, p.String())
		}
		d.Reasons = append(d.Reasons, contradictions(&src.invoices[i], t, pages)...)
		d.Valid = len(d.Reasons) == 0
	}
	return docs, err
}

// ask extracts by the model. If documents fail the gate, it asks once more.
func (in *Ingester) ask(ctx context.Context, row ingestion.Row, src *source, t transcript.Transcription) (
	[]ingestion.Extracted, error,
) {
	reader := bymodel.Reader{Asker: in.Model}
	found, paid, err := reader.Extract(ctx, row.TenantID, row.DocumentID, t)
	if err != nil {
		return nil, failure.At("extract", err)
	}
	docs, failed, err := in.examine(ctx, row, src, t, atLeastOne(found, in.Model.Model.Name(), t))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		failed = nil // there is nothing to replace
	}
	if failed = append(failed, leftOut(found, t)...); len(failed) > 0 {
		var more llm.Usage
		if docs, more, err = in.again(ctx, row, src, t, found, docs, failed); err != nil {
			return nil, err
		}
		paid.PromptTokens += more.PromptTokens
		paid.CompletionTokens += more.CompletionTokens
	}
	charge(&docs[0], paid)
	return docs, nil
}

func charge(d *ingestion.Extracted, paid llm.Usage) {
	d.InputTokens, d.OutputTokens = paid.PromptTokens, paid.CompletionTokens
}

func failedChecks(docs []ingestion.Extracted) (list []string) {
	for _, d := range docs {
		list = append(list, d.Reasons...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// atLeastOne returns a document without values if none was found in the text, so that a person
// looks at the file.
func atLeastOne(found []extraction.Extraction, source string, t transcript.Transcription) []extraction.Extraction {
	if len(found) > 0 {
		return found
	}
	e := extraction.Extraction{Source: source, Confidence: extraction.Low, Fields: map[string]extraction.Field{}}
	for _, p := range t.Pages {
		e.Pages = append(e.Pages, p.Number)
	}
	return []extraction.Extraction{e}
}

// examine passes extractions through the gate. It changes copies. You can ask the model again about failed.
func (in *Ingester) examine(
	ctx context.Context, row ingestion.Row, src *source, t transcript.Transcription, found []extraction.Extraction,
) (docs []ingestion.Extracted, failed []bymodel.Failed, err error) {
	for i, e := range found {
		d, reasons, err := in.consider(ctx, numbered(row, i), t, e, shared(found, i))
		if err != nil {
			return nil, nil, err
		}
		failed = append(failed, failedFields(i, &d.Extraction, reasons)...)
		d.Reasons = append(d.Reasons, src.notes...)
		d.Valid = len(d.Reasons) == 0
		positive(&d.Extraction)
		scanned(&d.Extraction, t)
		docs = append(docs, d)
	}
	return docs, failed, nil
}

// judge passes an extraction through the gate. A model's answer is also compared with the rules'
// reading of its pages.
func (in *Ingester) judge(e *extraction.Extraction, t transcript.Transcription, row ingestion.Row, shared bool) []gate.Reason {
	if in.Model == nil || e.Source != in.Model.Model.Name() {
		return gate.Pass(e, t, in.now(), row.Own...)
	}
	return gate.PassAnswer(e, t, in.now(), !shared, row.Own...)
}

// shared reports whether another document has a page of this one.
func shared(found []extraction.Extraction, i int) bool {
	for k, other := range found {
		if k != i && slices.ContainsFunc(other.Pages, func(p int) bool { return slices.Contains(found[i].Pages, p) }) {
			return true
		}
	}
	return false
}

// scanned weakens the trust of fields that another program read on a scan.
func scanned(e *extraction.Extraction, t transcript.Transcription) {
	for path, f := range e.Fields {
		other := func(p transcript.Page) bool { return p.Number == f.Page && p.Engine == pdf.OCRLayer }
		if f.Trust == extraction.Printed && slices.ContainsFunc(t.Pages, other) {
			f.Trust = extraction.OCRLayer
			e.Fields[path] = f
		}
	}
}

func (in *Ingester) now() time.Time {
	if in.Now != nil {
		return in.Now()
	}
	return time.Now()
}

// better reports whether to use a second reading of a page: its quality must be better by a
// margin, and rules must find every field in it that they find in the first, with the same
// value if the first is legible. Fields of a page that was read upside down don't count.
func better(first, second transcript.Page) bool {
	if second.Quality < first.Quality+margin {
		return false
	}
	if second.Turned != first.Turned {
		return true
	}
	have := fieldsOf(second)
	for path, value := range fieldsOf(first) {
		if found, ok := have[path]; !ok || found != value && first.Quality >= legible {
			return false
		}
	}
	return true
}

func fieldsOf(p transcript.Page) map[string]string {
	values := map[string]string{}
	for _, e := range byrules.Extract(transcript.Transcription{Pages: []transcript.Page{p}}) {
		for _, path := range []string{"number", "date", "supplier.name", "total"} {
			if f, ok := e.Fields[path]; ok {
				values[path] = f.Value
			}
		}
	}
	return values
}
