// Package threeway compares invoices line by line with their matched orders and receipts: the
// three-way match. Use Check.
//
// Quantities are cumulative. The invoices of an order count by date, then number, then id. A
// line is over-billed from the first invoice on that exceeds the order's quantity. Credited
// quantities don't count as billed. A delivery note counts as received unless it has a goods
// receipt, because then the receipt counts.
//
// Check depends only on the documents and their matches, not on the order of arrival. Sums and
// comparisons use exact decimals.
package threeway

import (
	"bytes"
	"cmp"
	"slices"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// Verdict is the outcome for a line, or for an invoice: its worst line's.
type Verdict string

// The verdicts, worst last.
const (
	Matched          Verdict = "matched"
	PriceVariance    Verdict = "price-variance"    // the price differs from the order's
	QuantityVariance Verdict = "quantity-variance" // more is billed than was received
	NotReceived      Verdict = "not-received"
	NotOrdered       Verdict = "not-ordered"
	OverBilled       Verdict = "over-billed" // more is billed than was ordered
	// Unchecked means the invoice is beyond a bound set by Check's caller.
	Unchecked Verdict = "unchecked"
)

var ranks = []Verdict{Matched, PriceVariance, QuantityVariance, NotReceived, NotOrdered, OverBilled}

func worse(a, b Verdict) Verdict {
	if slices.Index(ranks, b) > slices.Index(ranks, a) {
		return b
	}
	return a
}

// Tolerance bounds the differences to ignore. A difference must be within the share or within
// the absolute bound.
type Tolerance struct {
	PricePercent     document.Amount `json:"price_percent"`
	PriceAbsolute    document.Amount `json:"price_absolute"` // in the invoice's currency
	QuantityPercent  document.Amount `json:"quantity_percent"`
	QuantityAbsolute document.Amount `json:"quantity_absolute"` // in the line's unit
	NeedsReceipt     bool            `json:"needs_receipt"`     // false: order and invoice are enough
}

// Document is a document as Check compares it.
type Document struct {
	ID   uuid.UUID
	Type document.Type
	document.Data
}

// Invoice is the three-way match of an invoice. You must treat its texts as hostile, because
// they come from the documents.
type Invoice struct {
	ID       uuid.UUID   `json:"document"`
	Verdict  Verdict     `json:"verdict"`
	Words    string      `json:"words"`
	Lines    []Line      `json:"lines"`  // at most MaxLines; Words has the number of all
	Orders   []Order     `json:"orders"` // of the invoice
	Receipts []uuid.UUID `json:"receipts"`
}

// Line is the verdict about a line of an invoice.
type Line struct {
	Line     int             `json:"line"` // from 1
	Item     string          `json:"item"`
	Verdict  Verdict         `json:"verdict"`
	Words    []string        `json:"words,omitempty"` // a sentence for each finding
	Billed   document.Amount `json:"billed,omitzero"`
	Price    document.Amount `json:"price,omitzero"`
	Order    *uuid.UUID      `json:"order,omitempty"` // the first that has the item
	Ordered  document.Amount `json:"ordered,omitzero"`
	Before   document.Amount `json:"billed_before,omitzero"` // by earlier invoices of these orders
	Received document.Amount `json:"received,omitzero"`
}

// Order is the state of an order after all its invoices.
type Order struct {
	ID         uuid.UUID       `json:"document"`
	Amount     document.Amount `json:"amount,omitzero"` // net
	Billed     document.Amount `json:"billed,omitzero"`
	Remaining  document.Amount `json:"remaining,omitzero"` // negative: over-billed
	OverBilled bool            `json:"over_billed"`        // with this invoice
	Lines      []OrderLine     `json:"lines"`              // at most MaxLines
}

// OrderLine is the state of an article of an order.
type OrderLine struct {
	Line      int             `json:"line"` // from 1: the first about the article
	Item      string          `json:"item"`
	Ordered   document.Amount `json:"ordered,omitzero"`
	Received  document.Amount `json:"received,omitzero"`
	Billed    document.Amount `json:"billed,omitzero"`
	Remaining document.Amount `json:"remaining,omitzero"` // to be billed; absent if an invoice prints no quantity
}

// MaxLines bounds the listed lines of a document. All lines count.
const MaxLines = 200

// Check compares each invoice that is matched with an order or a receipt. matches must be all
// matches among the documents.
func Check(docs []Document, matches [][2]uuid.UUID, t Tolerance) (list []Invoice) {
	b := newBook(docs, matches, t)
	for _, d := range b.docs {
		if d.Type == document.Invoice && (len(b.with(d, document.PurchaseOrder)) > 0 || len(b.receipts(d)) > 0) {
			list = append(list, b.invoice(d))
		}
	}
	return list
}

// inOrder compares documents by date, number and id.
func inOrder(a, b *Document) int {
	return cmp.Or(cmp.Compare(a.Date.String(), b.Date.String()), cmp.Compare(a.Number, b.Number),
		bytes.Compare(a.ID[:], b.ID[:]))
}

var zero, one, hundredth = document.MustAmount("0"), document.MustAmount("1"), document.MustAmount("0.01")

type difference struct{ is, expected document.Amount }

// price reports whether a price, or an amount, is within the tolerance.
func (t Tolerance) price(d difference) bool {
	return d.is.Within(t.PriceAbsolute, d.expected) ||
		d.is.Within(d.expected.Abs().Times(t.PricePercent).Times(hundredth), d.expected)
}

// quantity reports whether is exceeds most by no more than the tolerance.
func (t Tolerance) quantity(is, most document.Amount) bool {
	over := is.Minus(most)
	return over.Sign() <= 0 || over.Minus(t.QuantityAbsolute).Sign() <= 0 ||
		over.Minus(most.Times(t.QuantityPercent).Times(hundredth)).Sign() <= 0
}

// comparePrices compares the prices of the same number of units of two lines, without a
// division. ok is false if one is missing.
func comparePrices(a, b document.Line) (d difference, ok bool) {
	if a.UnitPrice.IsZero() || b.UnitPrice.IsZero() {
		return d, false
	}
	x, y := a.UnitPrice.Abs(), b.UnitPrice.Abs()
	if forA, forB := pricedFor(a), pricedFor(b); !forA.Equal(forB) {
		x, y = x.Times(forB), y.Times(forA)
	}
	return difference{x, y}, true
}

// pricedFor is the number of units that a line's price is for.
func pricedFor(l document.Line) document.Amount {
	if l.PriceFor.Sign() <= 0 {
		return one
	}
	return l.PriceFor
}
