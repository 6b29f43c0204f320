package score

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// plainShares are the usual shares of an order paid before or after the goods, or held back.
var plainShares = []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 1. / 3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 2. / 3,
	0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99}

// instalment returns the share of an order's amount charged by an invoice: a down payment, an
// instalment, a rest, or the whole less a retention or a discount. Otherwise it
// returns 0. An invoice for other quantities of the goods is for a part of the goods, so it isn't
// an instalment.
func instalment(order, invoice *Document, c comparison) (share float64, kind Kind) {
	if order.Type != document.PurchaseOrder || invoice.Type != document.Invoice || c.equal < len(c.lines) ||
		len(c.lines) == 0 && len(invoice.items) > 0 && !singleSum(invoice) {
		return 0, kind
	}
	for _, s := range invoice.shares {
		if isShare(order.amounts, invoice.amounts, s, true) {
			return s, evInstalment
		}
	}
	for _, s := range plainShares {
		if isShare(order.amounts, invoice.amounts, s, false) {
			return s, evShare
		}
	}
	return 0, kind
}

// isShare reports whether one amount is this share of the other, to the cent. If the share is
// printed, a tax may be added.
func isShare(whole, part []float64, share float64, printed bool) bool {
	for _, x := range whole {
		for _, y := range part {
			fits := math.Abs(x*share-y) < cents || printed && taxBetween([]float64{x * share}, []float64{y}) > 0
			if fits && y > smallAmount && (printed || !round(x) || !round(y)) {
				return true
			}
		}
	}
	return false
}

// singleSum reports whether a document charges one sum of money in words, not counted goods.
func singleSum(d *Document) bool {
	return len(d.items) == 1 && d.items[0].sku == "" && d.items[0].quantity.printed <= 1
}

var percentage = lazy.Regexp(`(\d{1,2}(?:[.,]\d{1,2})?) ?[%％]`)

const maxShares = 6

// printedShares lists the percentages in the texts of a document, and the rest of each: 5 %
// held back leave 95 %.
func printedShares(d document.Data) (shares []float64) {
	texts := []string{d.Notes[:min(len(d.Notes), maxText)]}
	for _, l := range d.Lines[:min(len(d.Lines), 20)] {
		texts = append(texts, l.Description[:min(len(l.Description), maxText)])
	}
	for _, text := range texts {
		if !strings.ContainsAny(text, "%％") {
			continue
		}
		for _, found := range percentage().FindAllStringSubmatch(text, maxShares) {
			n, err := strconv.ParseFloat(strings.Replace(found[1], ",", ".", 1), 64)
			if s := n / 100; err == nil && s > 0 && len(shares) < 2*maxShares && !slices.Contains(shares, s) {
				shares = append(shares, s, 1-s)
			}
		}
	}
	return shares
}
