package ingest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
)

// draft is a page before it is printed.
type draft struct {
	tongue
	row                 kindsRow
	seller, buyer       house
	head, sender, title string // an empty head is a logo
	meta, sums          [][2]string
	rows                [][]string
	below, foot         []string
	sign                string // before amounts
	dash, bare, carry   bool
	whole, window       bool   // amounts without decimals; an address in the window
	trail, of           string // behind amounts; the pages that the page counts
	counted             []string
	extra               []piece // on the first page
	want                map[string]string
	drop                []string // not wanted
}

// kindsRow is a row of the table.
type kindsRow struct {
	kind, lang, number, date string
	net, tax, gross, a, b    string
	place                    int // in the table: decides the layout and the companies
}

func (r kindsRow) name() string { return r.kind + " " + r.lang + " " + r.number }

func newDraft(r kindsRow) *draft {
	t := tongues[r.lang]
	d := &draft{tongue: t, row: r, seller: t.sellers[r.place%2], buyer: t.buyers[r.place/2%2], title: t.invoice}
	d.head, d.window, d.want = d.seller.name, true, map[string]string{}
	if change, ok := kinds[r.kind]; ok {
		defer change(d)
	} else if !slices.Contains(asDrawn, r.kind) {
		panic("unknown kind " + r.kind)
	}
	d.meta = [][2]string{{t.number, r.number}, {t.date, d.dayOf(r.date)}}
	d.rows = [][]string{{"Modell A 20", "10", d.per(r.a, 10), d.money(r.a)}, {"Modell B 45", "4", d.per(r.b, 4), d.money(r.b)}}
	d.sums = [][2]string{{t.net, r.net}, {t.tax + " " + t.rate + " %", r.tax}, {t.gross, r.gross}}
	d.foot = d.footer(d.seller)
	return d
}

func (d *draft) footer(h house) []string {
	line := d.vat + " " + h.vat
	if h.iban != "" {
		line += "   IBAN " + h.iban
	}
	return []string{h.name + " · " + h.street + " · " + h.town, line}
}

func (d *draft) dayOf(iso string) string {
	day, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		panic(err)
	}
	return day.Format(d.day)
}

// money writes an amount as the language does.
func (d *draft) money(amount string) string {
	whole, cents, _ := strings.Cut(amount, ".")
	if n := len(whole); n > 3 {
		whole = whole[:n-3] + d.group + whole[n-3:]
	}
	switch {
	case d.whole && cents == "00":
		return d.sign + whole + d.trail
	case d.dash && cents == "00":
		return d.sign + whole + d.decimal + "-"
	}
	return d.sign + whole + d.decimal + cents + d.trail
}

// per divides an amount; the table has amounts that are divisible.
func (d *draft) per(amount string, by int) string {
	var units, cents int
	if _, err := fmt.Sscanf(amount, "%d.%d", &units, &cents); err != nil {
		panic(err)
	}
	c := (units*100 + cents) / by
	return d.money(fmt.Sprintf("%d.%02d", c/100, c%100))
}

// asDrawn are the kinds that change nothing, or only the file.
var asDrawn = []string{"plain", "blanks", "badlines", "two", "stray", "turned", "twoup", "stacked"}

// layout is the places of the blocks: the window, the letterhead and the table of numbers.
type layout struct{ window, head, headSize, metaX, metaY float64 }

var layouts = []layout{{57, 57, 20, 340, 150}, {57, 330, 14, 57, 270}, {330, 57, 17, 57, 180}}

// sheet collects the pieces of a page from top to bottom.
type sheet struct {
	pieces []piece
	y      float64
}

func (s *sheet) put(x, size float64, text string) {
	s.pieces = append(s.pieces, piece{x: x, y: s.y, size: size, text: text})
}

// row ends texts at the columns of numbers.
func (s *sheet) row(first string, numbers ...string) {
	s.put(57, 10, first)
	for i, x := range []float64{350, 440, 538}[:len(numbers)] {
		s.pieces = append(s.pieces, piece{x: x, y: s.y, size: 10, right: true, text: numbers[i]})
	}
	s.y += 18
}

// stack writes texts below each other.
func (s *sheet) stack(x, y, size, step float64, texts ...string) {
	for i, text := range texts {
		s.pieces = append(s.pieces, piece{x: x, y: y + float64(i)*step, size: size, text: text})
	}
}

// top draws what stands above the lines.
func (d *draft) top(s *sheet) {
	l := layouts[d.row.place%len(layouts)]
	if d.head != "" {
		s.stack(l.head, 60, l.headSize, 0, d.head)
		s.stack(l.head, 76, 9, 0, d.seller.street+", "+d.seller.town)
	}
	if d.sender != "" {
		s.stack(l.window, 132, 7, 0, d.sender)
	}
	if d.window {
		s.stack(l.window, 150, 11, 14, d.buyer.name, d.buyer.street, d.buyer.town)
	}
	for i, m := range d.meta {
		s.stack(l.metaX, l.metaY+float64(i)*15, 10, 0, m[0])
		s.stack(l.metaX+110, l.metaY+float64(i)*15, 10, 0, m[1])
	}
	s.stack(57, 340, 16, 0, d.title)
	s.y = 370
}

