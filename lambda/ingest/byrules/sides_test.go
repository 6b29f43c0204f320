package byrules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// Whether "Kran Jade" is the name of a block, and on which side.
func TestSidesOfBlocks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Kran Jade":                                              "false ",
		"Kunde: Kran Jade":                                       "true buyer",
		"Datum: Kran Jade":                                       "false ",
		"Kunde      Kran Jade":                                   "true buyer",
		"Kunde      Kran Jade\n4711       4712":                  "false buyer",
		"Kunde      Kran Jade\n4711       am 4.":                 "true buyer",
		"Kunde      Kran Jade\n4711\n           4712":            "true buyer",
		"Kunde 7    Kran Jade\n4711       4712":                  "false ",
		"Kunde      70412      Kran Jade KG":                     "true buyer",
		"Kunde      70412      Kran Jade":                        "false ",
		"Kunde      V-70412    Kran Jade KG":                     "true buyer",
		"Kunde      Nord       Kran Jade KG":                     "false ",
		"Kunde\n70412      Kran Jade KG":                         "true buyer",
		"Datum\n70412      Kran Jade KG":                         "false ",
		"Kunde\nName:      Kran Jade":                            "true buyer",
		"Name:      Kran Jade":                                   "true ",
		"Kunde\nKran Jade":                                       "true buyer",
		"Kunde\n\n\nKran Jade":                                   "true buyer",
		"Kunde\n\n\n\n\n\n\nKran Jade":                           "false ",
		"Kunde\n                    Kran Jade":                   "false ",
		"Kunde\nKunden-Nr. 77\nKran Jade":                        "true buyer",
		"Kunde\nKunden-Nr. 77\n    Kran Jade":                    "false ",
		"Kunde\nWeser Fisch\nKran Jade":                          "false ",
		"Kunde      : 4711\nKran Jade":                           "false ",
		"Kunde      4711\nKran Jade  4712":                       "false ",
		"Kunde      4711\nKran Jade         4712":                "true buyer",
		"Kunde      4711\nKran Jade  am Hafen":                   "true buyer",
		"Kunde      Segel GmbH\nKunden-Nr. 77\nKran Jade":        "false ",
		"Kunde      Segel\nKunden-Nr. 77\nKran Jade":             "true buyer",
		"Kunde      Datum\n4711       12.05.2026\nKran Jade":     "false ",
		"Lieferant      Kunde\nWeser Fisch    Kran Jade":         "true buyer",
		"Kran Jade\nz. Hd. Frau Lind":                            "true addressee",
		"Kran Jade\nEinkauf\nz. Hd. Frau Lind":                   "true addressee",
		"Kran Jade\nHaus\nEinkauf\nBüro\nz. Hd. Frau Lind":       "true addressee",
		"Kran Jade\nHaus\nEinkauf\nBüro\nTor\nz. Hd. Lind":       "false ",
		"Kran Jade\nHaus 4\nz. Hd. Frau Lind":                    "true addressee",
		"z. Hd. Frau Lind\nKran Jade":                            "true addressee",
		"Kran Jade\n28195 Bremen\nz. Hd. Frau Lind":              "false ",
		"Weser Fisch\nKran Jade\nz. Hd. Frau Lind":               "false ",
		"Weser Fisch\n\nKran Jade\nz. Hd. Frau Lind":             "true addressee",
		"28195 Bremen\nKran Jade\nz. Hd. Frau Lind":              "true addressee",
		"Kunde\n-----\nKran Jade":                                "false ",
		"An:  ein@kauf.example\nDatum\nKran Jade":                "false ",
		"An:  ein@kauf.example\nKran Jade":                       "false ",
		"An:                        ein@kauf.example\nKran Jade": "true addressee",
		"An:  Herrn Lind\nKran Jade":                             "true addressee",
	} {
		cells := cellsOf(layout(text).Pages)
		i := slices.IndexFunc(cells, func(c cell) bool { return strings.Contains(c.Text, "Kran Jade") })
		if named, side := blockOf(cells, i); fmt.Sprintf("%v %s", named, side) != want {
			t.Errorf("%s: got %v %s, want %s", text, named, side, want)
		}
	}
}

