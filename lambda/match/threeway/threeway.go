// Package threeway compares invoices line by line with their matched orders and receipts: the
// three-way match. Use Check.
//
// Quantities are cumulative. The invoices of an order count by date, then number, then id. A
// line is over-billed from the first invoice on that exceeds the order's quantity. Credited
// quantities don't count as billed. A delivery note counts as received unless it has a goods
// receipt, because then the receipt counts.
//
// The amount is the arbiter: nothing is over-billed while the amount billed, at the order's
// prices at most, is within the amount ordered. Quantities are compared in the order's unit: by
// the units and packs of the texts, or else by the prices of pairs with equal amounts.
//
// Check depends only on the documents, their matches, the tolerances and the conversions, not on
// the order of arrival. Sums and comparisons use exact decimals.
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

// The verdicts, worst last. The first five agree: they need no one's attention.
const (
	Matched           Verdict = "matched"
	Service           Verdict = "service"            // matched; services are not received
	PriceUnitAssumed  Verdict = "price-unit-assumed" // matched, if the price is for 10, 100 or 1000
	OrderInGross      Verdict = "order-in-gross"     // matched; one of the two prices includes VAT
	SubstituteArticle Verdict = "substitute-article" // matched; the article number is another
	DownPayment       Verdict = "down-payment"       // a part of the order's amount, in advance or by progress
	FinalInvoice      Verdict = "final-invoice"      // the line deducts a down payment
	UnplannedCharge   Verdict = "unplanned-charge"   // freight or the like, which was not ordered
	PriceVariance     Verdict = "price-variance"     // the price differs from the order's
	QuantityVariance  Verdict = "quantity-variance"  // more is billed than was received
	NotReceived       Verdict = "not-received"
	NotOrdered        Verdict = "not-ordered"
	// MaybeOverBilled means over-billed, unless an open question about the invoice is confirmed.
	MaybeOverBilled Verdict = "maybe-over-billed"
	OverBilled      Verdict = "over-billed" // more is billed than was ordered
	// Unchecked means the invoice is beyond a bound set by Check's caller.
	Unchecked Verdict = "unchecked"
	// WithoutOrder means nothing was compared, because the invoice is matched with no order and no
	// receipt. Check leaves such invoices to its caller.
	WithoutOrder Verdict = "without-order"
)

var ranks = []Verdict{Matched, Service, PriceUnitAssumed, OrderInGross, SubstituteArticle, DownPayment, FinalInvoice,
	UnplannedCharge, PriceVariance, QuantityVariance, NotReceived, NotOrdered, MaybeOverBilled, OverBilled}

func worse(a, b Verdict) Verdict {
	if slices.Index(ranks, b) > slices.Index(ranks, a) {
		return b
	}
	return a
}

// Agrees reports whether nothing differs from what was ordered and received.
func (v Verdict) Agrees() bool {
	at := slices.Index(ranks, v)
	return at >= 0 && at < slices.Index(ranks, DownPayment)
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
	ID        uuid.UUID   `json:"document"`
	Verdict   Verdict     `json:"verdict"`
	Words     string      `json:"words"`
	Lines     []Line      `json:"lines"`  // at most MaxLines; Words has the number of all
	Orders    []Order     `json:"orders"` // of the invoice
	Receipts  []uuid.UUID `json:"receipts"`
	Tolerance Tolerance   `json:"-"` // that applied
	// Learned are the invoice's statements about units, and Unsure the articles with units that
	// other documents may explain. Store both for other invoices.
	Learned []Conversion `json:"-"`
	Unsure  []string     `json:"-"`
}

// Line is the verdict about a line of an invoice.
type Line struct {
	Line     int             `json:"line"` // from 1
	Item     string          `json:"item"`
	Verdict  Verdict         `json:"verdict"`
	Words    []string        `json:"words,omitempty"` // a sentence for each finding
	Billed   document.Amount `json:"billed,omitzero"` // as printed
	Price    document.Amount `json:"price,omitzero"`
	Order    *uuid.UUID      `json:"order,omitempty"`  // the first that has the item
	Counted  document.Amount `json:"counted,omitzero"` // Billed in the order's unit, as are the following
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
// matches among the documents; known are conversions learned from other documents.
func Check(docs []Document, matches [][2]uuid.UUID, t Tolerances, known []Conversion) (list []Invoice) {
	b := newBook(docs, matches, t, known)
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
