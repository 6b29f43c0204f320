package ingest_test

import (
	"fmt"
	"maps"
	"strings"
)

func init() { maps.Copy(kinds, moreKinds) }

// words returns the words of a kind in the draft's language.
func (d *draft) words() []string {
	w, ok := kindWords[d.row.kind][d.row.lang]
	if !ok {
		panic(d.row.kind + " has no words in " + d.row.lang)
	}
	return strings.Split(w, "|")
}

// cents is an amount of the row times a number of thousandths.
func (d *draft) thousandths(amount string, by int) string {
	var units, cents int
	if _, err := fmt.Sscanf(amount, "%d.%d", &units, &cents); err != nil {
		panic(err)
	}
	c := ((units*100+cents)*by + 500) / 1000
	return fmt.Sprintf("%d.%02d", c/100, c%100)
}

func (d *draft) plus(amounts ...string) string {
	sum := 0
	for _, a := range amounts {
		var units, cents int
		if _, err := fmt.Sscanf(strings.TrimPrefix(a, "-"), "%d.%d", &units, &cents); err != nil {
			panic(err)
		}
		if c := units*100 + cents; strings.HasPrefix(a, "-") {
			sum -= c
		} else {
			sum += c
		}
	}
	return fmt.Sprintf("%d.%02d", sum/100, sum%100)
}

// more adds amounts below the sums.
func (d *draft) more(pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		d.sums = append(d.sums, [2]string{pairs[i], pairs[i+1]})
	}
}

func (d *draft) at(x, y, size float64, lines ...string) {
	for i, text := range lines {
		d.extra = append(d.extra, piece{x: x, y: y + 13*float64(i), size: size, text: text})
	}
}

// label puts numbers or dates before the document's own.
func (d *draft) label(pairs ...string) {
	var first [][2]string
	for i := 0; i < len(pairs); i += 2 {
		first = append(first, [2]string{pairs[i], pairs[i+1]})
	}
	d.meta = append(first, d.meta...)
}

// moreKinds attack the rules with layouts that were never reported.
var moreKinds = map[string]func(*draft){
	"cash":    func(d *draft) { w := d.words(); d.more(w[0], "2000.00", w[1], d.plus("2000.00", "-"+d.row.gross)) },
	"card":    func(d *draft) { w := d.words(); d.more(w[0], d.row.gross, w[1], "0.00") },
	"backlog": func(d *draft) { w := d.words(); d.more(w[0], "500.00", w[1], d.plus("500.00", d.row.gross)) },
	"skonto":  func(d *draft) { w := d.words(); d.more(w[0], d.thousandths(d.row.gross, 980)) },
	"foreign": func(d *draft) {
		w := d.words()
		d.below = []string{w[0] + " " + d.money(d.thousandths(d.row.gross, 1100)) + " USD"}
	},
	"offer":    func(d *draft) { w := d.words(); d.label(w[0], "AN-44718", w[1], d.dayOf("2026-01-12")) },
	"dates":    func(d *draft) { w := d.words(); d.label(w[0], d.dayOf("2026-01-14"), w[1], d.dayOf("2026-01-09")) },
	"customer": func(d *draft) { w := d.words(); d.label(w[0], "440912", w[1], "MK-7/33") },
	"across":   (*draft).across,
	"topsum":   func(d *draft) { w := d.words(); d.at(330, 300, 18, w[0]+" "+d.money(d.row.gross)+" "+d.currency) },
	"ratetwo":  (*draft).twoRates,
	"included": func(d *draft) { w := d.words(); d.sums = [][2]string{d.sums[2], {w[0], d.row.tax}}; d.grossLines() },
	"shipto": func(d *draft) {
		w := d.words()
		d.at(57, 225, 9, w[0], "Galerie Nordlicht AG", "Feldweg 1", d.buyers[1].town)
	},
	"group":  func(d *draft) { w := d.words(); d.foot = append(d.foot, w[0]+" Nordstern Holding AG") },
	"factor": func(d *draft) { w := d.words(); d.below = []string{w[0] + " Phönix Factoring Bank AG"} },
	"final":  (*draft).final,
	"negative": func(d *draft) {
		d.rows = append(d.rows, []string{d.discount, "1", d.money("-20.00"), d.money("-20.00")})
		d.rows[1] = []string{"Modell B 45", "4", d.per(d.plus(d.row.b, "20.00"), 4), d.money(d.plus(d.row.b, "20.00"))}
	},
	"confirm": func(d *draft) {
		w := d.words()
		d.title, d.meta[0][0], d.want["type"] = w[0], w[0]+" "+w[1], "order-confirmation"
	},
	"integers": func(d *draft) { d.whole = true; d.reprice() },
	"long":     (*draft).long,
	"wrapped":  (*draft).wrapped,
	"missing":  func(d *draft) { d.carry, d.counted = true, []string{"1", "3"}; d.of = "3" },
	"counted":  func(d *draft) { d.carry, d.counted = true, []string{"1", "2"}; d.of = "2" },
	"draftly":  func(d *draft) { w := d.words(); d.at(200, 110, 30, w[0]) },
	"dunned":   func(d *draft) { w := d.words(); d.title = w[0] },
	"plus":     func(d *draft) { d.title, d.want["type"] = d.credit, "credit-note"; d.meta[0][0] = d.credit },
	"minus": func(d *draft) {
		d.title, d.trail, d.want["type"] = d.credit, "-", "credit-note"
		d.meta[0][0] = d.credit
		d.reprice()
	},
	"citytax": func(d *draft) {
		w := d.words()
		d.sums = [][2]string{d.sums[0], d.sums[1], {w[0], "12.00"}, {d.gross, d.plus(d.row.gross, "12.00")}}
	},
	"debit": func(d *draft) { w := d.words(); d.below = []string{w[0] + " " + d.dayOf("2026-04-02") + " " + w[1]} },
	"stamp": func(d *draft) { w := d.words(); d.at(390, 120, 12, w[0], d.dayOf("2026-03-29")) },
	"slip": func(d *draft) {
		w := d.words()
		d.at(57, 690, 9, w[0], d.seller.name, w[1], d.money(d.row.gross)+" "+d.currency)
	},
	"notitle":  func(d *draft) { d.title = "" },
	"columns":  (*draft).columned,
	"apos":     func(d *draft) { d.group, d.decimal, d.currency = "'", ".", "CHF"; d.reprice() },
	"selfbill": func(d *draft) { w := d.words(); d.title = w[0] },
	"combined": func(d *draft) { d.meta = [][2]string{{d.words()[0], d.row.number + " / " + d.dayOf(d.row.date)}} },
	"agent":    func(d *draft) { d.below = []string{d.words()[0] + " Verwaltung Sonnenhof GmbH"} },
	"yearsums": func(d *draft) {
		d.below = []string{d.words()[0], d.net + " " + d.money("15000.00"), d.tax + " " + d.money("2850.00"), d.gross + " " + d.money("17850.00")}
	},
	"order": func(d *draft) { w := d.words(); d.line(w[1], "11900.00"); d.line(w[0], "10000.00") },
	"bank":  func(d *draft) { d.head, d.foot = "", []string{d.words()[0], d.footer(d.seller)[1]} },
	"partner": func(d *draft) {
		w := d.words()
		d.seller.name += w[0]
		d.head, d.foot = d.seller.name, append(d.footer(d.seller)[1:], w[1])
	},
	"oneline": func(d *draft) {
		d.head = ""
		d.at(57, 60, 9, d.seller.name+" | "+d.seller.street+" | "+d.seller.town+" | "+d.words()[0])
	},
	"rates": func(d *draft) {
		d.below = []string{d.words()[0], d.dayOf("2026-05-01") + " " + d.money("400.00"), d.dayOf("2026-06-01") + " " + d.money("400.00")}
	},
	"payslip": func(d *draft) {
		w := d.words()
		d.at(57, 690, 9, w[0]+" "+d.money(d.thousandths(d.row.gross, 970))+" "+d.currency, w[1]+" "+d.dayOf("2026-04-03"))
	},
	"logofactor": func(d *draft) {
		w := d.words()
		d.head, d.foot, d.below = "", d.foot[1:], []string{w[0] + " Phönix Forderungs AG", w[1]}
	},
	"logogroup": func(d *draft) { d.head, d.foot = "", []string{d.words()[0] + " Nordstern Holding AG", d.foot[1]} },
	"holder": func(d *draft) {
		d.seller = d.plain
		d.head, d.foot = "", []string{d.words()[0] + " " + d.plain.name, d.footer(d.plain)[1]}
	},
	"attn":  func(d *draft) { d.buyer.street = d.words()[0] },
	"notes": func(d *draft) { d.below = d.words() },
}

