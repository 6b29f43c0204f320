package threeway

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/match/score"
)

// Tolerance bounds the differences to ignore. A difference must be within the share or within
// the absolute bound.
type Tolerance struct {
	PricePercent     document.Amount `json:"price_percent"`
	PriceAbsolute    document.Amount `json:"price_absolute"`    // in the invoice's currency
	QuantityPercent  document.Amount `json:"quantity_percent"`  // of goods that are counted
	MeasuredPercent  document.Amount `json:"measured_percent"`  // of goods by weight, length or volume
	QuantityAbsolute document.Amount `json:"quantity_absolute"` // in the line's unit
	TotalPercent     document.Amount `json:"total_percent"`     // of an order's amount, over all its invoices
	TotalAbsolute    document.Amount `json:"total_absolute"`
	ChargePercent    document.Amount `json:"charge_percent"` // of the invoice's goods, for unplanned charges
	ChargeAbsolute   document.Amount `json:"charge_absolute"`
	NeedsReceipt     bool            `json:"needs_receipt"` // false: order and invoice are enough
	Services         []string        `json:"services"`      // units or articles without a receipt, in addition to hours and months
}

// Tolerances are a tenant's, by supplier as SupplierKey names it. The empty one is for all
// others, and Usual is for a tenant without it.
type Tolerances map[string]Tolerance

// Usual is the tolerance of tenants that haven't set one.
func Usual() Tolerance {
	two, cent := document.MustAmount("2"), document.MustAmount("0.01")
	return Tolerance{PricePercent: two, PriceAbsolute: cent, QuantityPercent: zero, MeasuredPercent: document.MustAmount("5"),
		QuantityAbsolute: zero, TotalPercent: two, TotalAbsolute: cent, ChargePercent: zero, ChargeAbsolute: zero,
		NeedsReceipt: true, Services: []string{}}
}

// SupplierKey names a supplier: by the VAT id, or else by the name, in comparable form.
func SupplierKey(p document.Party) string {
	if id, ok := company.VATID(p.VATID); ok {
		return id
	}
	return company.ParseName(p.Name).Key()
}

// Of returns the tolerance for a supplier's documents: the VAT id's, or else the name's, or else
// the tenant's.
func (t Tolerances) Of(p document.Party) Tolerance {
	return t.For(SupplierKey(p), SupplierKey(document.Party{Name: p.Name}))
}

// For returns the tolerance of the first key that has one, or else the tenant's.
func (t Tolerances) For(keys ...string) Tolerance {
	for _, key := range append(keys, "") {
		if one, ok := t[key]; ok {
			return one
		}
	}
	return Usual()
}

var zero, one, hundredth = document.MustAmount("0"), document.MustAmount("1"), document.MustAmount("0.01")

type difference struct{ is, expected document.Amount }

// price reports whether a price is within the tolerance.
func (t Tolerance) price(d difference) bool {
	return d.is.Within(t.PriceAbsolute, d.expected) || d.is.Within(portion(t.PricePercent, d.expected.Abs()), d.expected)
}

// total reports whether an amount exceeds most by no more than the tolerance.
func (t Tolerance) total(is, most document.Amount) bool {
	return exceedsBy(is, most, t.TotalAbsolute, portion(t.TotalPercent, most.Abs()))
}

// quantity reports whether is exceeds most by no more than the tolerance for goods in the unit.
func (t Tolerance) quantity(is, most document.Amount, unit string) bool {
	return exceedsBy(is, most, t.QuantityAbsolute, portion(t.quantityPercent(unit), most))
}

func (t Tolerance) quantityPercent(unit string) document.Amount {
	if plain, _ := score.UnitOf(unit); slices.Contains(measured, plain) && t.MeasuredPercent.Cmp(t.QuantityPercent) > 0 {
		return t.MeasuredPercent
	}
	return t.QuantityPercent
}

// measured are the plain units of goods that are weighed or cut: a delivery is rarely exact.
var measured = []string{"kg", "l", "m", "m2", "gal", "ton", "cy"}

// charge reports whether an unplanned charge on an invoice with so much for goods is within the
// tolerance.
func (t Tolerance) charge(amount, goods document.Amount) bool {
	return exceedsBy(amount, zero, t.ChargeAbsolute, portion(t.ChargePercent, goods))
}

// unreceived reports whether a line is about a service: its unit is one of time, or the tenant
// lists its unit or article.
func (t Tolerance) unreceived(l, ordered document.Line) bool {
	for _, x := range []document.Line{l, ordered} {
		if plain, _ := score.UnitOf(x.Unit); plain == "h" || plain == "mon" || namesTime(x.Description) {
			return true
		}
		for _, s := range t.Services {
			if s != "" && (strings.EqualFold(s, x.Unit) || strings.EqualFold(s, x.SKU) ||
				strings.Contains(strings.ToLower(x.Description), strings.ToLower(s))) {
				return true
			}
		}
	}
	return false
}

// namesTime reports whether a text names hours or months, or ranges over them: "Consulting
// hour", "07/2024 - 09/2024".
func namesTime(text string) bool {
	if monthOfYear().MatchString(text) {
		return true
	}
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ".,;:()/-")
		if plain, _ := score.UnitOf(word); len(word) >= 4 && (plain == "h" || plain == "mon") {
			return true
		}
	}
	return false
}

func portion(percent, of document.Amount) document.Amount { return of.Times(percent).Times(hundredth) }

func exceedsBy(is, most, absolute, relative document.Amount) bool {
	over := is.Minus(most)
	return over.Sign() <= 0 || over.Minus(absolute).Sign() <= 0 || over.Minus(relative).Sign() <= 0
}
