package score

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/document"
)

var itemRows = []evidenceRow{
	{"the same items", po, vat + `,` + lines("pen 3", "ink 4"), inv, vat + `,` + lines("INK 4.0", "P-en 3"), "vat-id items-equal", 55},
	{"one item, ten units", po, vat + `,` + lines("pen 10"), inv, vat + `,` + lines("pen 10"), "vat-id item-equal-round", 52},
	{"one item, nine units", po, vat + `,` + lines("pen 9"), inv, vat + `,` + lines("pen 9"), "vat-id item-equal-few", 49},
	{"a negative quantity", inv, vat + `,` + lines("pen 9"), cn, vat + `,` + lines("pen -9"), "vat-id item-equal-few", 49},
	{"some lines of the first", po, vat + `,` + lines("pen 2", "ink 3"), inv, vat + `,` + lines("pen 2"), "vat-id item-whole", 50},
	{"some lines of the second", dn, vat + `,` + lines("pen 2"), inv, vat + `,` + lines("pen 2", "ink 3"), "vat-id item-whole", 50},
	{"several lines of the second", dn, vat + `,` + lines("pen 2", "ink 3"), inv, vat + `,` + lines("pen 2", "ink 3", "cap 4"), "vat-id items-whole", 50},
	{"one item, a round number of units", po, vat + `,` + lines("pen 300"), inv, vat + `,` + lines("pen 300"), "vat-id item-equal-round", 52},
	{"a part of two lines", po, vat + `,` + lines("pen 9", "ink 3"), inv, vat + `,` + lines("pen 3", "ink 2"), "vat-id items-part", 38},
	{"a part of the first", po, vat + `,` + lines("pen 9", "ink 3"), inv, vat + `,` + lines("pen 3"), "vat-id item-part", 38},
	{"a part of the second", dn, vat + `,` + lines("pen 3"), inv, vat + `,` + lines("pen 9", "ink 3"), "vat-id item-part", 38},
	{"more of one, less of another", po, vat + `,` + lines("pen 2", "ink 5"), inv, vat + `,` + lines("pen 3", "ink 4"), "vat-id items-exceed", 5},
	{"one item in common", po, vat + `,` + lines("pen 2", "ink 2"), inv, vat + `,` + lines("pen 1", "cap 1"), "vat-id items-exceed", 5},
	{"none in common", po, vat + `,` + lines("pen 9"), inv, vat + `,` + lines("ink 9"), "vat-id items-other", -10},
	{"the same prices", po, vat + `,` + lines("pen 10 1.50"), inv, vat + `,` + lines("pen 10 1.5"), "vat-id item-equal-round prices", 56},
	{"a price rounded", po, vat + `,` + lines("pen 10 100"), inv, vat + `,` + lines("pen 10 100.10"), "vat-id item-equal-round prices", 56},
	{"a price that differs", po, vat + `,` + lines("pen 10 100"), inv, vat + `,` + lines("pen 10 100.11"), "vat-id item-equal-round prices-differ", 42},
	{"some prices", po, vat + `,` + lines("pen 9 2", "ink 9 1"), inv, vat + `,` + lines("pen 9 2", "ink 9 3"), "vat-id items-equal", 55},
	{"no prices", po, vat + `,` + lines("pen 10 0"), inv, vat + `,` + lines("pen 10 0"), "vat-id item-equal-round", 52},
	{"freight is no item", po, vat + `,` + lines("pen 10"), inv, vat + `,"line_items":[{"sku":"pen","quantity":"10"},{"description":"Freight and insurance","quantity":"1"}]`, "vat-id item-equal-round", 52},
	{"the contract names the items", ct, vat + `,` + lines("pen", "ink"), inv, vat + `,` + lines("pen 3"), "vat-id items-billed", 36},
	{"the contract names the items of an order", ct, vat + `,` + lines("pen", "ink"), po, vat + `,` + lines("pen 3"), "vat-id items-contract", 40},
	{"the contract has the prices", ct, vat + `,` + listed, inv, vat + `,` + lines("pen 3 8"), "vat-id items-billed prices", 40},
	{"the contract has the prices of an order", ct, vat + `,` + listed, po, vat + `,` + lines("pen 3 8"), "vat-id items-contract prices", 44},
	{"an order after the contract's prices were raised", ct, vat + `,` + listed, po, vat + `,` + lines("pen 3 9"), "vat-id items-contract", 40},
	{"the contract has raised prices", ct, vat + `,` + lines("pen 1 7", "ink 1 9"), inv, vat + `,` + lines("pen 3 8"), "vat-id items-billed prices-differ", 26},
	{"the contract has other prices", ct, vat + `,` + lines("pen 1 450", "ink 1 9"), inv, vat + `,` + lines("pen 3 29"), "vat-id items-billed price-contract", 11},
	{"the contract names some items", ct, vat + `,` + lines("pen", "ink"), inv, vat + `,` + lines("pen 3", "cap 1"), "vat-id items-some", 32},
	{"the contract names no item", ct, vat + `,` + lines("pen", "ink"), po, vat + `,` + lines("cap 1"), "vat-id items-other", -10},
	{"pieces by their lots, ordered when they are used", dn, lots + `,"date":"2026-01-05"`, po, vat + `,"date":"2026-02-10",` + described("1", "VALVE 123456", "PUMP 345678"), "vat-id serials", 68},
	{"pieces by their lots, billed later", dn, lots + `,"date":"2026-01-05"`, inv, vat + `,"date":"2026-02-10",` + described("1", "VALVE 123456", "PUMP 345678"), "vat-id serials date", 73},
	{"other lots of the same articles", dn, lots, po, vat + `,` + described("1", "VALVE 999999", "PUMP 888888"), "vat-id items-other", -10},
	{"one long number may be the article's", dn, vat + `,` + described("1", "Valve 123456"), po, vat + `,` + described("1", "VALVE 123456"), "vat-id item-equal-few", 49},
	{"more than one piece has no serial number", dn, vat + `,` + described("2", "Valve 123456", "Pump 345678"), po, vat + `,` + described("2", "VALVE 123456", "PUMP 345678"), "vat-id items-equal", 55},
	{"all that the contents can say", po, vat + `,"total":"1184.37",` + lines("pen 10 7", "ink 8 2"), inv, vat + `,"total":"1184.37",` + lines("pen 10 7", "ink 8 2"),
		"vat-id items-equal prices amount", 68}, // 25, 4 and 18, but 38 at most
}

