package byrules

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
)

// linesIn shows the lines of a paper: quantity, unit, price, amount, description; and what is doubted about them.
func linesIn(text string) string {
	e := Extract(layout(text))[0]
	var all []string
	for _, l := range e.Data.Lines {
		line := fmt.Sprint(l.Quantity.Canonical(), " ", l.Unit, " ", l.UnitPrice.Canonical(), " ", l.PriceFor.Canonical(), " ", l.Amount.Canonical(), " ", l.Description)
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	out := strings.Join(all, "; ") + unquoted(e)
	for _, d := range e.Doubts {
		if d.Field == "line_items" {
			out += ": " + d.Text
		}
	}
	return out
}

// unquoted lists the fields without the quote, the page or the value that they must have.
func unquoted(e extraction.Extraction) (paths string) {
	for _, v := range extraction.Values(e.Data) {
		if f := e.Fields[v.Path]; f.Quote == "" || f.Page == 0 || f.Value != v.Text {
			paths += fmt.Sprintf(" %s is %+v", v.Path, f)
		}
	}
	return paths
}

// Rows that are lines, and rows between and below them that are not.
func TestRowsOfTables(t *testing.T) {
	t.Parallel()
	const invoice = "#Rechnung Nr. 7\n"
	const head = invoice + "Pos   Artikel               Menge      Preis      Betrag\n"
	const aal, dorsch = "1     Aal                    2       10,00       20,00\n", "2     Dorsch                 3       20,00       60,00\n"
	const two = "2 10 20 Aal; 3 20 60 Dorsch"
	const note = "#Lieferschein Nr. 7\n"
	for name, test := range map[string][2]string{
		"lines":                         {head + aal + dorsch, two},
		"carried, in the first cell":    {head + aal + "Übertrag von Seite 1                           20,00\n" + dorsch, two},
		"carried, in the second cell":   {head + aal + "9     Übertrag                                 20,00\n" + dorsch, two},
		"a subtotal of the page":        {head + aal + "      Zwischensumme                            20,00\n" + dorsch, two},
		"the sum by its amount":         {head + aal + dorsch + "      Alles                                    80,00\n", two},
		"a row as high as one line":     {head + aal + "      Hummer                                   20,00\n", "2 10 20 Aal; 20 Hummer"},
		"a sum of a group":              {head + aal + "      Summe Süßwasser                          20,00\n" + dorsch, two},
		"a sum that is none's":          {head + aal + "      Summe Süßwasser                          25,00\n" + dorsch, "2 10 20 Aal"},
		"a row without a price below":   {head + aal + dorsch + "      Netto                                    80,00\n      Pfand                                     5,00\n", two},
		"a row with a quantity below":   {head + aal + dorsch + "      Netto                                    80,00\n      Pfand                  1                  5,00\n", two + "; 1 5 Pfand"},
		"a row with a price below":      {head + aal + dorsch + "      Netto                                    80,00\n      Pfand                          5,00       5,00\n", two + "; 5 5 Pfand"},
		"a tax ends the table":          {head + aal + "      MwSt 19 %                                 3,80\n" + dorsch, "2 10 20 Aal"},
		"a rate belongs to the line":    {head + aal + "      Steuer 19 %\n" + dorsch, two},
		"another table":                 {head + aal + dorsch + "\nSatz       Bemerkung        Code       Wert\n3          Hafen                        20,00\n", two},
		"another table of two heads":    {head + aal + dorsch + "\nBemerkung                               Wert\n3     Hafen                  1       20,00       20,00\n", two + "; 1 20 20 Hafen"},
		"a description in two rows":     {head + "1     Aal,                   2       10,00       20,00\n      geräuchert\n" + dorsch, "2 10 20 Aal,; 3 20 60 Dorsch"},
		"a description above":           {invoice + "Pos   Artikel\n            Menge      Preis      Betrag\n1     Aal\n            2          10,00       20,00\n2     Dorsch\n            3          20,00       60,00\n", two},
		"a row above without a number":  {invoice + "Pos   Artikel\n            Menge      Preis      Betrag\nA     Aal\n            2          10,00       20,00\n", "2 10 20 Aal"},
		"a description below":           {invoice + "Artikel               Menge      Preis      Betrag\n                       2       10,00       20,00\nAal\n", "2 10 20 Aal"},
		"a description far below":       {invoice + "Artikel               Menge      Preis      Betrag\n                       2       10,00       20,00\n\nAal\n", "2 10 20"},
		"a number and no description":   {head + "1     4711                   2       10,00       20,00\n", "2 10 20"},
		"amounts lower":                 {head + "1     Aal                    2       10,00\n                                               20,00\n2     Dorsch                 3       20,00\n                                               60,00\n", two},
		"amounts far lower":             {head + "1     Aal                    2       10,00\n\n                                               20,00\n", ""},
		"a sum lower":                   {head + "1     Aal                    2       10,00\nSumme                                          20,00\n", ""},
		"three words below a line":      {head + aal + "      blau      matt      fest\n" + dorsch, two},
		"three words below the amounts": {head + aal + "      blau      matt                              fest\n" + dorsch, "2 10 20 Aal"},
		"a thousand":                    {head + "1     Aal               2.000        0,01       20,00\n", "2000 0.01 20 Aal"},
		"a price of many units":         {head + "1     Aal                  200   10,00/100       20,00\n", "200 10 100 20 Aal"},
		"a price of many units, apart":  {head + "1     Aal per 100          200      10,00       20,00\n", "200 10 100 20 Aal per 100"},
		"its own quantity is no number": {head + "1     Aal                  100      20,00       20,00\n", "100 20 20 Aal"},
		"its own amount is no number":   {head + "1     Aal                   10     100,00       10,00\n", "10 100 10 Aal"},
		"a price in per cent":           {head + "1     Aal                  200    10,00 %       20,00\n", "200 10 100 20 Aal"},
		"a discount as price":           {head + "1     Aal                    2    10,00 %       18,00\n", "2 18 Aal"},
		"a price per mille":             {head + "1     Aal                 2000    10,00 ‰       20,00\n", "2000 10 1000 20 Aal"},
		"two amounts in a cell":         {head + "1     Aal                    2       10,00       18,00 20,00\n", "2 10 20 Aal"},
		"thousands with a blank":        {head + "1     Aal                    2    1 000,00    2 000,00\n", "2 1000 2000 Aal"},
		"a charge at the end":           {head + aal + dorsch + "      Versand                                   9,00\n", two},
		"a charge that is a line":       {head + aal + "2     Versand                3       20,00       60,00\n", "2 10 20 Aal; 3 20 60 Versand"},
		"a charge alone":                {head + "      Versand                                   9,00\n", "9 Versand"},
		"two charges alone":             {head + "      Versand                                   9,00\n      Rabatt                                    1,00\n", "9 Versand"},
		// Heads.
		"amount, product, price, total": {invoice + "Amount     Product          Price      Total\n2          Aal              10,00      20,00\n", "2 10 20 Aal"},
		"item, description":             {invoice + "Item       Description      Qty     Price      Total\nA-7        Aal              2       10,00      20,00\n", "2 10 20 Aal"},
		"price part, price":             {invoice + "Preis             Menge     EUR/Einh.     Betrag\nArbeit            2         10,00         20,00\n", "2 10 20 Arbeit"},
		"ordered as quantity":           {invoice + "Artikel          Bestellt     Preis      Betrag\nAal              2            10,00      20,00\n", "2 10 20 Aal"},
		"ordered without an amount":     {invoice + "Artikel          Bestellt     Preis\nAal              2            10,00\n", ""},
		"an unknown head":               {invoice + "Qwertz                       Menge     Preis      Betrag\nAal                          2         10,00      20,00\n", "2 10 20 Aal"},
		"an unknown narrow head":        {invoice + "Qwertz    Menge     Preis                  Betrag\nAal       2         10,00                  20,00\n", ""},
		"heads with a number":           {invoice + "Qwertz 5                     Menge     Preis      Betrag\nAal                          2         10,00      20,00\n", ""},
		"heads in two rows, far":        {invoice + "Artikel            Menge     Preis       Betrag\n\n                             netto       netto\nAal                2         10,00       20,00\n", "2 10 20 Aal"},
		"a description and a rate":      {invoice + "Leistung                    USt       Betrag\nFracht                      19         20,00\n", "20 Fracht"},
		"a description and an amount":   {invoice + "Leistung                    Betrag\nFracht                       20,00\n", ""},
		// Rows without prices.
		"a gap of lines":                 {note + "Artikel            Menge\nAal                12\n\n\nDorsch             31\n", "12 Aal; 31 Dorsch"},
		"a wide gap":                     {note + "Artikel            Menge\nAal                12\n\n\n\n\n\nDorsch             31\n", "12 Aal"},
		"an unread row":                  {note + "Pos     Artikel            Menge\n1       Aal                12\n2       Dorsch\n3       Hummer             31\n", "12 Aal; 31 Hummer: a row among the lines was not read"},
		"an unread row elsewhere":        {note + "Pos     Artikel            Menge\n1       Aal                12\n    2       Dorsch\n2       Hummer             31\n", "12 Aal; 31 Hummer"},
		"nothing delivered":              {note + "Pos     Artikel            Menge\n1       Aal                12\n2       Dorsch             0\n3       Hummer             31\n", "12 Aal; 31 Hummer"},
		"a gap behind nothing delivered": {note + "Pos     Artikel            Menge\n1       Aal                12\n2       Dorsch             0\n4       Hummer             31\n", "12 Aal; 31 Hummer: the numbers of the lines have a gap"},
		"a gap by ten":                   {note + "Pos     Artikel            Menge\n10      Aal                12\n20      Dorsch             5\n40      Hummer             31\n", "12 Aal; 5 Dorsch; 31 Hummer: the numbers of the lines have a gap"},
		"a gap by a hundred":             {note + "Pos     Artikel            Menge\n100     Aal                12\n200     Dorsch             5\n400     Hummer             31\n", "12 Aal; 5 Dorsch; 31 Hummer: the numbers of the lines have a gap"},
		"steps of five":                  {note + "Pos     Artikel            Menge\n5       Aal                12\n10      Dorsch             5\n20      Hummer             31\n", "12 Aal; 5 Dorsch; 31 Hummer"},
		"from three on":                  {note + "Pos     Artikel            Menge\n3       Aal                12\n4       Dorsch             5\n6       Hummer             31\n", "12 Aal; 5 Dorsch; 31 Hummer"},
		"from two on":                    {note + "Pos     Artikel            Menge\n2       Aal                12\n3       Dorsch             5\n", "12 Aal; 5 Dorsch: the numbers of the lines have a gap"},
		"numbers that fall":              {note + "Pos     Artikel            Menge\n4       Aal                12\n1       Dorsch             5\n2       Hummer             31\n", "12 Aal; 5 Dorsch; 31 Hummer"},
		"one line":                       {note + "Pos     Artikel            Menge\n2       Aal                12\n", "12 Aal"},
		"a line without a unit":          {note + "Artikel            Menge\nAal                12 kg\nDorsch             5\nHummer             31 Stk\n", "12 kg Aal; 5 Dorsch; 31 Stk Hummer: one line has no unit, but all others do"},
		"one of two without a unit":      {note + "Artikel            Menge\nAal                12 kg\nDorsch             5\n", "12 kg Aal; 5 Dorsch"},
		"two without a unit":             {note + "Artikel            Menge\nAal                12 kg\nDorsch             5\nHummer             31\n", "12 kg Aal; 5 Dorsch; 31 Hummer"},
		"no lines on a note":             {note + "Es grüßt der Fahrer", ": no lines were read"},
		"no lines on an invoice":         {invoice + "Aal      Kiel      2      20,00\n", ""},
		"two rows on an invoice":         {invoice + "Aal      Kiel      2      20,00\nDorsch   Kiel      3      60,00\n", ": rows with amounts were not read as lines"},
		"two rows of two cells":          {invoice + "Aal               20,00\nDorsch            60,00\n", ""},
		"two rows without decimals":      {invoice + "Aal      Kiel      2      20\nDorsch   Kiel      3      60\n", ""},
		"rows of taxes":                  {invoice + "7 %       20,00      1,40      21,40\n19 %      60,00     11,40      71,40\n", ""},
		"heads and values of sums":       {invoice + "Netto     MwSt       Summe\n20,00     3,80       23,80\nNetto     MwSt       Summe\n60,00     11,40      71,40\n", ""},
	} {
		if got := linesIn(test[0]); got != test[1] {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test[1])
		}
	}
}

