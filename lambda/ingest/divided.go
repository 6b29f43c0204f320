package ingest

import (
	"context"
	"fmt"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/bymodel"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"
)

// divided reads one document from each part of the file, where a person has decided that the
// documents begin. No second question is asked, because a person is at the page already.
func (in *Ingester) divided(ctx context.Context, row ingestion.Row, src *source, t transcript.Transcription) (
	[]ingestion.Extracted, error,
) {
	var found []extraction.Extraction
	var paid llm.Usage
	for _, part := range divide(t, row.Begins) {
		e, more, err := in.one(ctx, row, part)
		if err != nil {
			return nil, failure.At("extract", err)
		}
		found = append(found, e)
		paid.PromptTokens += more.PromptTokens
		paid.CompletionTokens += more.CompletionTokens
	}
	docs, _, err := in.examine(ctx, row, src, t, found)
	if err == nil {
		charge(&docs[0], paid)
	}
	return docs, err
}

// divide returns the parts of a file, each with its pages. It leaves out a part without a legible page.
func divide(t transcript.Transcription, begins []int) (parts []transcript.Transcription) {
	for i, first := range begins {
		part := t
		part.Pages = slices.DeleteFunc(slices.Clone(t.Pages), func(p transcript.Page) bool {
			return p.Number < first || i+1 < len(begins) && p.Number >= begins[i+1]
		})
		if len(part.Pages) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// one reads a part as one document. If its pages name several, a person must look, because the
// values may be from the first one only.
func (in *Ingester) one(ctx context.Context, row ingestion.Row, part transcript.Transcription) (
	e extraction.Extraction, paid llm.Usage, err error,
) {
	var found []extraction.Extraction
	if in.Model == nil {
		found, e = byrules.Extract(part, row.Own...), byrules.ExtractOne(part, row.Own...)
	} else {
		reader := bymodel.Reader{Asker: in.Model}
		if found, paid, err = reader.Extract(ctx, row.TenantID, row.DocumentID, part); err != nil {
			return e, paid, err
		}
		source := in.Model.Model.Name()
		e = atLeastOne(found, source, part)[0]
		e.Pages = atLeastOne(nil, source, part)[0].Pages
	}
	if len(found) > 1 {
		e.Doubts = append(e.Doubts, extraction.Doubt{Text: fmt.Sprintf("%d documents were found on these pages, "+
			"which a person called one: compare the values with each page", len(found))})
	}
	return e, paid, nil
}
