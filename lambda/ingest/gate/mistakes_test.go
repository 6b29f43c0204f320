package gate_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/testenv"
)

// mistakes make an answer wrong; false where the document has no place for it.
var mistakes = map[string]func(*rand.Rand, sample, *record) bool{
	"totals swapped": func(_ *rand.Rand, _ sample, d *record) bool {
		if d.Subtotal == nil || d.Total == nil || d.Subtotal.Value == d.Total.Value {
			return false
		}
		d.Subtotal, d.Total = d.Total, d.Subtotal
		return true
	},
	"another amount as total": func(r *rand.Rand, s sample, d *record) bool {
		return other(r, s, d, func(f *field) { d.Total = f }, d.Total)
	},
	"wrong tax rate": func(r *rand.Rand, _ sample, d *record) bool {
		for _, i := range r.Perm(len(d.Taxes)) {
			x := d.Taxes[i]
			if x["rate"] != nil && x["base"] != nil && x["amount"] != nil && x["amount"].Value != "0" {
				for _, y := range d.Taxes {
					if y["rate"] != nil && y["rate"].Value != x["rate"].Value {
						x["rate"] = y["rate"]
						return true
					}
				}
				wrong := *x["rate"]
				wrong.Value = "16"
				x["rate"] = &wrong
				return true
			}
		}
		return false
	},
	"a line left out": func(r *rand.Rand, _ sample, d *record) bool {
		if len(d.Lines) < 2 {
			return false
		}
		i := r.IntN(len(d.Lines))
		amount := d.Lines[i]["amount"]
		d.Lines = slices.Delete(d.Lines, i, i+1)
		return amount == nil || amount.Value != "0" // without an amount it is a note
	},
	"an invented quote": func(r *rand.Rand, _ sample, d *record) bool {
		f := []**field{&d.Number, &d.Date, &d.Total}[r.IntN(3)]
		if *f == nil {
			return false
		}
		wrong := **f
		wrong.Quote = "Certified: " + wrong.Quote
		*f = &wrong
		return true
	},
	"the number of something else": elsewhere,
}

// other picks another printed amount.
func other(r *rand.Rand, s sample, _ *record, set func(*field), right *field) bool {
	var all []*field
	for _, p := range s.text.Pages {
		for _, l := range p.Lines {
			for _, a := range printed.Amounts(l.Text) {
				if a.Money && right != nil && len(a.Readings) == 1 && a.Readings[0].Canonical() != right.Value {
					all = append(all, &field{a.Readings[0].Canonical(), l.Text, p.Number})
				}
			}
		}
	}
	if len(all) == 0 {
		return false
	}
	set(all[r.IntN(len(all))])
	return true
}

// elsewhere picks another number that is printed, on another page if there is
// one.
func elsewhere(r *rand.Rand, s sample, d *record) bool {
	if d.Number == nil {
		return false
	}
	var here, there []*field
	for _, p := range s.text.Pages {
		for _, l := range p.Lines {
			for _, w := range strings.Fields(l.Text) {
				w = strings.Trim(w, "().,:;")
				if len(w) < 4 || !strings.ContainsAny(w, "0123456789") || strings.Contains(d.Number.Quote, w) || w == d.Number.Value ||
					!printed.QuotesOf(s.text).On(p.Number, w) {
					continue
				}
				if p.Number == d.Number.Page {
					here = append(here, &field{w, l.Text, p.Number})
				} else {
					there = append(there, &field{w, l.Text, p.Number})
				}
			}
		}
	}
	if len(there) == 0 {
		there = here
	}
	if len(there) == 0 {
		return false
	}
	d.Number = there[r.IntN(len(there))]
	return true
}

func TestSeededMistakes(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "checks hundreds of mistakes")
	all := samples(t)
	b := newBench(t)
	right, accepted := 0, 0
	wrong, refused := map[string]int{}, map[string]int{}
	for _, s := range all {
		if s.truth.Type == "" {
			continue
		}
		truth := oracle{s}.answer()
		d := truth.Documents[0]
		if d.Number == nil || d.Date == nil || d.Total == nil || d.Currency == nil || d.Supplier.Name == nil {
			t.Logf("%s does not print a required field", s.name)
			continue
		}
		reasons, _ := b.reasons(t, s, truth)
		right++
		if len(reasons) == 0 {
			accepted++
		} else {
			t.Errorf("%s: the truth is refused: %v", s.name, reasons)
			continue
		}
		for name, make := range mistakes {
			for seed := range uint64(3) {
				a := oracle{s}.answer()
				if !make(rand.New(rand.NewPCG(seed, 14)), s, &a.Documents[0]) {
					continue
				}
				wrong[name]++
				reasons, e := b.reasons(t, s, a)
				if len(reasons) > 0 {
					refused[name]++
				} else {
					t.Logf("%s: %s (seed %d) passes: number %v, total %v", s.name, name, seed, e.Data.Number, e.Data.Total.Fixed())
				}
				if total := e.Fields["total"]; total.Trust == extraction.Arithmetic && total.Value != d.Total.Value {
					t.Errorf("%s: %s: the wrong total %s is trusted", s.name, name, total.Value)
				}
			}
		}
	}
	n, caught := 0, 0
	for name := range mistakes {
		n, caught = n+wrong[name], caught+refused[name]
		t.Logf("%s: %d of %d refused", name, refused[name], wrong[name])
	}
	t.Logf("%d of %d right extractions accepted, %d of %d wrong ones refused", accepted, right, caught, n)
	if accepted < right || 100*caught < 98*n || n < 290 {
		t.Error("want all right ones accepted, and at least 98 % of 290 wrong ones refused")
	}
}
