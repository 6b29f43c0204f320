package threeway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/match/score"
)

// Conversion is a statement about an article's units: one From makes Factor To.
type Conversion struct {
	Article, From, To string
	Factor            document.Amount
}

// factor converts the quantity of a line into the unit of the ordered line.
type factor struct {
	of  document.Amount // units of the order in one unit of the line
	how source
}

type source int

const (
	unknown  source = iota // the units don't compare, and there are no prices
	byUnit                 // the units' names say it, or both are the same
	byKnown                // another pair of documents says it
	byPrice                // the prices are whole multiples of each other
	byAmount               // the quantity is the amount at the order's price
	byPack                 // the number is in a text
)

// facts are conversions by article and units. A contradicted one has no factor.
type facts map[Conversion]document.Amount

func (b *book) factKey(o, l document.Line) Conversion {
	return Conversion{Article: b.article(o), From: plainText(l.Unit), To: plainText(o.Unit)}
}

func plainText(unit string) string { return strings.ToLower(strings.TrimSpace(unit)) }

// add adds a conversion, or contradicts another one.
func (f facts) add(key Conversion, of document.Amount) {
	if old, ok := f[key]; ok && !old.Within(old.Times(thousandth), of) {
		of = document.Amount{}
	}
	f[key] = of
}

var (
	thousandth = document.MustAmount("0.001")
	half       = document.MustAmount("0.5")
	tens       = []document.Amount{document.MustAmount("10"), document.MustAmount("100"), document.MustAmount("1000")}
	maxPack    = 1000.0
	numbers    = lazy.Regexp(`[0-9]{1,4}`)
)

// priceOf is the price of one unit of a line, less a discount that its amount shows. If quantity
// and price only make up the amount with a price for 10, 100 or 1000 units, assumed is that number.
func priceOf(l document.Line) (price, assumed document.Amount) {
	quantity, amount := l.Quantity.Abs(), l.Amount.Abs()
	if l.UnitPrice.IsZero() {
		return amount.Per(quantity), assumed
	}
	price = l.UnitPrice.Abs()
	if l.PriceFor.Sign() > 0 {
		price = price.Per(l.PriceFor)
	}
	whole := quantity.Times(price)
	for _, n := range tens {
		if l.PriceFor.Sign() <= 0 && amount.Sign() > 0 && whole.Within(amount.Times(n).Times(thousandth), amount.Times(n)) {
			return price.Per(n), n
		}
	}
	if amount.Sign() > 0 && whole.Minus(amount).Cmp(cents) > 0 {
		price = amount.Per(quantity)
	}
	return price, assumed
}

// factor finds the conversion of a line into the unit of an ordered line. A price that is far
// from the order's contradicts the names of the units.
func (b *book) factor(o, l document.Line) factor {
	table, named := byName(o.Unit, l.Unit)
	known := b.facts[b.factKey(o, l)]
	ratio := ratioOf(o, l)
	if ratio.Sign() == 0 {
		return unpriced(o, l, table, named, known)
	}
	whole, multiple := wholeMultiple(ratio)
	switch {
	case named && alike(ratio, table):
		return factor{table, byUnit}
	case !known.IsZero() && alike(ratio, known):
		return factor{known, byKnown}
	case !named && alike(ratio, one): // two names of one unit
		return factor{one, byUnit}
	case multiple && (!named || dividesLump(o) || l.Quantity.Times(table).Cmp(o.Quantity) > 0 || sameAmount(o, l)):
		return factor{whole, byPrice}
	case sameAmount(o, l) && !l.Quantity.IsZero() && !o.Quantity.IsZero():
		return factor{o.Quantity.Abs().Per(l.Quantity.Abs()), byAmount}
	case named:
		return factor{table, byUnit}
	}
	return factor{ratio, byAmount}
}

// ratioOf is a line's price as a multiple of the ordered line's.
func ratioOf(o, l document.Line) document.Amount {
	ordered, _ := priceOf(o)
	price, _ := priceOf(l)
	return price.Per(ordered)
}

func unpriced(o, l document.Line, table document.Amount, named bool, known document.Amount) factor {
	tooMany := l.Quantity.Abs().Times(table).Cmp(o.Quantity.Abs()) > 0 && !o.Quantity.IsZero()
	switch {
	case named && (!tooMany || o.Unit != "" && l.Unit != ""):
		return factor{table, byUnit}
	case !known.IsZero():
		return factor{known, byKnown}
	case pack(o, l).Sign() > 0:
		return factor{pack(o, l), byPack}
	case named:
		return factor{table, byUnit}
	}
	return factor{}
}

// byName compares the names of two units. An absent one counts as the other.
func byName(order, line string) (of document.Amount, ok bool) {
	if order == "" || line == "" || plainText(order) == plainText(line) {
		return one, true
	}
	o, inOrder := score.UnitOf(order)
	l, inLine := score.UnitOf(line)
	if o != l || inOrder <= 0 {
		return one, false
	}
	return document.AmountOf(inLine / inOrder), true
}

// alike reports whether two factors differ by less than a half, as prices do and packs don't.
func alike(a, b document.Amount) bool {
	return a.Within(half.Times(b), b) && b.Within(half.Times(a), a)
}

