package byrules

import (
	"matchbook/lambda/document"
)

// due reads what was prepaid, the rounding and the amount due. Labels propose them, and
// total - prepaid + rounding = amount due chooses. An amount due that nothing explains is kept
// for the gate, so that a person sees the contradiction.
func (all sums) due(total sum) (prepaid, rounding, due sum) {
	none := sum{amount: document.MustAmount("0")}
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
		if owed.MatchString(d.label) && d.amount.Sign() > 0 && d.at > total.at {
			return sum{}, sum{}, d
		}
	}
	return sum{}, sum{}, sum{}
}
