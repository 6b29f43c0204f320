// Package extraction defines the result of reading a file: the structured data
// of each of its documents, and for each field the quote, the page and the
// reason why it is trusted.
package extraction

import "matchbook/lambda/document"

// Extraction is one document as it was read.
type Extraction struct {
	Source     string // einvoice, rules, or the model's name
	Successful bool   // the source found a document in the text
	Confidence Confidence
	Missing    []string      // required fields that the source did not find, by path
	Type       document.Type // empty: unknown
	Pages      []int         // of the file, from 1
	Data       document.Data
	Fields     map[string]Field // by path: number, supplier.vat_id, line_items.0.amount
	Dropped    []string         // fields whose quote is not in the transcription, by path; they are not in Data
}

// Field is the origin of one value of Data.
type Field struct {
	Value string `json:"value"`           // in the form that Data has: ISO date, plain decimal
	Quote string `json:"quote,omitempty"` // as printed
	Page  int    `json:"page,omitempty"`  // of the file, from 1; 0: not printed
	Trust Trust  `json:"trust"`
}

// Trust is the reason why a value is believed, the strongest one that holds.
type Trust string

// The reasons, the strongest first.
const (
	PrintedXML Trust = "printed-xml" // an e-invoice has it, and the page shows it
	XML        Trust = "xml"         // an e-invoice has it
	Arithmetic Trust = "arithmetic"  // other printed amounts add up to it
	CheckDigit Trust = "check-digit" // its check digits are right
	Printed    Trust = "printed"     // a label beside it names it
	ModelAlone Trust = "model-alone" // only a model named it; the quote is printed
)

// Confidence is a source's opinion of its own extraction. It is never a reason to
// trust a value.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)