// detailed is the field of a supplier and of lines, each "sku;description;quantity;unit;price;amount".
func detailed(list ...string) string {
	var all []document.Line
	for _, l := range list {
		f := append(strings.Split(l, ";"), "", "", "", "", "")
		all = append(all, document.Line{SKU: f[0], Description: f[1], Quantity: amountOf(f[2]), Unit: f[3], UnitPrice: amountOf(f[4]), Amount: amountOf(f[5])})
	}
	return vat + `,` + field("line_items", all)
}

func amountOf(s string) (a document.Amount) {
	if err := json.Unmarshal([]byte(`"`+s+`"`), &a); err != nil {
		panic(err)
	}
	return a
}

// alikeRows: articles that are described in different ways, and articles that
// are not the same however similar their descriptions.
var alikeRows = []evidenceRow{
	{"translated, one quantity and price", po, detailed(";checker plate;26.5;kg;3.10"), inv, detailed(";Riffelblech;26.5;kg;3.10"), "vat-id items-alike prices", 52},
	{"translated, with the same sizes", po, detailed(";Rillenkugellager 6205-2RS;120"), oc, detailed(";Deep groove ball bearing 6205-2RS;120"), "vat-id items-alike", 48},
	{"abbreviated", po, detailed(";Steel beam W10x22;1", ";Drywall 5/8 x 4x8;160"), inv, detailed(";W-BM W10x22;1", ";DW 5/8 x 4x8;160"), "vat-id items-equal", 55},
	{"each with its own article numbers, translated", po, detailed("4711;screw M6x20;500;;0.41"), inv, detailed("X-1;Schraube M6 x 20;500;;0.41"), "vat-id items-alike prices", 52},
	{"the buyer's article number in the supplier's text", po, detailed("307001;Catéter 20G rosa;250"), inv, detailed("564-20;Kanüle (Ihre Art.-Nr. 307001);250"), "vat-id item-equal", 52},
	{"another quantity of a size, one price", po, detailed(";Steuerleitung ÖLFREI 7G1.5;2100;m;1.28"), inv, detailed(";Control cable 7G1.5;600;m;1.28"), "vat-id item-part prices", 42},
	{"translated, one price only", po, detailed(";checker plate;26.5;kg;3.10"), inv, detailed(";Riffelblech;12;kg;3.10"), "vat-id items-other", -10},
	{"only the quantities are the same", po, detailed(";checker plate;26.5", ";hex nut;118"), dn, detailed(";Riffelblech;26.5", ";Mutter;118"), "vat-id quantities", 38},
	{"only round quantities are the same", po, detailed(";checker plate;100"), dn, detailed(";Riffelblech;100"), "vat-id items-other", -10},
	{"the numbers in the texts differ", po, detailed(";bolt DIN 933 M8;26.5;;3", ";nut DIN 985;118;;2"), dn, detailed(";ISO 4017 Schraube M8;26.5", ";ISO 10511 Mutter;118"), "vat-id items-other", -10},
	{"but the prices are the same", po, detailed(";bolt DIN 933 M8;26.5;;3", ";nut DIN 985;118;;2"), inv, detailed(";ISO 4017 Schraube M8;26.5;;3", ";ISO 10511 Mutter;118;;2"), "vat-id quantities prices", 42},
	{"of one line", po, detailed(";bolt DIN 933 M8x30;265;;3"), inv, detailed(";bolt DIN 933 M8x40;265;;3"), "vat-id items-other", -10},
	{"only the quantities are the same, not the prices", po, detailed(";checker plate;26.5;;3", ";hex nut;118;;2"), dn, detailed(";Riffelblech;26.5;;5", ";Mutter;118;;9"), "vat-id items-other", -10},
	{"one number differs", po, detailed(";Lock Nut 5;3;;41.22"), inv, detailed(";Lock Nut 6;3;;45.50"), "vat-id items-other", -10},
	{"one number differs, one price", po, detailed(";Lock Nut 5;345;;41.22"), inv, detailed(";Lock Nut 6;345;;41.22"), "vat-id items-other", -10},
	{"sizes differ", po, detailed(";Schraube DIN 912 M6 x 20;100"), inv, detailed(";Schraube DIN 912 M8 x 40;100"), "vat-id items-other", -10},
	{"weights differ", po, detailed(";Kaffee gemahlen 500 g;24"), inv, detailed(";Kaffee gemahlen 250 g;24"), "vat-id items-other", -10},
	{"colours differ", po, detailed(";Toner Kyocera TK 5240 schwarz;2;;71.10"), inv, detailed(";Toner Kyocera TK 5240 cyan;2;;77.30"), "vat-id items-other", -10},
	{"a misread word", po, detailed(";Spannfutter gerade;40"), inv, detailed(";Spannfuttcr gerade;40"), "vat-id item-equal-round", 52},
	{"each line finds its colour", po, detailed(";USB cable white;900", ";USB cable black;500"), dn, detailed(";USBC black;500", ";USBC white;900"), "vat-id items-equal", 55},
}

