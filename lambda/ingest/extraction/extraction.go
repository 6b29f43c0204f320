// Package extraction defines the result of reading a file: the structured data of each
// document, and for each field its quote, its page and the reason to trust it.
package extraction

import (
	"maps"
	"slices"

	"matchbook/lambda/document"
)

// Extraction is one document as read.
type Extraction struct {
	Source     string // einvoice, rules, or the model's name
	Successful bool   // the source found a document in the text
	Confidence Confidence
	Missing    []string      // required fields the source didn't find, by path
	Type       document.Type // empty if unknown
	Pages      []int         // of the file, from 1
	Data       document.Data
	Fields     map[string]Field // by path: number, supplier.vat_id, line_items.0.amount
	Doubts     []Doubt          // what the source could not prove; each needs a person
	Dropped    []string         // fields with a quote missing in the transcription, by path; not in Data
	Refused    map[string]Field // the dropped fields as the source gave them
}

// Clone returns a copy that shares no field or row.
func (e Extraction) Clone() Extraction {
	e.Fields = maps.Clone(e.Fields)
	d := &e.Data
	d.Lines, d.Taxes, d.Charges = slices.Clone(d.Lines), slices.Clone(d.Taxes), slices.Clone(d.Charges)
	return e
}

// Doubt is a sentence about a field, for a person.
type Doubt struct{ Field, Text string }

// String returns the sentence.
func (d Doubt) String() string { return d.Text }

// Field is the origin of one value of Data.
type Field struct {
	Value string `json:"value"`           // as Data has it: ISO date, plain decimal
	Quote string `json:"quote,omitempty"` // as printed
	Page  int    `json:"page,omitempty"`  // of the file, from 1; 0: not printed
	Trust Trust  `json:"trust"`
	// Box is the place of the quote on the page as shown, in fractions of it: left, top, right,
	// bottom; zero: unknown.
	Box [4]float64 `json:"box,omitzero"`
	// Taught names the correction that taught where the value stands.
	Taught string `json:"taught,omitempty"`
}

// Trust is the reason to believe a value. If several hold, use the strongest.
type Trust string

// The reasons, the strongest first.
const (
	PrintedXML Trust = "printed-xml" // an e-invoice has it, and the page shows it
	XML        Trust = "xml"         // an e-invoice has it
	Taught     Trust = "taught"      // it stands where a person's correction taught to look
	Arithmetic Trust = "arithmetic"  // other printed amounts add up to it
	CheckDigit Trust = "check-digit" // its check digits are right
	Printed    Trust = "printed"     // a label next to it names it
	ByPlace    Trust = "by-place"    // only its place on the page names it
	OCRLayer   Trust = "ocr-layer"   // a label names it in a scan that another program read
	ModelAlone Trust = "model-alone" // only a model named it; the quote is printed
)

// Confidence is a source's opinion about its extraction. You must not use it as a reason to
// trust a value.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)
