package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// threeWayReport is the three-way match of an invoice. All texts are clean.
type threeWayReport struct {
	report.ThreeWay
	names map[uuid.UUID]string
}

// threeWays reads the three-way match of an invoice, or of all invoices of an order.
func (d *Reader) threeWays(doc *documentState, pairs []pairReport) (list []threeWayReport, err error) {
	ids := []uuid.UUID{doc.ID}
	for _, p := range pairs {
		if doc.Type == document.PurchaseOrder && p.Outcome == isMatched && p.Document.Type == document.Invoice {
			ids = append(ids, p.Document.ID)
		}
	}
	stored, err := d.reports.ThreeWays(d.ctx, ids)
	if err != nil {
		return nil, err
	}
	list = []threeWayReport{}
	for _, w := range stored {
		named := []uuid.UUID{w.ID}
		for _, o := range w.Orders {
			named = append(named, o.ID)
		}
		names, err := d.names(named)
		if err != nil {
			return nil, err
		}
		r := threeWayReport{w, map[uuid.UUID]string{}}
		for _, n := range names {
			r.names[n.ID] = n.Called()
		}
		r.clean()
		list = append(list, r)
	}
	return list, nil
}

// StateInShort describes what people made of the invoice; empty if nobody has acted.
func (r *threeWayReport) StateInShort() string {
	if r.Settled == nil || r.State == threeway.Open {
		return ""
	}
	words := strings.ReplaceAll(string(r.State), "-", " ")
	if r.Settled.By != "" {
		words += " by " + r.Settled.By
	}
	return fmt.Sprintf("%s%s on %s: %s", strings.ToUpper(words[:1]), words[1:], r.Settled.At.UTC().Format(time.DateOnly), r.Settled.Reason)
}

func (r *threeWayReport) clean() {
	if s := r.Settled; s != nil {
		s.By, s.Reason = term.Clean(s.By, term.MaxValue), term.Clean(s.Reason, term.MaxText)
	}
	r.Words = term.Clean(r.Words, term.MaxText)
	for i := range r.Lines {
		r.Lines[i].Item = term.Clean(r.Lines[i].Item, term.MaxValue)
		for j, words := range r.Lines[i].Words {
			r.Lines[i].Words[j] = term.Clean(words, term.MaxText)
		}
	}
	for i := range r.Orders {
		lines := r.Orders[i].Lines
		for j := range lines {
			lines[j].Item = term.Clean(lines[j].Item, term.MaxValue)
		}
	}
}

func (p *page) threeWays(e *Explanation) {
	told := slices.DeleteFunc(slices.Clone(e.ThreeWay), func(w threeWayReport) bool {
		return w.Verdict == threeway.WithoutOrder && w.StateInShort() == "" // the page says that it matches nothing
	})
	if len(told) > 0 {
		p.Line("\nTHREE-WAY MATCH")
	}
	for i, w := range told {
		if w.ID != e.Document.ID {
			p.Line("  %s  %s", term.Pad(term.Cut(w.names[w.ID], 60), 60), w.ID)
		}
		v := w.Invoice
		if i > 0 { // the same order again
			v.Orders = []threeway.Order{}
		}
		for _, s := range v.Sentences(func(id uuid.UUID) string { return w.names[id] }) {
			p.Hang("  ", s)
		}
		if words := w.StateInShort(); words != "" {
			p.Hang("  ", words)
		}
		if more := len(e.ThreeWay) - maxPairs; i == maxPairs-1 && more > 0 {
			p.Line("  ... and %s more (--json lists them all)", plural.Of(more, "invoice"))
			return
		}
	}
}