var unitRows = []evidenceRow{
	{"a dozen", po, detailed(";glove blue;1;dozen;24"), inv, detailed(";glove blue;12;pc;2"), "vat-id item-equal prices", 56},
	{"tons", po, detailed("A;;2.5;t;800"), inv, detailed("A;;2500;kg;0.80"), "vat-id item-equal prices", 56},
	{"days", po, detailed("A;;20;Std;131.90"), inv, detailed("A;;2.5;Tag;1055.20"), "vat-id item-equal-round prices", 56},
	{"a box of fifty", po, detailed("A;;200"), inv, detailed("A;;4;caja 50"), "vat-id item-equal-round", 52},
	{"cartons, by their amount", po, detailed("A;;10;carton;28.80;288"), inv, detailed("A;;240;pc;1.20;288"), "vat-id item-equal-round prices amount", 68},
	{"cartons without an amount", po, detailed("A;;10;carton"), dn, detailed("A;;240;pc"), "vat-id items-named", 36},
	{"nearly the same", po, detailed("A;;26;kg"), gr, detailed("A;;26.9;kg"), "vat-id items-near", 45},
	{"more than nearly", po, detailed("A;;26;kg"), gr, detailed("A;;29;kg"), "vat-id item-part", 38},
}

// shareRows: documents of which each has lines of its own.
var shareRows = []evidenceRow{
	{"a line of three deliveries", dn, detailed("A;;750"), inv, detailed("A;;750", "A;;750", "A;;500", "B;;7"), "vat-id item-whole", 50},
	{"the second of three deliveries", dn, detailed("A;;500"), inv, detailed("A;;750", "A;;500", "B;;7"), "vat-id item-whole", 50},
	{"a delivery of two orders", po, detailed("A;;7", "B;;8"), dn, detailed("B;;8", "C;;9"), "vat-id items-some", 32},
	{"a charge in unknown words", po, detailed("A;pen;10;;5;50"), inv, detailed("A;pen;10;;5;50", ";Gastos de envío;1;;4.90;4.90"), "vat-id item-equal-round prices", 56},
	{"a retention in unknown words", po, detailed(";Rohbau;1;;9000;9000"), inv, detailed(";Rohbau;1;;9000;9000", ";Einbehalt;;;;-450"), "vat-id item-equal-few prices share", 61},
	{"a down payment in one line of text", po, detailed("A;Maschine;1;;48512;48512"), inv, detailed(";Anzahlung 30 %;1;;14553.60;14553.60"), "vat-id instalment", 46},
	{"a part of the goods is no instalment", po, detailed("A;pen;40;;5.17;206.80"), inv, detailed("A;pen;10;;5.17;51.70"), "vat-id item-part prices", 42},
	{"the goods of several orders exceed none", po, detailed("A;pen;10;;5;50"), inv, detailed("A;pen;10;;5;50", "B;ink;100;;5;500"), "vat-id item-whole prices", 54},
	{"a sum in one line of text", po, detailed("A;pen;10;;5;50", "B;ink;3;;7;21"), inv, detailed(";Lieferungen im März;1;;;171"), "vat-id lump amount-exceeds", 3},
}

