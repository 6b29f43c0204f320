package byrules

import (
	"cmp"
	"slices"

	"matchbook/lambda/document"
)

// totals are sums of a document that fit together.
type totals struct {
	subtotal, tax, total sum
	byRate               []sum    // taxes adding up to an unprinted tax
	whole                bool     // the total is the sum of several tax rates
	proved               bool     // subtotal + tax = total, all printed
	items                []item   // the lines, fitting if fits
	charges              []charge // with the lines they are the subtotal
	fits                 bool
	others               []document.Amount // totals of equally good blocks
}

// span is the number of cells between the first and the last sum of a block.
func (x totals) span() int {
	first, last := x.total.at, x.total.at
	for _, s := range []sum{x.subtotal, x.tax} {
		if !s.amount.IsZero() {
			first, last = min(first, s.at), max(last, s.at)
		}
	}
	return last - first
}

// settle chooses the sums. A block of subtotal, tax and total that add up comes before a label
// alone. Of several blocks, the one with the lines' sum is the document's; then labels decide,
// and never the size: a statement below the invoice shows greater sums. Blocks that nothing
// tells apart are kept as others.
func (all sums) settle(t table) totals {
	all.subtotals, all.taxes, all.totals, all.dues = last(all.subtotals), last(all.taxes), last(all.totals), last(all.dues)
	found := all.blocks(t)
	slices.SortStableFunc(found, better)
	found = distinct(found)
	for i := range found {
		found[i].items, found[i].charges, found[i].fits = t.fit(found[i])
	}
	slices.SortStableFunc(found, better)
	if len(found) == 0 {
		return all.labelled(t)
	}
	best := found[0]
	for _, x := range found[1:] {
		same := func(o document.Amount) bool { return o.Equal(x.total.amount) }
		if x.proved && x.rank() == best.rank() && !same(best.total.amount) && !slices.ContainsFunc(best.others, same) {
			best.others = append(best.others, x.total.amount)
		}
	}
	whole := amountOfBlocks(found)
	printed := func(s sum) bool { return s.amount.Equal(whole) }
	if !printed(best.total) && slices.ContainsFunc(all.totals, printed) {
		best.others = append(best.others, whole)
	}
	return best.sumOfOthers(found)
}

// amountOfBlocks returns what the proved totals add up to: a paper with a block of lines and sums for each tax rate
// prints it below them, and then no block is the document's.
func amountOfBlocks(found []totals) (whole document.Amount) {
	for _, x := range found {
		if x.proved {
			whole = whole.Plus(x.total.amount)
		}
	}
	return whole
}

// better orders blocks by rank, then by their span.
func better(a, b totals) int { return cmp.Or(b.rank()-a.rank(), cmp.Compare(a.span(), b.span())) }

// distinct keeps the first blocks with the same sums, and bounds them, because each is compared
// with all lines.
func distinct(blocks []totals) (found []totals) {
	const most = 20
	seen := map[string]bool{}
	for _, x := range blocks {
		key := x.subtotal.amount.Canonical() + " " + x.total.amount.Canonical()
		if !seen[key] && len(found) < most {
			found, seen[key] = append(found, x), true
		}
	}
	return found
}

// rank orders blocks by what proves them, then by their label.
func (x totals) rank() int {
	rank := int(x.total.score)
	if x.whole {
		rank += 20 // a rate's own total may fit, too
	}
	if x.proved {
		rank += 10
		if x.fits {
			rank += 10
		}
	}
	return rank
}

// sumOfOthers replaces the best block by the one that adds up all the others, such as the sum
// of blocks by tax rate.
func (x totals) sumOfOthers(found []totals) totals {
	if len(x.others) == 0 {
		return x
	}
	all := x.total.amount
	for _, o := range x.others {
		all = all.Plus(o)
	}
	for _, y := range found {
		if y.proved && y.total.amount.Plus(y.total.amount).Equal(all) {
			return y
		}
	}
	return x
}

// labelled returns the best labelled total alone. Of equally good labels the lines decide, then the greatest
// amount, but a tax in a greater amount comes before lines that add up to the net.
func (all sums) labelled(t table) (best totals) {
	candidates := all.totals
	if len(candidates) == 0 {
		candidates = all.dues
	}
	for _, s := range candidates {
		x := totals{total: s}.included(all.taxes)
		x.items, x.charges, x.fits = t.fit(x)
		order := cmp.Or(cmp.Compare(int(s.score), int(best.total.score)), bit(x.exceeds(best))-bit(best.exceeds(x)),
			bit(x.fits)-bit(best.fits), cmp.Compare(s.amount.Abs().Float(), best.total.amount.Abs().Float()))
		if order > 0 {
			best = x
		}
	}
	if len(candidates) == 0 {
		best.items = t.goods().items
	}
	return best
}

