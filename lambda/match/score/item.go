package score

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/internal/lazy"
)

// item is the sum of a document's lines about one article.
type item struct {
	sku      string // of the article, see learn
	printed  string // the article number of the document
	taught   string // why they differ from another document's
	words    []string
	wording  wording
	text     string // of the description, letters and digits only
	loose    string // the text, equal if characters were misread
	looseSKU string // so is the number
	quantity quantity
	lots     []quantity // of its lines, if there are several
	price    float64    // of a plain unit; 0: not stated
	amount   float64    // of all its lines; negative: a discount
	minor    bool       // it may be freight, packing or a discount, not goods
}

const maxLots = 50

// items merges the lines by article, without shipping charges.
func items(lines []document.Line) (list []item) {
	index := map[string]int{}
	for i, l := range lines {
		it := readItem(l, i < maxLineTexts)
		if it.sku == "" && (len(it.words) == 0 || it.isCharge()) {
			continue
		}
		if i, ok := index[it.key()]; ok {
			list[i].merge(it)
			continue
		}
		index[it.key()] = len(list)
		list = append(list, it)
	}
	var sum float64
	for _, it := range list {
		sum += math.Abs(it.amount)
	}
	for i, it := range list { // a credit note may count backwards
		list[i].quantity = it.quantity.abs()
		list[i].minor = len(list) > 1 && it.mayBeCharge(sum)
	}
	return list
}

// readItem reads a line. If compared, its texts are also prepared for comparing word by word.
func readItem(l document.Line, compared bool) item {
	description := l.Description
	if compared && strings.ContainsAny(description, "0123456789") {
		description = reference.Without(description)
	}
	it := item{sku: alphanumeric(l.SKU), words: words(description), amount: l.Amount.Float()}
	it.printed = it.sku
	if compared {
		it.wording = readWording(description)
		it.text = alphanumeric(l.Description[:min(len(l.Description), maxText)])
		it.loose, it.looseSKU = looseText(it.text), looseText(it.sku)
	}
	u := parseUnit(l.Unit)
	printed, price := l.Quantity.Float(), math.Abs(l.UnitPrice.Float())/cmp.Or(math.Abs(l.PriceFor.Float()), 1)
	switch {
	case l.Quantity.IsZero() && price > 0:
		printed = it.amount / price
	case price == 0 && printed != 0:
		price = math.Abs(it.amount / printed)
	}
	if it.amount == 0 {
		it.amount = printed * price
	}
	it.quantity = quantity{printed, printed * u.factor, u}
	if u.factor > 0 {
		it.price = price / u.factor
	}
	return it
}

func (it *item) merge(o item) {
	if len(it.lots) == 0 {
		it.lots = []quantity{it.quantity.abs()}
	}
	if len(it.lots) < maxLots {
		it.lots = append(it.lots, o.quantity.abs())
	}
	if o.quantity.unit.of == it.quantity.unit.of {
		it.quantity = it.quantity.add(o.quantity)
	}
	it.amount += o.amount
}

func (it item) key() string { return cmp.Or(it.sku, strings.Join(it.words, " ")) }

// minorShare is the maximum share of a document's amount for a line to be a charge, if it has
// no article number.
const minorShare = 0.15

// mayBeCharge reports whether a line may lack a counterpart in an order or a receipt, whatever
// its words: it lacks an article number, isn't counted, and is a discount or small compared to
// the rest.
func (it item) mayBeCharge(sum float64) bool {
	return it.sku == "" && it.quantity.printed <= 1 && (it.amount < 0 || it.amount > 0 && it.amount <= minorShare*sum)
}

func (it item) isCharge() bool {
	return it.quantity.printed <= 1 && slices.ContainsFunc(it.words, func(w string) bool { return charges()[w] })
}

// charges are words for shipping and surcharges. Lines with these lack a counterpart in an
// order or a receipt.
var charges = lazy.Words("freight shipping delivery postage surcharge handling packaging " +
	"fracht versand versandkosten porto zuschlag verpackung mindermengenzuschlag " +
	"port transport emballage frais trasporto spedizione imballaggio")

// units is the number of units of all items, without charges.
func units(items []item) (n float64) {
	for i := range items {
		if !items[i].minor {
			n += items[i].quantity.plain
		}
	}
	return n
}
