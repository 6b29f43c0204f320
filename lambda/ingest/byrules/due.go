package byrules

import "matchbook/lambda/document"

// due reads what was prepaid, the rounding and the amount due. Labels propose them, and
// total - prepaid + rounding = amount due chooses. An amount due that nothing explains is kept
// for the gate, so that a person sees the contradiction.
func (all sums) due(total sum, cells []cell) (prepaid, rounding, due sum) {
	const most = 8 // each is tried with each
	tail := func(list []sum) []sum { return list[max(0, len(list)-most):] }
	none := sum{amount: document.MustAmount("0")}
	all.dues, all.paid, all.rounding = tail(all.dues), tail(all.paid), tail(all.rounding)
	for _, d := range all.dues {
		if d.amount.Sign() != total.amount.Sign() || d.amount.Equal(total.amount) {
			continue // a payment out of it, or the total once more
		}
		for _, p := range append([]sum{none}, all.paid...) {
			for _, r := range append([]sum{none}, all.rounding...) {
				p.amount = p.amount.Abs()
				if total.amount.Minus(p.amount).Plus(r.amount).Equal(d.amount) {
					return p, r, d
				}
			}
		}
	}
	for _, d := range all.dues {
		if p, ok := paidBetween(cells, total, d); ok {
			return p, none, d
		}
	}
	for _, p := range all.paid {
		if rest, ok := left(cells, total, p); ok {
			p.amount = p.amount.Abs()
			return p, none, rest
		}
	}
	for _, d := range all.dues {
		if d.amount.Equal(total.amount) {
			return none, none, d
		}
	}
	for _, d := range all.dues {
		if owed().MatchString(d.label) && d.amount.Sign() > 0 && d.at > total.at {
			return sum{}, sum{}, d
		}
	}
	return sum{}, sum{}, sum{}
}

// left looks below a payment for what it leaves of the total, whatever its label.
func left(cells []cell, total, paid sum) (sum, bool) {
	const reach = 12 // cells
	rest := total.amount.Minus(paid.amount.Abs())
	for _, c := range cells[paid.at:min(len(cells), paid.at+reach)] {
		for _, m := range moneyIn(c) {
			if paid.at > total.at && rest.Sign() > 0 && m.amount.Equal(rest) && !m.amount.Equal(paid.amount.Abs()) {
				return m, true
			}
		}
	}
	return sum{}, false
}

// paidBetween looks for what was paid in the rows between the total and the amount due, by the
// amount alone.
func paidBetween(cells []cell, total, due sum) (sum, bool) {
	const reach = 100 // cells
	for at := total.at + 1; at < min(due.at, total.at+reach); at++ {
		for _, m := range moneyIn(cells[at]) {
			m.amount = m.amount.Abs()
			if m.amount.Sign() > 0 && total.amount.Minus(m.amount).Equal(due.amount) {
				return m, true
			}
		}
	}
	return sum{}, false
}