// exceeds reports whether x is proved and greater: y may be its net.
func (x totals) exceeds(y totals) bool {
	return x.proved && x.total.amount.Abs().Minus(y.total.amount.Abs()).Sign() > 0
}

// included proves a total by a printed tax that is in it, by its rate.
func (x totals) included(taxes []sum) totals {
	for _, t := range taxes {
		if t.rate == nil || t.base != nil || t.amount.Sign() == 0 {
			continue
		}
		whole := t.rate.amount.Plus(hundred)
		if x.total.amount.Times(t.rate.amount).Within(half.Times(hundredth).Times(whole), t.amount.Times(whole)) {
			x.tax, x.proved = t, true
		}
	}
	return x
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// blocks lists the totals that a subtotal and a tax prove, each amount once.
func (all sums) blocks(t table) (found []totals) {
	candidates := all.totals
	for _, d := range all.dues {
		d.score = min(d.score, 1)
		candidates = append(candidates, d)
	}
	for _, total := range candidates {
		x, ok := all.prove(total)
		if whole, proved := all.byRates(total); proved && !ok {
			x, ok = whole, true
		} else if proved {
			x.whole = true
		}
		if made, proved := all.made(total, t); proved && !x.proved {
			x, ok = made, true
		}
		if !ok {
			x, ok = all.charged(total, t)
		}
		if ok {
			found = append(found, x)
		}
	}
	if len(found) == 0 {
		found = all.unlabelled(t.cells)
	}
	return found
}

// byRates proves a total by the bases and the taxes of several rates.
func (all sums) byRates(total sum) (totals, bool) {
	bases, taxes, rates := document.Amount{}, document.Amount{}, []sum(nil)
	for _, x := range all.taxes {
		known := func(y sum) bool { return y.rate.amount.Equal(x.rate.amount) }
		if x.rate == nil || x.base == nil || slices.ContainsFunc(rates, known) {
			continue
		}
		rates, bases, taxes = append(rates, x), bases.Plus(x.base.amount), taxes.Plus(x.amount)
	}
	if len(rates) < 2 || !bases.Plus(taxes).Equal(total.amount) {
		return totals{}, false
	}
	net := sum{amount: bases, at: total.at}
	for _, s := range all.subtotals {
		if s.amount.Equal(bases) {
			net = s
		}
	}
	return totals{subtotal: net, total: total, byRate: rates, proved: true, whole: true}, true
}

// taxes reports whether x may be the tax on s: no rate in Europe is above 27 %.
func (x sum) taxes(s sum) bool {
	return x.amount.Sign() != 0 && x.amount.Sign() == s.amount.Sign() && x.amount.Abs().Minus(s.amount.Abs().Times(half)).Sign() < 0
}

var half, one, hundred = document.MustAmount("0.5"), document.MustAmount("1"), document.MustAmount("100")

// taxed lists the sums with a total's label that are a net, because they are the base printed with a tax.
func (all sums) taxed() (found []sum) {
	for _, s := range all.totals {
		if slices.ContainsFunc(all.taxes, func(x sum) bool { return x.base != nil && x.base.at > s.at && x.base.amount.Equal(s.amount) }) {
			found = append(found, s)
		}
	}
	return found
}

// prove looks for the nearest subtotal and tax that add up to a total.
func (all sums) prove(t sum) (best totals, ok bool) {
	use := func(x totals) {
		if !ok || x.span() < best.span() {
			best, ok = x, true
		}
	}
	for _, s := range append(slices.Clone(all.subtotals), all.taxed()...) {
		for _, x := range all.taxes {
			if x.taxes(s) && s.amount.Plus(x.amount).Equal(t.amount) {
				use(totals{subtotal: s, tax: x, total: t, byRate: all.rates(x.amount), proved: true})
			}
		}
	}
	if !ok {
		all.rounded(t, use)
	}
	if ok {
		return best, ok
	}
	for _, s := range all.subtotals {
		if rest := t.amount.Minus(s.amount); rest.Sign() != 0 {
			if byRate := all.rates(rest); len(byRate) > 1 {
				return totals{subtotal: s, total: t, byRate: byRate, proved: true}, true
			}
		}
	}
	for _, s := range all.subtotals {
		if s.amount.Equal(t.amount) {
			use(totals{subtotal: s, total: t}.withoutTax(all.taxes))
		}
	}
	return best, ok
}

// rounded uses a subtotal, a tax and a printed rounding below 1 that add up to a total, if their sum before
// it isn't one.
func (all sums) rounded(t sum, use func(totals)) {
	const most = 4 // each is tried with each
	for _, r := range all.rounding[max(0, len(all.rounding)-most):] {
		for _, s := range all.subtotals {
			for _, x := range all.taxes {
				whole := s.amount.Plus(x.amount)
				before := func(o sum) bool { return o.amount.Equal(whole) }
				if r.amount.Abs().Minus(one).Sign() < 0 && x.taxes(s) && whole.Plus(r.amount).Equal(t.amount) &&
					!slices.ContainsFunc(all.totals, before) {
					use(totals{subtotal: s, tax: x, total: t, byRate: all.rates(x.amount), proved: true})
				}
			}
		}
	}
}

// withoutTax adds a printed tax of 0, which proves the total.
func (x totals) withoutTax(taxes []sum) totals {
	for _, t := range taxes {
		if t.amount.Sign() == 0 {
			x.tax, x.proved = t, true
		}
	}
	return x
}

// made proves a total by the sum of the lines, printed below them under whatever label, a tax, and a printed rounding.
func (all sums) made(total sum, t table) (totals, bool) {
	if t.ended < 2 {
		return totals{}, false // the sum of one line is its amount once more
	}
	end := t.items[t.ended-1].end
	net, ok := t.printed(amountOf(t.items[:t.ended]), end, end+reach)
	for _, x := range all.taxes {
		rest := total.amount.Minus(net.amount).Minus(x.amount)
		if !ok || x.at <= end || !x.taxes(net) || rest.Abs().Minus(one).Sign() >= 0 {
			continue
		}
		if _, rounded := t.printed(rest, end, total.at); rounded || rest.Sign() == 0 {
			return totals{subtotal: net, tax: x, total: total, byRate: all.rates(x.amount), proved: true}, true
		}
	}
	return totals{}, false
}

// printed returns an amount that stands between two cells.
func (t table) printed(amount document.Amount, from, to int) (sum, bool) {
	for i := from + 1; i < min(to, len(t.cells)); i++ {
		for _, m := range moneyIn(t.cells[i]) {
			if m.amount.Equal(amount) {
				return m, true
			}
		}
	}
	return sum{}, false
}

// charged proves a total by lines, charges below their sum, and a tax. Its subtotal is not
// printed.
func (all sums) charged(total sum, t table) (totals, bool) {
	const most = 4 // each is tried with each, and with all subsets of the charges
	nets := all.subtotals[max(0, len(all.subtotals)-most):]
	taxes := all.taxes[max(0, len(all.taxes)-most):]
	if t = t.goods(); t.ended > 0 {
		n := t.ended
		nets = append(slices.Clone(nets), sum{amount: amountOf(t.items[:n]), at: t.items[n-1].end})
	}
	for _, s := range nets {
		for _, x := range taxes {
			rest := total.amount.Minus(s.amount).Minus(x.amount)
			if s.at > total.at || !x.taxes(s) {
				continue
			}
			if charges := t.charges(s.at, total.at, rest, false); charges != nil {
				return totals{subtotal: sum{amount: s.amount.Plus(rest)}, tax: x, total: total, proved: true}, true
			}
		}
	}
	return totals{}, false
}

// unlabelled proves a total without a known label: right below a subtotal and a tax, it is
// their sum.
func (all sums) unlabelled(cells []cell) (found []totals) {
	const below = 12 // cells
	for _, s := range all.subtotals {
		for _, x := range all.taxes {
			whole := s.amount.Plus(x.amount)
			if !x.taxes(s) || x.score < 1 || x.at < s.at || x.at-s.at > 2*below {
				continue
			}
			for _, c := range cells[x.at:min(len(cells), x.at+below)] {
				for _, m := range moneyIn(c) {
					if m.amount.Equal(whole) {
						found = append(found, totals{subtotal: s, tax: x, total: m, byRate: all.rates(x.amount), proved: true})
					}
				}
			}
		}
	}
	return found
}
