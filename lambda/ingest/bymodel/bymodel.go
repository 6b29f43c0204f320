// Package bymodel extracts business documents from a transcription by a model.
//
// The model gets the text of the pages and must answer in a strict schema, with the quotes of
// the values. The answer is hostile data. An answer off the schema is an error, and is asked for
// again. A value is dropped and listed if its quote isn't on a page of its document. The model
// reads a long file in windows of pages, and rules join the documents of the windows. If an
// answer is cut off, the model is asked about the halves of its window.
//
// A value has the trust of a model alone; see package gate, which raises trust and decides.
package bymodel

import (
	"context"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// Reader extracts documents with a model.
type Reader struct{ Asker *llm.Asker }

// Extract reads the documents of a transcription. paid counts the answers bought now, not answers
// from the vault. You can use it on error, too.
func (r *Reader) Extract(ctx context.Context, tenant, document uuid.UUID, t transcript.Transcription) (
	documents []extraction.Extraction, paid llm.Usage, err error) {
	windows, size := windowsOf(t)
	if size > maxSize {
		return nil, paid, failure.Permanently("text too long for a model: %d characters, limit %d; split the file", size, maxSize)
	}
	a := asking{Asker: *r.Asker, tenant: tenant, document: document, quotes: printed.QuotesOf(t)}
	a.Model = counting{r.Asker.Model, &paid}
	var parts [][]extraction.Extraction
	for _, w := range windows {
		found, err := a.ask(ctx, w, 0)
		if err != nil {
			return nil, paid, err
		}
		parts = append(parts, found...)
	}
	return join(parts), paid, nil
}

// asking is one extraction.
type asking struct {
	llm.Asker
	tenant, document uuid.UUID
	quotes           printed.Quotes
	earlier          func(window) string // what an earlier extraction failed; nil: there was none
}

// ask asks about a window, and about its halves if the answer was cut off.
func (a *asking) ask(ctx context.Context, w window, halvings int) (parts [][]extraction.Extraction, err error) {
	earlier := ""
	if a.earlier != nil {
		if earlier = a.earlier(w); earlier == "" {
			return nil, nil
		}
	}
	q := questionOf(w, earlier)
	upper, lower, ok := w.halve()
	q.Divisible = ok && halvings < maxHalvings
	var found []extraction.Extraction
	cut := false
	err = a.Ask(ctx, a.tenant, a.document, q, func(text string) (err error) {
		if cut = q.Divisible && text == llm.CutOff; cut {
			return nil
		}
		found, err = read(text, w, a.quotes, a.Model.Name(), a.earlier != nil)
		return err
	})
	if err != nil || !cut {
		return [][]extraction.Extraction{found}, err
	}
	for _, half := range []window{upper, lower} {
		found, err := a.ask(ctx, half, halvings+1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, found...)
	}
	return parts, nil
}

// counting adds up the usage of a model.
type counting struct {
	llm.Model
	paid *llm.Usage
}

// Answer implements llm.Model.
func (c counting) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	a, err := c.Model.Answer(ctx, q)
	c.paid.PromptTokens += a.Usage.PromptTokens
	c.paid.CompletionTokens += a.Usage.CompletionTokens
	return a, err
}
