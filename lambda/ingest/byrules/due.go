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
		if d.amount.Sign() != total.amount.Sign() {
			continue // a payment out of it
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
	for _, d := range all.dues {
		if owed.MatchString(d.label) && d.amount.Sign() > 0 && d.at > total.at {
			return sum{}, sum{}, d
		}
	}
	return sum{}, sum{}, sum{}
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
