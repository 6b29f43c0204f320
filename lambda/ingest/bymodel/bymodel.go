// Package bymodel extracts business documents from a transcription by a model.
//
// The model gets the text of the pages and must answer in a strict schema, with the quote and
// the page of each value. The answer is hostile data. An answer off the schema is an error,
// and is asked for again. A value is dropped and listed if its quote isn't on its page. The
// model reads a long file in windows of pages, and rules join the documents of the windows.
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

// Extract reads the documents of a transcription. failed names the checks failed by an earlier
// extraction. It must not quote the document, because the question contains it. paid counts
// the answers bought now, not answers from the vault. You can use it on error, too.
func (r *Reader) Extract(ctx context.Context, tenant, document uuid.UUID, t transcript.Transcription,
	failed []string) (documents []extraction.Extraction, paid llm.Usage, err error) {
	windows := windowsOf(t)
	if len(windows) > maxWindows {
		return nil, paid, failure.Permanently("text too long for a model: "+
			"%d windows of %d characters, limit %d; split the file", len(windows), windowSize, maxWindows)
	}
	quotes := printed.QuotesOf(t)
	asker := *r.Asker
	asker.Model = counting{r.Asker.Model, &paid}
	var parts [][]extraction.Extraction
	for _, w := range windows {
		var part []extraction.Extraction
		err := asker.Ask(ctx, tenant, document, questionOf(w, len(windows), failed), func(text string) (err error) {
			part, err = read(text, w, quotes, r.Asker.Model.Name())
			return err
		})
		if err != nil {
			return nil, paid, err
		}
		parts = append(parts, part)
	}
	return join(parts), paid, nil
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