func (d *draft) draw() (pages [][]piece) {
	s := &sheet{}
	d.top(s)
	s.row(d.columns[0], d.columns[1:]...)
	for i, row := range d.rows {
		if d.carry && i == 1 {
			s.row(d.carried, "", "", d.money(d.row.a))
			pages, s = append(pages, s.pieces), &sheet{y: 80}
			s.row(d.columns[0], d.columns[1:]...)
			s.row(d.carried, "", "", d.money(d.row.a))
		}
		if s.row(row[0], row[1:]...); s.y > 700 {
			pages, s = append(pages, s.pieces), &sheet{y: 80}
			s.row(d.columns[0], d.columns[1:]...)
		}
	}
	s.y += 12
	for _, sum := range d.sums {
		s.put(330, 10, sum[0])
		text := d.money(sum[1])
		if !d.bare {
			text += " " + d.currency
		}
		s.row("", "", "", text)
	}
	s.stack(57, s.y+20, 10, 15, d.below...)
	s.stack(57, 785, 8, 12, d.foot...)
	pages = append(pages, s.pieces)
	pages[0] = append(pages[0], d.extra...)
	for i, n := range d.counted {
		pages[i] = append(pages[i], piece{x: 480, y: 825, size: 8, text: d.page + " " + n + " / " + d.of})
	}
	return pages
}

// line adds an amount above the sums.
func (d *draft) line(label, amount string) {
	d.sums = append([][2]string{{label, amount}}, d.sums...)
}

// kinds change a plain invoice.
var kinds = map[string]func(*draft){
	"logo":       func(d *draft) { d.head, d.foot = "", d.foot[1:] },
	"nolegal":    func(d *draft) { d.seller = d.plain; d.head, d.foot = d.plain.name, d.footer(d.plain) },
	"sender":     func(d *draft) { d.head, d.sender, d.foot = "", d.foot[0], d.foot[1:] },
	"footer":     func(d *draft) { d.head = "" },
	"year":       func(d *draft) { d.below = []string{d.year + " 2026: " + d.money("18450.00") + " " + d.currency} },
	"offertotal": func(d *draft) { d.line(d.quote+" "+d.gross, "9800.00") },
	"erp": func(d *draft) {
		d.title, d.meta = d.invoice+" "+d.row.number, [][2]string{{d.order, "301777"}, {d.date, d.dayOf(d.row.date)}}
	},
	"insurer":    func(d *draft) { d.meta = append([][2]string{{d.contract, "V 77.120.4"}}, d.meta...) },
	"printdate":  func(d *draft) { d.placed(); d.foot = append(d.foot, d.printed+" "+d.dayOf("2026-03-30")) },
	"per100":     func(d *draft) { d.columns[2] = d.unit100; d.rows = d.hundreds() },
	"freight":    func(d *draft) { d.line(d.freight, "9.90") },
	"discount":   func(d *draft) { d.line(d.discount, "-50.00") },
	"carried":    func(d *draft) { d.carry = true },
	"proforma":   func(d *draft) { d.title = d.proforma },
	"reminder":   func(d *draft) { d.title = d.reminder },
	"quote":      func(d *draft) { d.title = d.quote },
	"statement":  func(d *draft) { d.title = d.statement },
	"copy":       func(d *draft) { d.title = d.copied },
	"dash":       func(d *draft) { d.dash = true; d.reprice() },
	"nocurrency": func(d *draft) { d.bare = true },
	"credit":     func(d *draft) { d.title, d.sign = d.credit, "-"; d.meta[0][0] = d.credit; d.reprice() },
	"reverse": func(d *draft) {
		d.sums, d.below = [][2]string{d.sums[0], d.sums[2]}, []string{d.reverse}
	},
	"prepaid": func(d *draft) {
		d.more(d.prepaid, "-690.00", d.rest, d.plus(d.row.gross, "-690.00"))
	},
}

// reprice writes the lines once more, after a change of the notation.
func (d *draft) reprice() {
	price := *d
	price.sign = ""
	d.rows = [][]string{{"Modell A 20", "10", price.per(d.row.a, 10), d.money(d.row.a)}, {"Modell B 45", "4", price.per(d.row.b, 4), d.money(d.row.b)}}
}

// hundreds has quantities of 400 and 200 at a price per 100.
func (d *draft) hundreds() [][]string {
	return [][]string{{"Schraube M6", "400", d.per(d.row.a, 4), d.money(d.row.a)}, {"Mutter M6", "200", d.per(d.row.b, 2), d.money(d.row.b)}}
}

// placed prints the date behind a place, as letters do.
func (d *draft) placed() {
	town := strings.TrimLeft(d.seller.town, "0123456789- ")
	d.meta = [][2]string{d.meta[0], {town + ", " + d.dayOf(d.row.date), ""}}
}

// second is a page by the other seller.
func (d *draft) second() *draft {
	r := d.row
	r.kind, r.place, r.number, r.date = "plain", r.place+1, fmt.Sprint("ZX-", 9000+r.place), "2026-03-11"
	return newDraft(r)
}

// wants lists what must be read, by path.
func (d *draft) wants() map[string]string {
	w := map[string]string{"type": string(document.Invoice), "number": d.row.number, "date": d.row.date,
		"supplier.name": d.seller.name, "buyer.name": d.buyer.name, "total": d.row.gross, "subtotal": d.row.net,
		"tax": d.row.tax, "currency": d.currency}
	switch d.row.kind {
	case "logo":
		w["supplier.name"] = ""
	case "credit":
		w["type"] = string(document.CreditNote)
	case "reverse":
		delete(w, "tax")
	case "prepaid":
		w["prepaid"], w["amount_due"] = "690.00", d.sums[len(d.sums)-1][1]
	case "per100":
		w["line_items.0.price_quantity"] = "100"
	case "freight":
		w["charges.0.amount"] = "9.90"
	}
	maps.Copy(w, d.want)
	for _, path := range d.drop {
		delete(w, path)
	}
	return w
}
