package score

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
)

// Relative differences of amounts: up to sameAmount they come from rounding a tax, up to
// nearAmount from freight, rebates and changed prices.
const (
	sameAmount = 0.00002
	nearAmount = 0.03
)

// Factors from which an amount exceeds another. Use exceedsWithTax if one document may state
// its amount only with tax and the other only without.
const (
	exceeds        = 1.1
	exceedsWithTax = 1.35
)

// compareAmounts looks for a common amount, net or gross, or two that differ by a rate of tax.
func compareAmounts(first, second *Document) []Evidence {
	if len(first.amounts) == 0 || len(second.amounts) == 0 {
		return nil
	}
	closest := 1.0
	var value float64
	for _, x := range first.amounts {
		for _, y := range second.amounts {
			if d := (max(x, y) - min(x, y)) / max(x, y); d < closest {
				closest, value = d, x
			}
		}
	}
	if closest < sameAmount {
		kind := evAmount
		if round(value) {
			kind = evAmountRound
		}
		return kind.Because("Both state the amount %.2f.", value)
	}
	if !priced(first) || !priced(second) {
		if rate := taxBetween(first.amounts, second.amounts); rate > 0 {
			return evAmountTax.Because("The amounts differ by %s %%, as by a tax.", percent(rate))
		}
	}
	factor := exceeds
	if min(len(first.amounts), len(second.amounts)) == 1 {
		factor = exceedsWithTax
	}
	switch {
	case closest < nearAmount:
		return evAmountNear.Because("The amounts differ by %.1f %%.", closest*100)
	case first.supplier.isZero() && second.supplier.isZero():
		return evAmountOther.Because("The amounts differ, and neither names its supplier.")
	case first.Type != document.GoodsReceipt && slices.Min(second.amounts) > slices.Max(first.amounts)*factor:
		return evAmountExceeds.Because("The %s states a higher amount than the %s.", second.Type.Words(), first.Type.Words())
	}
	return nil
}

// priced reports whether the lines of a document have amounts, because then it states its net
// amount one way or the other.
func priced(d *Document) bool {
	return slices.ContainsFunc(d.items, func(it item) bool { return it.amount != 0 })
}

// round reports whether an amount has at most two digits before its zeros: 1200.00 is round,
// 1184.37 is not.
func round(amount float64) bool {
	text := strconv.FormatFloat(amount, 'f', 2, 64)
	return len(strings.Trim(strings.ReplaceAll(text, ".", ""), "0")) <= 2
}

func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*10000)/100, 'f', -1, 64)
}

// cents is the error of an amount computed from another and rounded.
const cents = 0.015

// Rates of tax are multiples of half a per cent, in this range.
const (
	taxStep   = 0.005
	lowestTax = 0.04
	mostTax   = 0.27
)

// taxBetween returns the rate of tax by which two amounts differ, or 0. One of the documents
// must state a single amount, since otherwise both have net and gross. Pairs of round amounts
// don't count, because they often differ by round rates.
func taxBetween(a, b []float64) float64 {
	if len(a) > 1 && len(b) > 1 {
		return 0
	}
	for _, x := range a {
		for _, y := range b {
			net, gross := min(x, y), max(x, y)
			rate := math.Round((gross/net-1)/taxStep) * taxStep
			if rate >= lowestTax && rate <= mostTax && math.Abs(net*(1+rate)-gross) < cents && net > smallAmount &&
				!(round(net) && round(gross)) {
				return rate
			}
		}
	}
	return 0
}

// smallAmount is the amount up to which many rates and shares fit by rounding alone.
const smallAmount = 20
