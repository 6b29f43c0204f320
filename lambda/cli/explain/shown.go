package explain

import (
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// The words of a text report, for reports that are laid out otherwise.

// Document explains the document with this id.
func (d *Reader) Document(id uuid.UUID) (*Explanation, error) {
	doc, err := d.read(id)
	if err != nil {
		return nil, err
	}
	return d.explainOne(doc)
}

// Pair compares the documents with these ids.
func (d *Reader) Pair(a, b uuid.UUID) (*Comparison, error) {
	docs, err := d.resolve([]string{a.String(), b.String()})
	if err != nil {
		return nil, err
	}
	return d.compare(docs[0], docs[1])
}

// Called is the type and number of a document, or its id where it has no number.
func (n named) Called() string { return n.called() }

// InShort is Called, with the supplier.
func (n waitingNamed) InShort() string { return n.inShort() }

// Place is where a list goes on behind i.
func (i WaitingItem) Place() report.WaitingPlace {
	p := report.WaitingPlace{Kind: i.Kind, Value: i.Value, Since: i.Since, Document: i.Document.ID}
	if i.Other != nil {
		p.Other = i.Other.ID
	}
	return p
}

// InShort is the state and the number of attempts.
func (d *documentState) InShort() string { return d.statusInShort() }

// Fields lists the values of a document, in comparable form, as A.
func (d *documentState) Fields() []field { return fields(d.data, document.Data{}) }

// Waits describes the next event that a document or a file waits for; empty if it
// waits for none.
func (p progress) Waits() string { return p.waits() }

// Verdict describes the outcome of a pair in one sentence.
func (p pairReport) Verdict() string { return p.verdict() }

// InShort is the path of a file with the pages of the document.
func (f *file) InShort() string { return f.inShort() }

// Of names the invoice.
func (r threeWayReport) Of() string { return r.names[r.ID] }

// Sentences describes the comparison of the invoice with its orders and receipts.
func (r threeWayReport) Sentences() []string {
	return r.Invoice.Sentences(func(id uuid.UUID) string { return r.names[id] })
}

// Mark is equal or different; empty where one of the documents has no value.
func (f field) Mark() string {
	switch {
	case f.Same == nil:
		return ""
	case *f.Same:
		return "equal"
	}
	return "different"
}
