package threeway

import "matchbook/lambda/document"

var zero, one, hundredth = amount("0"), amount("1"), amount("0.01")

func amount(s string) document.Amount {
	a, _ := document.ParseAmount(s)
	return a
}

// difference is a value beside the one that was expected.
type difference struct{ is, expected document.Amount }

// price reports whether a price, or an amount, is within the tolerance.
func (t Tolerance) price(d difference) bool {
	return d.is.Within(t.PriceAbsolute, d.expected) ||
		d.is.Within(absolute(d.expected).Times(t.PricePercent).Times(hundredth), d.expected)
}

// quantity reports whether a quantity exceeds another by no more than the tolerance.
func (t Tolerance) quantity(is, most document.Amount) bool {
	over := is.Minus(most)
	return over.Sign() <= 0 || over.Minus(t.QuantityAbsolute).Sign() <= 0 ||
		over.Minus(most.Times(t.QuantityPercent).Times(hundredth)).Sign() <= 0
}

// comparePrices compares the prices of the same number of units of two lines,
// without a division; ok is false where one states none.
func comparePrices(a, b document.Line) (d difference, ok bool) {
	if a.UnitPrice.IsZero() || b.UnitPrice.IsZero() {
		return d, false
	}
	x, y := absolute(a.UnitPrice), absolute(b.UnitPrice)
	if forA, forB := pricedFor(a), pricedFor(b); !forA.Equal(forB) {
		x, y = x.Times(forB), y.Times(forA)
	}
	return difference{x, y}, true
}

// pricedFor is the number of units that the price of a line is for.
func pricedFor(l document.Line) document.Amount {
	if l.PriceFor.Sign() <= 0 {
		return one
	}
	return l.PriceFor
}
