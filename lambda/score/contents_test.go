package score

import (
	"strings"
	"testing"
)

var itemRows = []evidenceRow{
	{"the same items", po, vat + `,` + lines("pen 3", "ink 4"), inv, vat + `,` + lines("INK 4.0", "P-en 3"), "vat-id items-equal", 55},
	{"one item, ten units", po, vat + `,` + lines("pen 10"), inv, vat + `,` + lines("pen 10"), "vat-id item-equal", 52},
	{"one item, nine units", po, vat + `,` + lines("pen 9"), inv, vat + `,` + lines("pen 9"), "vat-id item-equal-few", 49},
	{"a negative quantity", inv, vat + `,` + lines("pen 9"), cn, vat + `,` + lines("pen -9"), "vat-id item-equal-few", 49},
	{"some lines of the first", po, vat + `,` + lines("pen 2", "ink 3"), inv, vat + `,` + lines("pen 2"), "vat-id items-whole", 50},
	{"some lines of the second", dn, vat + `,` + lines("pen 2"), inv, vat + `,` + lines("pen 2", "ink 3"), "vat-id items-whole", 50},
	{"a part of the first", po, vat + `,` + lines("pen 9", "ink 3"), inv, vat + `,` + lines("pen 3"), "vat-id items-part", 38},
	{"a part of the second", dn, vat + `,` + lines("pen 3"), inv, vat + `,` + lines("pen 9", "ink 3"), "vat-id items-part", 38},
	{"more of one, less of another", po, vat + `,` + lines("pen 2", "ink 5"), inv, vat + `,` + lines("pen 3", "ink 4"), "vat-id items-exceed", 5},
	{"one item in common", po, vat + `,` + lines("pen 2", "ink 2"), inv, vat + `,` + lines("pen 1", "cap 1"), "vat-id items-exceed", 5},
	{"none in common", po, vat + `,` + lines("pen 9"), inv, vat + `,` + lines("ink 9"), "vat-id items-other", -10},
	{"the same prices", po, vat + `,` + lines("pen 10 1.50"), inv, vat + `,` + lines("pen 10 1.5"), "vat-id item-equal prices", 56},
	{"a price rounded", po, vat + `,` + lines("pen 10 100"), inv, vat + `,` + lines("pen 10 100.10"), "vat-id item-equal prices", 56},
	{"a price that differs", po, vat + `,` + lines("pen 10 100"), inv, vat + `,` + lines("pen 10 100.11"), "vat-id item-equal", 52},
	{"some prices", po, vat + `,` + lines("pen 9 2", "ink 9 1"), inv, vat + `,` + lines("pen 9 2", "ink 9 3"), "vat-id items-equal", 55},
	{"no prices", po, vat + `,` + lines("pen 10 0"), inv, vat + `,` + lines("pen 10 0"), "vat-id item-equal", 52},
	{"freight is no item", po, vat + `,` + lines("pen 10"), inv, vat + `,"line_items":[{"sku":"pen","quantity":"10"},{"description":"Freight and insurance","quantity":"1"}]`, "vat-id item-equal", 52},
	{"the contract names the items", ct, vat + `,` + lines("pen", "ink"), inv, vat + `,` + lines("pen 3"), "vat-id items-contract", 40},
	{"the contract names some items", ct, vat + `,` + lines("pen", "ink"), inv, vat + `,` + lines("pen 3", "cap 1"), "vat-id items-exceed", 5},
	{"the contract names no item", ct, vat + `,` + lines("pen", "ink"), po, vat + `,` + lines("cap 1"), "vat-id items-other", -10},
	{"all that the contents can say", po, vat + `,"total":"1184.37",` + lines("pen 10 7", "ink 8 2"), inv, vat + `,"total":"1184.37",` + lines("pen 10 7", "ink 8 2"),
		"vat-id items-equal prices amount", 68}, // 25, 4 and 18, but 38 at most
}