// Heads close together in a cell, by the column before.
func TestNarrowHeads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Pos Menge": "Pos|Menge", "SKU Menge": "SKU|Menge", "Code Preis": "Code|Preis", "MwSt Preis": "MwSt|Preis", "Rabatt Preis": "Rabatt|Preis", "Bestellt Preis": "Bestellt|Preis", "Geliefert Preis": "Geliefert|Preis",
		"Menge Preis": "Menge|Preis", "Menge Betrag": "Menge Betrag", "Bezeichnung Menge": "Bezeichnung|Menge", "Bezeichnung Preis": "Bezeichnung Preis", "Preis Menge": "Preis Menge", "Preis Bezeichnung": "Preis|Bezeichnung",
		"Menge Menge": "Menge Menge", "Qwertz Menge": "Menge", "Menge Qwertz": "Menge Qwertz", "Pos Qwertz Menge": "Pos Qwertz|Menge", "Pos-Menge": "", "Item # Menge": "Item #|Menge",
	} {
		c := cell{Line: transcript.Line{Text: text}}
		c.Box.Right = float64(len(text))
		var got []string
		for _, part := range headsIn(c) {
			got = append(got, part.Text)
			if at := strings.Index(text, part.Text); int(part.Box.Left+0.5) != at || int(part.Box.Right+0.5) != at+len(part.Text) {
				t.Errorf("%s: %s stands at %v to %v", text, part.Text, part.Box.Left, part.Box.Right)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %s", text, got, want)
		}
	}
}

// A sign or a word may say that a price is for many units.
func TestPricedPer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"20,00 %": "100", "20,00 ‰": "1000", "24 ct/kWh": "100", "24 Cent": "100", "20,00 / 100": "", "percent": "", "20,00": ""} {
		for _, units := range []string{"100", "1000", ""} {
			if got := PricedPer(text, units); got != (units == want && want != "") {
				t.Errorf("%s for %s: got %v", text, units, got)
			}
		}
	}
}