// Names in rows that are heads of tables, in two lines, and below each other.
func TestNamesOfTwoLines(t *testing.T) {
	t.Parallel()
	const label = "Verkäufer\n"
	for text, want := range map[string]string{
		label + "Erste Kieler\nVersicherung AG":                                   "Erste Kieler Versicherung AG",
		label + "Erste Kieler\nHaus der\nVersicherung AG":                         "Versicherung AG",
		"Erste Kieler\nVersicherung AG":                                           "Erste Kieler Versicherung AG",
		"Erste Kieler\nWeser Versicherung AG":                                     "Weser Versicherung AG",
		"                    Erste Kieler\nFirma               Versicherung AG":   "Erste Kieler Versicherung AG",
		"                    Erste Kieler\n\nFirma               Versicherung AG": "Versicherung AG",
		"Kunde               Erste Kieler\nVerkäufer           Versicherung AG":   "Versicherung AG",
	} {
		cells := cellsOf(layout(text).Pages)
		got := ""
		for _, p := range candidates(cells) {
			if IsCompany(p.text) {
				got = p.text
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Who sells and who buys, by labels, windows, footers, accounts and domains.
func TestPartiesByPlace(t *testing.T) {
	t.Parallel()
	const title = "\n\n#Rechnung Nr. 7\nBitte zahlen Sie bald.\nDanke für den Auftrag.\n"
	const jade = "Kran Jade\nHafen 1\n26382 Wilhelmshaven\n"
	low := func(n int) string { return " " + strings.Repeat("\n", n) }
	for name, test := range map[string][2]string{
		"a letterhead and a window":         {"Segel Nord GmbH\n\n\n\n\n\n\n" + jade + title, "Segel Nord GmbH > Kran Jade"},
		"a window alone":                    {low(8) + jade + title, " > Kran Jade"},
		"a company's window":                {low(8) + strings.Replace(jade, "Jade", "Jade KG", 1) + title, " > Kran Jade KG"},
		"at the top":                        {" \n" + jade + title, "Kran Jade > "},
		"low on the page":                   {low(26) + jade + title, " > "},
		"reached by telephone":              {low(8) + jade + "Tel. 04421 5" + title, "Kran Jade > "},
		"reached by mail two lines below":   {low(8) + jade + "Büro\npost@jade.example" + title, "Kran Jade > "},
		"reached far below":                 {low(8) + jade + "Büro\nHaus\nTor\nTel. 04421 5" + title, " > Kran Jade"},
		"with its domain":                   {low(8) + jade + title + "www.kranjade.example", "Kran Jade > "},
		"with its footer":                   {low(8) + jade + title + footer + "\n\n\nKran Jade, Hafen 1", "Kran Jade > "},
		"with another's footer":             {low(8) + jade + title + footer + "\n\n\nSegel Nord GmbH, Kai 4", "Segel Nord GmbH > Kran Jade"},
		"at the top, another's footer":      {"Kran Jade\nHafen 1\n26382 Wilhelmshaven\n" + title + footer + "\n\n\n\n\n\n\n\n\n\n\nSegel Nord GmbH, Kai 4", "Segel Nord GmbH > Kran Jade"},
		"another's court":                   {low(8) + jade + title + footer + "\n\n\nAmtsgericht Kiel AG", " > Kran Jade"},
		"another's bank":                    {low(8) + jade + title + footer + "\n\n\nNord Bank AG, IBAN DE89 3704 0044 0532 0130 00", " > Kran Jade"},
		"a bank with its label at the left": {low(8) + jade + title + "\nBank      Segel Nord AG", " > Kran Jade"},
		"a sender's line":                   {low(7) + "Segel Nord · Kai 4 · 24103 Kiel\n" + jade + title, "Segel Nord > Kran Jade"},
		"its own line":                      {low(7) + "Kran Jade · Hafen 1 · 26382 Wilhelmshaven\n" + jade + title, "Kran Jade > "},
		"two windows":                       {low(8) + "Kran Jade                                                   Segel Nord\nHafen 1                                                     Kai 4\n26382 Wilhelmshaven                                         24103 Kiel" + title, "Segel Nord > Kran Jade"},
		"two windows, turned":               {low(8) + "                                                            Segel Nord\n                                                            Kai 4\n                                                            24103 Kiel\n" + jade + title, "Segel Nord > Kran Jade"},
		"a salutation":                      {"Segel Nord GmbH\n\n\n\n\n\n\nFirma\n" + jade + title, "Segel Nord GmbH > Kran Jade"},
		"a salutation and a street":         {"Segel Nord GmbH\n\n\n\n\n\n\nFirma\nHafen 1\n26382 Wilhelmshaven\n" + title, "Segel Nord GmbH > "},
		"a label outranks a window":         {"Segel Nord GmbH\n\n\n\n\n\n\n" + jade + title + "Kunde: Weser Fisch", "Segel Nord GmbH > Weser Fisch"},
		"where goods go":                    {"Segel Nord GmbH" + title + "Lieferanschrift: Weser Fisch", "Segel Nord GmbH > Weser Fisch"},
		"where goods go, and a buyer":       {"Segel Nord GmbH" + title + "Lieferanschrift: Weser Fisch\nKunde: Kran Jade", "Segel Nord GmbH > Kran Jade"},
		"an account's owner":                {title + "\nKontoinhaber: Segel Nord", "Segel Nord > "},
		"an account's owner is the buyer":   {title + "Kunde: Segel Nord\nKontoinhaber: Segel Nord", " > Segel Nord"},
		"an account's owner is a bank":      {title + "\nKontoinhaber: Sparkasse Kiel", " > "},
		"an account's owner, below":         {title + "\nKontoinhaber\nSegel Nord.", "Segel Nord > "},
		"an account's owner, assigned":      {title + "\nForderung abgetreten.\nKontoinhaber: Segel Nord", " > "},
		"a group's sentence":                {title + "\nEin Unternehmen der Segel Nord AG", " > "},
		"a sentence with an article":        {low(20) + title + "Die Haftung der Segel Nord AG", " > "},
		"a letterhead with an article":      {"The Segel Nord AG" + title, "The Segel Nord AG > "},
		"a low line with an article":        {low(20) + title + "The Segel Nord AG", " > "},
		"a name in large print":             {"#Segel Nord" + title, "Segel Nord > "},
		"a name in large print, low":        {low(12) + "#Segel Nord" + title, " > "},
		"a name in small print":             {" \nSegel Nord" + title, "Segel Nord > "},
		"a name below another cell":         {"Seite 1\nSegel Nord" + title, " > "},
		"two names with addresses":          {"Segel Nord                    Weser Fisch\nKai 4                         Am Kai 9\n24103 Kiel                    28195 Bremen" + title, " > "},
		"a second page":                     {"Seite 1" + title + "\n-----\n#Segel Nord\nKai 4\n24103 Kiel\nRechnung Nr. 7", " > "},
		"a delivery address is no supplier": {low(4) + "Lieferanschrift\n" + jade + title, " > Kran Jade"},
		"the name in three places":          {"Weser Fisch AG" + title + "Segel Nord GmbH\nX\nSegel Nord GmbH\nX\nSegel Nord GmbH\nX\nSegel Nord GmbH", "Segel Nord GmbH > "},
	} {
		e := Extract(layout(test[0]))[0]
		if got := e.Data.Supplier.Name + " > " + e.Data.Buyer.Name + unquoted(e); got != test[1] {
			t.Errorf("%s: got %q, want %q", name, got, test[1])
		}
	}
}

// An order and a receipt of goods come from the buyer.
func TestPartiesOfOrders(t *testing.T) {
	t.Parallel()
	const title = "\n\n#Bestellung Nr. 7\n"
	const nord = "Segel Nord\nKai 4\n24103 Kiel\n"
	low := strings.Repeat("\n", 7)
	own := []document.Party{{Name: "Heim Werk"}}
	for name, test := range map[string][2]string{
		"to the window":            {"Weser Fisch GmbH" + low + nord + title, "Segel Nord > Weser Fisch GmbH"},
		"to a supplier":            {"Weser Fisch GmbH" + title + "Lieferant: Segel Nord", "Segel Nord > Weser Fisch GmbH"},
		"to a supplier, by letter": {"Weser Fisch GmbH" + low + "Kran Jade\nHafen 1\n26382 Wilhelmshaven\n" + title + "Lieferant: Segel Nord", "Segel Nord > Weser Fisch GmbH"},
		"with a buyer":             {"Weser Fisch GmbH" + title + "Lieferant: Segel Nord\nKäufer: Kran Jade", "Segel Nord > Kran Jade"},
		"to the only address":      {"Weser Fisch GmbH" + title + strings.Repeat("\n", 30) + "Segel Nord AG\nKai 4\n24103 Kiel", "Segel Nord AG > Weser Fisch GmbH"},
		"to its own address":       {"Weser Fisch GmbH" + title + strings.Repeat("\n", 30) + "Weser Fisch GmbH\nKai 4\n24103 Kiel", " > Weser Fisch GmbH"},
		"goods to the sender":      {"Weser Fisch GmbH" + title + "Lieferanschrift:\n" + nord, " > Weser Fisch GmbH"},
		"goods to the window":      {"Weser Fisch GmbH" + low + nord + title + "\nLieferanschrift:\n" + nord, "Weser Fisch GmbH > Segel Nord"},
		"goods to the supplier":    {"Weser Fisch GmbH" + title + "Lieferant: Segel Nord\n\nLieferanschrift:\n" + nord, "Segel Nord > Weser Fisch GmbH"},
		"to us":                    {"Kran Jade GmbH" + title + "Lieferant: Heim Werk", " > Kran Jade GmbH"},
	} {
		e := Extract(layout(test[0]), own...)[0]
		if got := e.Data.Supplier.Name + " > " + e.Data.Buyer.Name; got != test[1] {
			t.Errorf("%s: got %q, want %q", name, got, test[1])
		}
	}
}

// The scores of names: a legal form counts 3, a label 6 (5 without a form), an edge of the page 1, and up to two more places 1 each.
func TestScoresOfNames(t *testing.T) {
	t.Parallel()
	low := func(n int) string { return " " + strings.Repeat("\n", n) }
	for text, want := range map[string]string{
		"Segel Nord GmbH":               "4.99",
		low(20) + "Segel Nord GmbH":     "3.82",
		low(14) + "Segel Nord GmbH":     "4.87",
		low(15) + "Segel Nord GmbH":     "3.87",
		low(53) + "Segel Nord GmbH":     "4.55",
		low(51) + "Segel Nord GmbH":     "3.56",
		"Kunde: Kran Jade":              "6.99",
		"Kunde: Kran Jade KG":           "10.99",
		"Danke\n-----\nSegel Nord GmbH": "4.98",
		low(20) + "Segel Nord GmbH" + strings.Repeat("\nDanke\nSegel Nord GmbH", 1): "4.82 4.81",
		low(20) + "Segel Nord GmbH" + strings.Repeat("\nDanke\nSegel Nord GmbH", 3): "5.82 5.81 5.79 5.77",
		"Kran Jade": "",
		"Nord Bank AG, IBAN DE89 3704 0044 0532 0130 00":               "",
		"Bank      Segel Nord AG":                                      "",
		"Amtsgericht Kiel AG":                                          "",
		low(20) + "Die Haftung der Segel Nord AG":                      "",
		"Kunde      Menge     Preis      Betrag      Summe\nKran Jade": "6.98",
		"Kunde      Kran Jade     Preis      Betrag      Summe":        "",
	} {
		var got []string
		for _, p := range candidates(cellsOf(layout(text).Pages)) {
			got = append(got, fmt.Sprintf("%.2f", p.score))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %s, want %s", strings.Trim(text, " \n"), got, want)
		}
	}
}
