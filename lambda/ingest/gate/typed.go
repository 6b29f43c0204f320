package gate

import (
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
)

// Typed checks values as a person types them, without the pages: required fields, sums, dates and
// check digits. Use Pass for values that were read.
func Typed(t document.Type, d document.Data, today time.Time, own ...document.Party) []Reason {
	e := &extraction.Extraction{Type: t, Data: d, Successful: true, Fields: map[string]extraction.Field{}}
	c := newChecker(e, transcript.Transcription{}, today, own)
	c.required()
	c.plausibility()
	c.ids()
	c.ours()
	lines := c.lines()
	c.taxes()
	c.totals(lines)
	c.due()
	return c.reasons
}