// wholeMultiple rounds a ratio of two prices to a whole number from 2 on, or its inverse.
func wholeMultiple(ratio document.Amount) (document.Amount, bool) {
	n, inverse := ratio, ratio.Cmp(one) < 0
	if inverse {
		n = one.Per(ratio)
	}
	k := n.Round(0)
	switch {
	case k.Float() < 2 || k.Float() > maxPack || !n.Within(k.Times(thousandth), k):
		return document.Amount{}, false
	case inverse:
		return one.Per(k), true
	}
	return k, true
}

// dividesLump reports whether a line orders a single unit, which may be billed in parts.
func dividesLump(o document.Line) bool { return o.Quantity.IsZero() || o.Quantity.Equal(one) }

func sameAmount(o, l document.Line) bool {
	a, b := amountOf(o).Abs(), amountOf(l).Abs()
	return a.Sign() > 0 && a.Within(a.Times(thousandth), b)
}

// pack finds a number in the texts of two lines that makes their quantities equal.
func pack(o, l document.Line) document.Amount {
	if o.Quantity.Sign() == 0 || l.Quantity.Sign() == 0 {
		return document.Amount{}
	}
	for _, text := range []string{o.Unit, l.Unit, o.Description, l.Description} {
		for _, digits := range numbers().FindAllString(text, maxShown) {
			n := document.MustAmount(digits)
			switch {
			case n.Cmp(one) <= 0:
			case l.Quantity.Abs().Equal(o.Quantity.Abs().Times(n)):
				return one.Per(n)
			case o.Quantity.Abs().Equal(l.Quantity.Abs().Times(n)):
				return n
			}
		}
	}
	return document.Amount{}
}

// count is the quantity of a line in the order's unit; absent if the line has none.
func (f factor) count(quantity document.Amount) document.Amount {
	if f.how == byUnit && f.of.Equal(one) {
		return quantity.Abs()
	}
	return quantity.Abs().Times(f.of).Round(6)
}

// words says how a quantity was converted, or nothing if it is as printed.
func (f factor) words(o, l document.Line) string {
	if l.Quantity.IsZero() || f.how == unknown || f.of.Equal(one) {
		return ""
	}
	by := map[source]string{byUnit: "their units", byKnown: "what is known about this article", byPrice: "their prices",
		byAmount: "the amount", byPack: "the text"}[f.how]
	return fmt.Sprintf("%s of the invoice count as %s of the order, by %s.", withUnit(l.Quantity, l.Unit),
		withUnit(f.count(l.Quantity), o.Unit), by)
}

// withUnit prints a quantity and its unit.
func withUnit(q document.Amount, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%s %.20s", short(q), strings.TrimSpace(unit)))
}

// learn collects the conversions that pairs of an order and an invoice show. These documents
// know better than others.
func (b *book) learn(known []Conversion) {
	own := facts{}
	for _, d := range b.docs {
		if d.Type != document.Invoice {
			continue
		}
		here := facts{}
		for _, o := range b.with(d, document.PurchaseOrder) {
			for _, p := range b.aligned(o, d) {
				for _, i := range p.B {
					b.learnFrom(here, o.Lines[p.A[0]], d.Lines[i])
				}
			}
		}
		for key, of := range here {
			own.add(key, of)
		}
		b.learned[d.ID] = here.list()
	}
	b.facts = facts{}
	for _, c := range known {
		b.facts.add(Conversion{Article: c.Article, From: c.From, To: c.To}, c.Factor)
	}
	maps.Copy(b.facts, own)
	b.own = own
}

// list returns the conversions in order, without contradicted ones.
func (f facts) list() (list []Conversion) {
	for key, of := range f {
		if key.Factor = of; !of.IsZero() {
			list = append(list, key)
		}
	}
	slices.SortFunc(list, func(a, b Conversion) int {
		return cmp.Or(cmp.Compare(a.Article, b.Article), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list
}

// learnFrom adds the conversion of a line about an article if a unit's name doesn't give it: by
// prices in a whole ratio, or by equal amounts.
func (b *book) learnFrom(f facts, o, l document.Line) {
	ratio := ratioOf(o, l)
	whole, multiple := wholeMultiple(ratio)
	switch _, named := byName(o.Unit, l.Unit); {
	case named || ratio.Sign() == 0:
	case multiple:
		f.add(b.factKey(o, l), whole)
	case sameAmount(o, l) && o.Quantity.Sign() != 0 && l.Quantity.Sign() != 0:
		f.add(b.factKey(o, l), o.Quantity.Abs().Per(l.Quantity.Abs()))
	}
}

// Convert says by the prices how many units of the line b one unit of the line a is. It is absent
// if the names of the units say so, or if the prices aren't whole multiples.
func Convert(a, b document.Line) document.Amount {
	table, named := byName(b.Unit, a.Unit)
	ratio := ratioOf(b, a)
	whole, multiple := wholeMultiple(ratio)
	if ratio.Sign() == 0 || !multiple || named && (alike(ratio, table) || !sameAmount(a, b)) {
		return document.Amount{}
	}
	return whole
}