// listed are the lines of a contract without quantities; lots are pieces of a consignment.
var (
	listed = `"line_items":[{"sku":"pen","unit_price":"8"},{"sku":"ink","unit_price":"9"}]`
	lots   = vat + `,` + described("1", "Valve Lot L123456", "Valve Lot L234567", "Pump Lot 345678")
)

// creditRows: the quantities and prices of a credit note show what it is for.
var creditRows = []evidenceRow{
	{"a part of what was billed", inv, detailed("A;;20;;8.17"), cn, detailed("A;;5;;8.17"), "vat-id items-credited prices", 48},
	{"a price that is corrected", inv, detailed("A;;20;;8.17"), cn, detailed("A;;20;;0.41"), "vat-id item-equal-round", 52},
	{"a part of what was received", gr, detailed("A;;20"), cn, detailed("A;;5"), "vat-id items-credited returned", 59},
	{"a part of what was received, backwards", gr, detailed("A;;20"), cn, detailed("A;;-5"), "vat-id items-credited returned", 59},
	{"all that was received", gr, detailed("A;;20"), cn, detailed("A;;20"), "vat-id item-equal-round all-credited", 27},
	{"all that was received, as words show", gr, detailed("A;;20"), cn, detailed("A;;20") + `,"notes":"returned"`, "vat-id item-equal-round returned", 67},
	{"another price than received", gr, detailed("A;;20;;8.17"), cn, detailed("A;;20;;0.41"), "vat-id item-equal-round not-returned", 2},
	{"a part at its price, whatever the words", gr, detailed("A;;20;;8.17"), cn, detailed("A;;5;;8.17") + `,"notes":"Preis lt. Rechnung"`, "vat-id items-credited prices returned", 63},
	{"a price by words, where no price is stated", gr, detailed("A;;20"), cn, detailed("A;;5") + `,"notes":"Preiskorrektur"`, "vat-id items-credited not-returned", -6},
	{"no goods", gr, detailed("A;;20"), cn, detailed(";Bonus 2025;1;;500"), "vat-id lump not-returned", -32},
}