// wordRows: articles without a number, and documents that count nothing.
var wordRows = []evidenceRow{
	{"the same article by name", po, vat + `,` + described("12", "Blue Pen"), inv, vat + `,` + described("12", "pen, blue"), "vat-id item-equal", 52},
	{"half of the words", po, vat + `,` + described("12", "blue pen"), inv, vat + `,` + described("12", "pen"), "vat-id item-equal", 52},
	{"5 of 11 words", po, vat + `,` + described("12", "a b c d e f g h"), inv, vat + `,` + described("12", "a b c d e x y z"), "vat-id items-other", -10},
	{"less than half", po, vat + `,` + described("12", "blue pen"), inv, vat + `,` + described("12", "red pen"), "vat-id items-other", -10},
	{"the most alike first", po, vat + `,` + described("12", "blue pen"), inv, vat + `,"line_items":[{"description":"blue pen cap","quantity":"5"},{"description":"blue pen","quantity":"12"}]`, "vat-id items-whole", 50},
	{"a number on one side", po, vat + `,` + described("12", "blue pen"), inv, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"}]`, "vat-id item-equal", 52},
	{"each with its own numbers", po, vat + `,"line_items":[{"sku":"4711","description":"blue pen","quantity":"12"}]`, inv, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"}]`, "vat-id item-equal", 52},
	{"the same numbers tell alike articles apart", po, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"},{"sku":"A-2","description":"blue pen","quantity":"7"}]`,
		inv, vat + `,"line_items":[{"sku":"A-1","description":"blue pen","quantity":"12"},{"sku":"A-3","description":"blue pen","quantity":"7"}]`, "vat-id items-exceed", 5},
	{"nothing counted", po, vat + `,` + described("", "Maintenance of lifts"), inv, vat + `,` + described("", "maintenance of Lifts"), "vat-id description", 50},
	{"one counts", po, vat + `,` + described("3", "Maintenance of lifts"), inv, vat + `,` + described("", "maintenance of lifts"), "vat-id description", 50},
	{"7 of 10 words", po, vat + `,` + described("", "a b c d e f g h i j"), inv, vat + `,` + described("", "a b c", "d e f g"), "vat-id description", 50},
	{"6 of 9 words", po, vat + `,` + described("", "a b c d e f g h i"), inv, vat + `,` + described("", "a b c", "d e f"), "vat-id", 30},
	{"1 of 5 words", po, vat + `,` + described("", "a b c d e"), inv, vat + `,` + described("", "a"), "vat-id", 30},
	{"1 of 6 words", po, vat + `,` + described("", "a b c d e f"), inv, vat + `,` + described("", "a"), "vat-id other-description", 5},
	{"no words", po, vat + `,"line_items":[{"sku":"A-1"}]`, inv, vat + `,` + described("", "maintenance"), "vat-id", 30},
	{"a contract about the same", ct, vat + `,` + described("", "Maintenance of lifts"), inv, vat + `,` + described("3", "maintenance of lifts"), "vat-id description", 50},
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
	{"more by more than a tenth", po, total("1000"), inv, total("1101"), "vat-id amount-exceeds", 15},
	{"more than was received is no evidence", gr, total("1000"), inv, total("1200"), "vat-id", 30},
	{"less", po, total("1000"), inv, total("500"), "vat-id", 30},
	{"all that one states is more than all of the other", po, total("1000") + `,"subtotal":"840"`, inv, total("1500") + `,"subtotal":"1050"`, "vat-id", 30},
	{"nothing is not the same as nothing", po, total("0"), inv, total("0"), "vat-id", 30},
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
	if len(charge) != len(charges) {
		t.Errorf("there are %d words for charges, and lines for %d of them", len(charges), len(charge))
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
	if len(notes) != len(returns) {
		t.Errorf("there are %d words for returns, and notes for %d of them", len(returns), len(notes))
	}
	receipt := parsed(t, gr, object(vat))
	for _, note := range notes {
		p := scoredBothWays(t, receipt, parsed(t, cn, object(vat, field("notes", note))))
		if got := names(p.Evidence); got != "vat-id returned" {
			t.Errorf("%q: got %s", note, got)
		}
	}
}
