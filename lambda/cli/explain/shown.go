package explain

import (
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Document explains the document with this id. Use Explain for a number.
func (d *Reader) Document(id uuid.UUID) (*Explanation, error) {
	doc, err := d.read(id)
	if err != nil {
		return nil, err
	}
	return d.explainOne(doc)
}

// Pair compares the documents with these ids. Use Explain for numbers.
func (d *Reader) Pair(a, b uuid.UUID) (*Comparison, error) {
	docs, err := d.resolve([]string{a.String(), b.String()})
	if err != nil {
		return nil, err
	}
	return d.compare(docs[0], docs[1])
}

// Place returns the place after i, to continue the list.
func (i WaitingItem) Place() report.WaitingPlace {
	p := report.WaitingPlace{Kind: i.Kind, Worth: i.Worth, Since: i.Since, Document: i.Document.ID}
	if i.Other != nil {
		p.Other = i.Other.ID
	}
	return p
}

// Fields returns the values of a document in canonical form, as A of each field.
func (d *documentState) Fields() []field { return fields(d.data, document.Data{}) }

// Of returns the name of the invoice.
func (r threeWayReport) Of() string { return r.names[r.ID] }

// Sentences describes the comparison with orders and receipts.
func (r threeWayReport) Sentences() []string {
	return r.Invoice.Sentences(func(id uuid.UUID) string { return r.names[id] })
}

// Mark returns "equal" or "different"; empty if a value is missing.
func (f field) Mark() string {
	switch {
	case f.Same == nil:
		return ""
	case *f.Same:
		return "equal"
	}
	return "different"
}