// citedRows: contents do not outvote an exact citation.
var citedRows = []evidenceRow{
	{"more than was ordered", po, order45 + `,` + lines("A 20", "B 1"), dn, cites45 + `,` + lines("A 30", "C 1"), "vat-id cites contents-differ", 78},
	{"other items", po, order45 + `,` + lines("A 20"), dn, cites45 + `,` + lines("C 7"), "vat-id cites contents-other", 55},
	{"once for all that differs", po, order45 + `,"total":"10",` + lines("A 20"), inv, cites45 + `,"total":"100",` + lines("C 7"), "vat-id cites contents-other", 55},
	{"a citation that may be misread", po, order45 + `,` + lines("A 20"), dn, vat + `,` + refs(po, "45O0010046") + `,` + lines("C 7"), "vat-id cites-loosely items-other", 35},
	{"what agrees counts as ever", po, order45 + `,` + lines("A 20"), dn, cites45 + `,` + lines("A 20"), "vat-id cites item-equal-round", 112},
}

// wordRows: articles without a number, and documents that count nothing.
var wordRows = []evidenceRow{
	{"the same article by name", po, vat + `,` + described("12", "Blue Pen"), inv, vat + `,` + described("12", "pen, blue"), "vat-id item-equal", 52},
	{"half of the words", po, vat + `,` + described("12", "blue pen"), inv, vat + `,` + described("12", "pen"), "vat-id item-equal", 52},
	{"5 of 11 words", po, vat + `,` + described("12", "a b c d e f g h"), inv, vat + `,` + described("12", "a b c d e x y z"), "vat-id items-other", -10},
	{"less than half", po, vat + `,` + described("12", "blue pen"), inv, vat + `,` + described("12", "red pen"), "vat-id items-other", -10},
	{"the most alike first", po, vat + `,` + described("12", "blue pen"), inv, vat + `,"line_items":[{"description":"blue pen cap","quantity":"5"},{"description":"blue pen","quantity":"12"}]`, "vat-id item-whole", 50},
	{"misread characters", po, vat + `,` + described("12", "Handsemmel 10 ml"), inv, vat + `,` + described("12", "HANDSERNMEL l0 ml"), "vat-id item-equal", 52},
	{"a misread article number", po, vat + `,` + lines("KE-31007 12", "KE-9715 7"), inv, vat + `,` + lines("KE-31007 12", "KE-97I5 7"), "vat-id items-equal", 55},
	{"a number on one side", po, vat + `,` + described("12", "blue pen"), inv, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"}]`, "vat-id item-equal", 52},
	{"each with its own numbers", po, vat + `,"line_items":[{"sku":"4711","description":"blue pen","quantity":"12"}]`, inv, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"}]`, "vat-id item-equal", 52},
	{"the same numbers tell alike articles apart", po, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"},{"sku":"A-2","description":"blue pen","quantity":"7"}]`,
		inv, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"},{"sku":"A-3","description":"blue pen","quantity":"7"}]`, "vat-id items-some", 32},
	{"nothing counted", po, vat + `,` + described("", "Maintenance of lifts"), inv, vat + `,` + described("", "maintenance of Lifts"), "vat-id description", 50},
	{"one counts", po, vat + `,` + described("3", "Maintenance of lifts"), inv, vat + `,` + described("", "maintenance of lifts"), "vat-id description", 50},
	{"7 of 10 words", po, vat + `,` + described("", "a b c d e f g h i j"), inv, vat + `,` + described("", "a b c", "d e f g"), "vat-id description", 50},
	{"6 of 9 words", po, vat + `,` + described("", "a b c d e f g h i"), inv, vat + `,` + described("", "a b c", "d e f"), "vat-id", 30},
	{"1 of 5 words", po, vat + `,` + described("", "a b c d e"), inv, vat + `,` + described("", "a"), "vat-id", 30},
	{"1 of 6 words", po, vat + `,` + described("", "a b c d e f"), inv, vat + `,` + described("", "a"), "vat-id other-description", 5},
	{"no words", po, vat + `,"line_items":[{"sku":"A-1"}]`, inv, vat + `,` + described("", "maintenance"), "vat-id", 30},
	{"a contract about the same", ct, vat + `,` + described("", "Maintenance of lifts"), inv, vat + `,` + described("3", "maintenance of lifts"), "vat-id description", 50},
	{"a name as the only words", po, ulm + `,` + described("", "Stadtwerke Ulm") + `,"total":"30.00"`, ct, ulm + `,` + described("", "Stadtwerke Ulm") + `,"total":"314285.00"`, "buyer amount-other", -5},
	{"a contract about something else", ct, vat + `,` + described("", "Maintenance of lifts"), inv, vat + `,` + described("3", "paper"), "vat-id other-description", 5},
	{"no lines on one side", po, vat + `,` + lines("pen 3"), inv, vat, "vat-id", 30},
}

func total(s string) string { return vat + `,"total":"` + s + `"` }

var amountRows = []evidenceRow{
	{"the same amount", po, total("1184.37"), inv, total("1184.370"), "vat-id amount", 48},
	{"net here is gross there", po, vat + `,"subtotal":"1184.37"`, inv, total("1184.37"), "vat-id amount", 48},
	{"the sum of the lines", po, vat + `,"line_items":[{"amount":"1000"},{"amount":"184.37"}]`, inv, total("1184.37"), "vat-id amount", 48},
	{"the total without its tax", po, total("1184.37") + `,"tax":"184.37"`, inv, total("1000.00"), "vat-id amount-round", 42},
	{"a negative amount", inv, total("1184.37"), cn, total("-1184.37"), "vat-id amount", 48},
	{"a round amount", po, total("1200"), inv, total("1200.00"), "vat-id amount-round", 42},
	{"three digits are not round", po, total("1230"), inv, total("1230.00"), "vat-id amount", 48},
	{"rounded", po, total("123456.78"), inv, total("123459.00"), "vat-id amount", 48},                  // by 0.000018
	{"rounded by too much", po, total("123456.78"), inv, total("123459.60"), "vat-id amount-near", 36}, // by 0.000023
	{"nearly the same", po, total("1000"), inv, total("1020"), "vat-id amount-near", 36},
	{"as far as near goes", po, total("1000"), inv, total("1030.50"), "vat-id amount-near", 36}, // by 0.0296
	{"no more near", po, total("1000"), inv, total("1031.50"), "vat-id", 30},                    // by 0.0305
	{"more, but not by more than a tenth", po, total("1000"), inv, total("1099"), "vat-id", 30},
	{"more by more than a tenth", po, total("1000") + `,"subtotal":"900"`, inv, total("1101") + `,"subtotal":"1100.5"`, "vat-id amount-exceeds", 15},
	{"more than was received is no evidence", gr, total("1000"), inv, total("1400"), "vat-id", 30},
	{"less", po, total("1000"), inv, total("500"), "vat-id", 30},
	{"all that one states is more than all of the other", po, total("1000") + `,"subtotal":"840"`, inv, total("1500") + `,"subtotal":"1050"`, "vat-id", 30},
	{"with tax", po, total("850.20"), inv, total("1011.74"), "vat-id amount-tax", 44},
	{"without tax", inv, total("1011.74"), cn, total("-850.20"), "vat-id amount-tax", 44},
	{"a rate that no tax has", po, total("850.20"), inv, total("1013.40"), "vat-id", 30},
	{"with tax, where both state net and gross", po, total("850.20") + `,"tax":"70.20"`, inv, total("1011.74") + `,"tax":"100.74"`, "vat-id", 30},
	{"round amounts with tax", po, total("1000"), inv, total("1200"), "vat-id", 30},
	{"more than with tax", po, total("1000"), inv, total("1351"), "vat-id amount-exceeds", 15},
	{"a down payment", po, total("48512"), inv, total("14553.60") + `,"notes":"30 % deposit"`, "vat-id instalment", 46},
	{"a round down payment", po, total("1000"), inv, total("300") + `,"notes":"30 % deposit"`, "vat-id instalment", 46},
	{"a down payment with tax", po, total("48512"), inv, total("17318.78") + `,"notes":"30% deposit"`, "vat-id instalment", 46},
	{"a retention", po, total("48512"), inv, total("46086.40") + `,"notes":"retained: 5 %"`, "vat-id instalment", 46},
	{"a plain share", po, total("48512"), inv, total("33958.40"), "vat-id share", 38},
	{"a plain share of a round amount", po, total("1000"), inv, total("300"), "vat-id", 30},
	{"no plain share", po, total("48512"), inv, total("33000.40"), "vat-id", 30},
	{"a share of a receipt is none", gr, total("48512"), inv, total("14553.60"), "vat-id", 30},
	{"nothing is not the same as nothing", po, total("0"), inv, total("0"), "vat-id", 30},
}

// TestSameItems: the sentence about items that are alike,
// but described in other words, does not claim more.
func TestSameItems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ a, b, want string }{
		{";pen blue;4;;2.50", ";pen blue;4;;2.50", "The item and its quantity are the same."},
		{";pen blue;4;;2.50", ";Stift;4;;2.50", "The quantities are the same, and by prices, numbers or words the items as well."},
		{";pen blue;40;;2.50", ";pen blue;38;;2.50", "The items are the same, in nearly the same quantities."},
		{";Deep groove ball bearing 6205-2RS;40", ";Kugellager 6205-2RS;38", "The items are alike in price, numbers or words, and nearly in quantity."},
		{";pen blue;40", ";pen blue;3", "The items of the invoice are a part of those of the purchase order."},
		{";Deep groove ball bearing 6205-2RS;40", ";Kugellager 6205-2RS;3", "The items of the invoice are, by prices, numbers or words, a part of those of the purchase order."},
		{";plate;26.5|;nut;118", ";Blech;26.5|;Mutter;118", "The quantities are the same, the items have other names."},
	} {
		p := scoredBothWays(t, parsed(t, po, object(detailed(strings.Split(tc.a, "|")...))), parsed(t, inv, object(detailed(strings.Split(tc.b, "|")...))))
		if got := p.Evidence[1].Text; got != tc.want {
			t.Errorf("%q and %q: got %q, want %q", tc.a, tc.b, got, tc.want)
		}
	}
}

// TestChargesAreNoItems has a line for every word that is a charge.
func TestChargesAreNoItems(t *testing.T) {
	t.Parallel()
	charge := []string{
		"Freight", "Shipping costs", "Delivery", "postage", "Fuel surcharge", "Handling fee", "Packaging",
		"Fracht", "Versand DHL", "Versandkosten", "Porto", "Zuschlag", "Verpackung", "Mindermengenzuschlag",
		"Port dû", "Transport", "Emballage", "Frais divers",
		"Trasporto", "Spedizione", "Imballaggio",
	}
	if len(charge) != len(charges()) {
		t.Errorf("there are %d words for charges, and lines for %d of them", len(charges()), len(charge))
	}
	for _, description := range charge {
		with := parsed(t, inv, object(described("1", description, "blue pen")))
		if len(with.items) != 1 || strings.Join(with.items[0].words, " ") != "blue pen" {
			t.Errorf("%q is an item: %v", description, with.items)
		}
		numbered := parsed(t, inv, `{"line_items":[{"sku":"A-1","description":"`+description+`","quantity":"1"}]}`)
		if len(numbered.items) != 1 {
			t.Errorf("%q with an article number is none", description)
		}
	}
}

// TestWordsOfAReturn has notes for every word that names a return.
func TestWordsOfAReturn(t *testing.T) {
	t.Parallel()
	notes := []string{
		"goods return", "3 pens returned", "Sales returns", "Retour 7", "Ihre Retoure", "Rücksendung vom 3.4.", "RUECKWARE", "Rückgabe",
		"zurückgesandt", "Reklamation 17", "Renvoi", "marchandise retourné", "marchandise retournée", "Merce di reso", "restituzione", "materiale restituito",
	}
	if len(notes) != len(returns()) {
		t.Errorf("there are %d words for returns, and notes for %d of them", len(returns()), len(notes))
	}
	receipt := parsed(t, gr, object(vat))
	for _, note := range notes {
		p := scoredBothWays(t, receipt, parsed(t, cn, object(vat, field("notes", note))))
		if got := names(p.Evidence); got != "vat-id returned" {
			t.Errorf("%q: got %s", note, got)
		}
	}
}
