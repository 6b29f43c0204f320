// Package bymodel extracts business documents from a transcription by a model.
//
// The model gets the text of the pages and answers in a strict schema: for each
// value the quote and the page that it came from. The answer is hostile data. An
// answer off the schema is an error, and is asked for again; a value whose quote
// is not on its page is dropped and listed. Long files are asked about in
// windows of pages, and the documents of the windows are joined by rules.
//
// A value from a model is trusted as that of a model alone; package gate raises
// trust and decides.
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

// Extract reads the documents of a transcription. failed names the checks that
// an earlier extraction did not pass, in sentences without text of the
// document; the question contains them. The usage is that of answers bought
// now, not of those in the vault; it is valid beside an error, too.
func (r *Reader) Extract(ctx context.Context, tenant, document uuid.UUID, t transcript.Transcription,
	failed []string) (documents []extraction.Extraction, paid llm.Usage, err error) {
	windows := windowsOf(t)
	if len(windows) > maxWindows {
		return nil, paid, failure.Permanently("the text is longer than a model is asked about: "+
			"%d windows of %d characters, the limit is %d: split the file", len(windows), windowSize, maxWindows)
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

// Answer asks the model.
func (c counting) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	a, err := c.Model.Answer(ctx, q)
	c.paid.PromptTokens += a.Usage.PromptTokens
	c.paid.CompletionTokens += a.Usage.CompletionTokens
	return a, err
}
