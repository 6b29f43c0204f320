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

// TestFalseOverBilled: of 500 invoices with an amount within their true orders, at most one is
// over-billed by the rules' matches and questions, as printed, misread and masked; and of ten
// invoices over-billed by the matches alone that exceed their true orders, nine stay.
func TestFalseOverBilled(t *testing.T) {
	t.Parallel()
	conditions := []string{"visible"}
	if testenv.Thorough() {
		conditions = []string{"visible", "corrupted", "masked"}
	}
	exceeding, kept := 0, 0
	for _, condition := range conditions {
		var sum warnings
		for _, name := range []string{"p2p", "varied", "clerk"} {
			s := must.Get(train.ReadSample(testenv.Shared(t, "eval/matching/"+name), condition))(t)
			w := warningsOf(t, s)
			t.Logf("%s, %s: %+v", name, condition, w)
			sum.within, sum.wrong = sum.within+w.within, sum.wrong+w.wrong
			exceeding, kept = exceeding+w.exceeding, kept+w.kept
		}
		if sum.wrong*500 > sum.within {
			t.Errorf("%s: %d of %d invoices within their orders are over-billed", condition, sum.wrong, sum.within)
		}
	}
	if kept*10 < exceeding*9 {
		t.Errorf("%d of %d invoices that exceed their orders stay over-billed", kept, exceeding)
	}
}

// warnings counts invoices within their true orders and those over-billed of them, and invoices that
// exceed them and are over-billed by the matches alone, and with the questions as well.
type warnings struct{ within, wrong, exceeding, kept int }

func warningsOf(t *testing.T, s *train.Sample) (n warnings) {
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
	var matches, questions [][2]uuid.UUID
	billed := map[uuid.UUID]bool{}
	for _, d := range must.Get(s.Measure(t.Context(), score.Learned))(t).Decisions {
		a, b := byID[d.A], byID[d.B]
		if a == nil || b == nil {
			continue
		}
		if b.Type == document.Invoice {
			a, b = b, a
		}
		switch {
		case d.Outcome == rules.Matched:
			matches = append(matches, [2]uuid.UUID{a.ID, b.ID})
			billed[b.ID] = billed[b.ID] || a.Type == document.Invoice
		case d.Undecided && a.Type == document.Invoice && (b.Type == document.PurchaseOrder || b.Type == document.CreditNote):
			questions = append(questions, [2]uuid.UUID{a.ID, b.ID})
		}
	}
	questions = slices.DeleteFunc(questions, func(q [2]uuid.UUID) bool { return billed[q[1]] })
	list := threeway.Check(docs, matches, usual(), nil)
	over := map[uuid.UUID]bool{}
	for i := range list {
		over[list[i].ID] = list[i].OverBills()
	}
	threeway.Doubt(list, docs, matches, questions, usual(), nil)
	for i := range list {
		v := &list[i]
		switch within := truth.within(byID[v.ID]); {
		case len(v.Orders) == 0:
		case within && v.OverBills():
			n.within, n.wrong = n.within+1, n.wrong+1
		case within:
			n.within++
		case over[v.ID] && v.OverBills():
			n.exceeding, n.kept = n.exceeding+1, n.kept+1
		case over[v.ID]:
			n.exceeding++
		}
	}
	return n
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
