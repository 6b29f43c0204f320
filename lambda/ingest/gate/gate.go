// Package gate decides whether a person must look at an extraction. The document is stored and
// matched either way; the gate marks it, with the reasons. It trusts neither rules nor models:
// it compares every value with the transcription, with the other values, and with check
// digits.
//
// Arithmetic between printed amounts and check digits prove a value, and raise its trust. A
// source's confidence proves nothing; it can only refuse.
package gate

import (
	"fmt"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
)

// Check names a test that an extraction may fail.
type Check string

// The checks.
const (
	Schema       Check = "schema"
	Required     Check = "required"
	Grounding    Check = "grounding"
	Arithmetic   Check = "arithmetic"
	Plausibility Check = "plausibility"
	Confidence   Check = "confidence"
)

// Reason explains why an extraction needs a person.
type Reason struct {
	Check Check
	Field string // its path; empty for the whole document
	Text  string // a sentence for people; of the document it contains amounts at most
	Final bool   // another answer of the model can't remove it; set by PassAnswer only
}

// String returns the sentence.
func (r Reason) String() string { return r.Text }

// Pass checks an extraction against its transcription, and raises the trust of proved fields
// in e. An extraction without reasons passes. Fields of an e-invoice need no place on a page.
// A date after today is in the future. Our own companies are never the supplier of an invoice.
func Pass(e *extraction.Extraction, t transcript.Transcription, today time.Time, own ...document.Party) []Reason {
	c := newChecker(e, t, today, own)
	c.check()
	return c.reasons
}

func newChecker(e *extraction.Extraction, t transcript.Transcription, today time.Time, own []document.Party) *checker {
	return &checker{e: e, own: own, pages: t, today: document.DateOf(today), values: extraction.Values(e.Data),
		refused: map[string]bool{}}
}

func (c *checker) check() {
	c.confidence()
	c.schema()
	c.required()
	c.grounding()
	c.plausibility()
	c.ids()
	c.ours()
	c.number()
	lines := c.lines() // after grounding, because sums prove grounded amounts only
	c.taxes()
	c.totals(lines)
	c.due()
}

type checker struct {
	e       *extraction.Extraction
	own     []document.Party
	pages   transcript.Transcription
	today   document.Date
	values  []extraction.Value
	refused map[string]bool // fields with a reason, by path
	reasons []Reason
}

// maxReasons bounds the reasons, because people read them.
const maxReasons = 50

func (c *checker) refuse(check Check, field, format string, args ...any) {
	c.refused[field] = true
	if len(c.reasons) < maxReasons {
		c.reasons = append(c.reasons, Reason{Check: check, Field: field, Text: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) confidence() {
	for _, doubt := range c.e.Doubts {
		c.refuse(Confidence, doubt.Field, "%s", doubt.Text)
	}
	switch {
	case !c.e.Successful:
		c.refuse(Confidence, "", "the text was not recognised as a business document")
	case c.e.Confidence == extraction.Low:
		c.refuse(Confidence, "", "the model is unsure of what it read: compare number, date, parties and amounts with the page")
	}
}

// needed lists the fields a document of a type must have to need no person.
var needed = map[document.Type][]string{
	document.Invoice:           {"number", "date", "supplier.name", "total"},
	document.CreditNote:        {"number", "date", "supplier.name", "total"},
	document.PurchaseOrder:     {"number", "date"},
	document.OrderConfirmation: {"number", "date"}, // a Peppol order response may have ids instead of names
	document.DeliveryNote:      {"number", "date", "supplier.name"},
	document.GoodsReceipt:      {"number", "date"},
	document.Contract:          {"supplier.name"},
}

func (c *checker) required() {
	if c.e.Type == "" && c.refused["type"] {
		return // the title says what it is
	}
	if c.e.Type == "" {
		c.refuse(Required, "type", "the type of the document is unknown")
		return
	}
	have := map[string]bool{}
	for _, v := range c.values {
		have[v.Path] = true
	}
	if c.priced() && c.e.Data.Currency == "" {
		c.refuse(Required, "currency", "missing currency%s", c.rule("BR-5"))
	}
	for _, path := range needed[c.e.Type] {
		if !have[path] {
			c.refuse(Required, path, "the %s is missing; a document of type %s needs it",
				words(path), c.e.Type.Words())
		}
	}
}
