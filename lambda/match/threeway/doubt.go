package threeway

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// OverBills reports whether an order is over-billed with the invoice.
func (v *Invoice) OverBills() bool {
	return slices.ContainsFunc(v.Orders, func(o Order) bool { return o.OverBilled })
}

// Doubt takes the verdict over-billed from the invoices of Check that open questions explain:
// confirmed, another order takes what is too much, or a credit note takes it back. Over-billed
// stays what is too much whatever the answers. Questions about one cluster count together, so
// that one order explains one of two equal invoices.
//
// docs and matches are Check's, and docs has the other documents of the questions as well. Leave
// out questions about orders and credit notes that have an invoice, because their answer is
// hardly ever yes. open names the invoice first.
func Doubt(list []Invoice, docs []Document, matches, open [][2]uuid.UUID, t Tolerances, known []Conversion) {
	byID := make(map[uuid.UUID]*Document, len(docs))
	for i := range docs {
		byID[docs[i].ID] = &docs[i]
	}
	asked := map[uuid.UUID][]*Document{}
	for _, q := range open {
		if invoice, other := byID[q[0]], byID[q[1]]; invoice != nil && other != nil && mayTake(invoice, other) {
			asked[q[0]] = append(asked[q[0]], other)
		}
	}
	of, clusters := clustersOf(docs, matches), map[int][]*Invoice{}
	for i := range list {
		if v := &list[i]; len(asked[v.ID]) > 0 && v.OverBills() {
			clusters[of[v.ID]] = append(clusters[of[v.ID]], v)
		}
	}
	for at, over := range clusters {
		within, with := map[uuid.UUID]bool{}, slices.Clone(matches)
		for _, v := range over {
			for _, other := range asked[v.ID] {
				within[other.ID], with = true, append(with, [2]uuid.UUID{v.ID, other.ID})
			}
		}
		var all []Document
		for _, d := range docs {
			if of[d.ID] == at || within[d.ID] {
				all = append(all, d)
			}
		}
		b := newBook(all, with, t, known)
		for _, v := range over {
			if !b.overBills(v.ID) {
				v.doubt(asked[v.ID])
			}
		}
	}
}

// mayTake reports whether an order or a credit note has an article of the invoice, or lacks lines.
func mayTake(invoice, other *Document) bool {
	return len(invoice.Lines) == 0 || len(other.Lines) == 0 || len(score.AlignLines(other.Lines, invoice.Lines)) > 0
}

// clustersOf numbers the documents' clusters. Contracts connect nothing.
func clustersOf(docs []Document, matches [][2]uuid.UUID) map[uuid.UUID]int {
	of, partners := make(map[uuid.UUID]int, len(docs)), map[uuid.UUID][]uuid.UUID{}
	for _, m := range matches {
		partners[m[0]], partners[m[1]] = append(partners[m[0]], m[1]), append(partners[m[1]], m[0])
	}
	for i, d := range docs {
		if d.Type == document.Contract {
			of[d.ID] = i + 1
		}
	}
	for i, d := range docs {
		for next := []uuid.UUID{d.ID}; len(next) > 0; next = next[1:] {
			if of[next[0]] == 0 {
				of[next[0]] = i + 1
				next = append(next, partners[next[0]]...)
			}
		}
	}
	return of
}

// overBills reports whether some order is over-billed with an invoice.
func (b *book) overBills(invoice uuid.UUID) bool {
	for _, s := range b.sums {
		if s.over[invoice] {
			return true
		}
	}
	return false
}

func (v *Invoice) doubt(asked []*Document) {
	for i := range v.Orders {
		v.Orders[i].OverBilled = false
	}
	for i := range v.Lines {
		if l := &v.Lines[i]; l.Verdict == OverBilled {
			l.Verdict = MaybeOverBilled
		}
	}
	v.Verdict = MaybeOverBilled
	var names []string
	for _, d := range asked {
		names = append(names, fmt.Sprintf("the %s %.*s", d.Type.Words(), maxItem, d.Number))
	}
	slices.Sort(names)
	v.Words += fmt.Sprintf(" More is billed than ordered, unless the invoice belongs to %s: that question is open.",
		strings.Join(names, " or "))
}
