package threeway_test

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/eval/train"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
)

// TestFalseOverBilled: of 500 invoices as printed with an amount within their true orders, at
// most one is over-billed by the rules' matches; of misread or masked ones, one of 200, because
// more of them are matched with another order.
func TestFalseOverBilled(t *testing.T) {
	t.Parallel()
	conditions := map[string]int{"visible": 500}
	if testenv.Thorough() {
		conditions = map[string]int{"visible": 500, "corrupted": 200, "masked": 200}
	}
	for condition, of := range conditions {
		within, wrong := 0, 0
		for _, name := range []string{"p2p", "varied", "clerk"} {
			s := must.Get(train.ReadSample(testenv.Shared(t, "eval/matching/"+name), condition))(t)
			w, f := falseWarnings(t, s)
			t.Logf("%s, %s: %d of %d", name, condition, f, w)
			within, wrong = within+w, wrong+f
		}
		if wrong*of > within {
			t.Errorf("%s: %d of %d invoices within their orders are over-billed", condition, wrong, within)
		}
	}
}

func falseWarnings(t *testing.T, s *train.Sample) (within, wrong int) {
	t.Helper()
	var docs []threeway.Document
	byID := map[uuid.UUID]*threeway.Document{}
	for _, d := range s.Documents {
		if data, err := document.Parse(d.Data); err == nil {
			docs = append(docs, threeway.Document{ID: d.ID, Type: d.Type, Data: data})
		}
	}
	for i := range docs {
		byID[docs[i].ID] = &docs[i]
	}
	truth := truth{}
	for _, l := range s.Links {
		if a, b := byID[l.A], byID[l.B]; a != nil && b != nil {
			truth[a.ID], truth[b.ID] = append(truth[a.ID], b), append(truth[b.ID], a)
		}
	}
	var matches [][2]uuid.UUID
	for _, d := range must.Get(s.Measure(t.Context(), score.Learned))(t).Decisions {
		if d.Outcome == rules.Matched {
			matches = append(matches, [2]uuid.UUID{d.A, d.B})
		}
	}
	for _, v := range threeway.Check(docs, matches, usual(), nil) {
		if len(v.Orders) > 0 && truth.within(byID[v.ID]) {
			within++
			if slices.ContainsFunc(v.Orders, func(o threeway.Order) bool { return o.OverBilled }) {
				wrong++
			}
		}
	}
	return within, wrong
}

// truth has the true partners of each document.
type truth map[uuid.UUID][]*threeway.Document

func (l truth) with(d *threeway.Document, t document.Type) (list []*threeway.Document) {
	for _, p := range l[d.ID] {
		if p.Type == t {
			list = append(list, p)
		}
	}
	return list
}

// within reports whether the orders of an invoice have room for all their invoices up to it.
func (l truth) within(d *threeway.Document) bool {
	orders := l.with(d, document.PurchaseOrder)
	room, seen := 0.0, map[uuid.UUID]bool{}
	for _, o := range orders {
		room += amount(o) * 1.02
		for _, i := range l.with(o, document.Invoice) {
			if seen[i.ID] || cmp.Or(cmp.Compare(i.Date.String(), d.Date.String()), cmp.Compare(i.Number, d.Number), bytes.Compare(i.ID[:], d.ID[:])) > 0 {
				continue
			}
			seen[i.ID] = true
			room -= amount(i)
			for _, c := range l.with(i, document.CreditNote) {
				room += max(amount(c), -amount(c))
			}
		}
	}
	return len(orders) > 0 && room >= -0.01
}

// amount is the net amount as printed, or the lines'.
func amount(d *threeway.Document) (sum float64) {
	switch {
	case !d.Subtotal.IsZero():
		return d.Subtotal.Float()
	case !d.Total.IsZero() && !d.Tax.IsZero():
		return d.Total.Float() - d.Tax.Float()
	}
	for _, l := range d.Lines {
		sum += l.Amount.Float()
	}
	if sum == 0 {
		return d.Total.Float()
	}
	return sum
}