// across prints the labels in a row and the values below them.
func (d *draft) across() {
	for i, m := range append([][2]string{{d.words()[0], "88410"}}, d.meta...) {
		d.at(57+170*float64(i), 290, 9, m[0], m[1])
	}
	d.meta = nil
}

// twoRates splits the net amount by two rates.
func (d *draft) twoRates() {
	low, high := d.thousandths(d.row.b, 70), d.thousandths(d.row.a, 200)
	d.drop = []string{"tax"} // only its parts are printed
	d.want["taxes.0.amount"], d.want["taxes.1.amount"] = high, low
	d.want["total"] = d.plus(d.row.net, low, high)
	d.sums = [][2]string{d.sums[0], {d.tax + " 20 %", high}, {d.tax + " 7 %", low}, {d.gross, d.want["total"]}}
}

// grossLines has prices with tax.
func (d *draft) grossLines() {
	d.rows = [][]string{{"Modell A 20", "1", d.money(d.row.gross), d.money(d.row.gross)}}
	delete(d.want, "subtotal")
	d.drop = append(d.drop, "subtotal")
}

// final deducts what was invoiced before.
func (d *draft) final() {
	w := d.words()
	d.title = w[0]
	d.more(w[1], "-100.00", w[2], "-90.00", d.rest, d.plus(d.row.gross, "-190.00"))
}

// long has sixty lines of both amounts' sixtieth on two pages.
func (d *draft) long() {
	d.rows = nil
	for i := range 60 {
		d.rows = append(d.rows, []string{fmt.Sprintf("Modell %c %d", 'A'+i%26, 100+i), "2", d.per(d.row.net, 120), d.per(d.row.net, 60)})
	}
}

// wrapped has descriptions of three lines.
func (d *draft) wrapped() {
	d.rows = [][]string{d.rows[0], {"Serie 2026, 40 x 60 mm"}, {"EAN 4006381333931"}, d.rows[1], {"Serie 2024, 10 % rPET"}}
}

// columned has labelled blocks for both parties at the same height.
func (d *draft) columned() {
	w := d.words()
	d.at(57, 205, 9, w[0], d.seller.name, d.seller.street, d.seller.town)
	d.at(330, 205, 9, w[1], d.buyer.name, d.buyer.street, d.buyer.town)
	d.head, d.window = "", false
}
