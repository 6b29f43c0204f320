package byrules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
)

// The lines of an address below "Kran Jade": up to the postcode, four at most, without a gap or anything else.
func TestAddressLines(t *testing.T) {
	t.Parallel()
	for below, want := range map[string]string{
		"Hafen 1\n26382 Leer":                  "Hafen 1|26382 Leer",
		"26382 Leer":                           "26382 Leer",
		"Büro\nHaus\nHafen 1\n26382 Leer":      "Büro|Haus|Hafen 1|26382 Leer",
		"Büro\nHaus\nTor\nHafen 1\n26382 Leer": "",
		"Hafen 1\nLeer":                        "",
		"Hafen 1\nTel. 5\n26382 Leer":          "",
		"Hafen 1\nKunde\n26382 Leer":           "",
		"Hafen 1\nRechnung\n26382 Leer":        "",
		"Hafen 1\nFrau\n26382 Leer":            "",
		"Hafen 1\n03.05.2026\n26382 Leer":      "",
		"Hafen 1\n4711\n26382 Leer":            "",
		"Hafen 1   am Tor\n26382 Leer":         "",
		"Hafen 1\n\n26382 Leer":                "Hafen 1|26382 Leer",
		"\nHafen 1\n26382 Leer":                "Hafen 1|26382 Leer",
		"\n\n\nHafen 1\n26382 Leer":            "",
		"     Hafen 1\n     26382 Leer":        "",
		"":                                     "",
	} {
		cells := cellsOf(layout("Kran Jade\n" + below).Pages)
		if got := strings.Join(address(cells, cells[0]), "|"); got != want {
			t.Errorf("%q: got %q, want %q", below, got, want)
		}
	}
	cells := cellsOf(layout("Kran Jade, Hafen 1, 26382 Leer\nAm Kai 9\n28195 Bremen").Pages)
	if got := address(cells, cells[0]); got != nil {
		t.Errorf("below a sender's line: got %q", got)
	}
}

// Whether a town stands below "Kran Jade", a telephone below the town, and whether the block begins above.
func TestTownsBelowNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Kran Jade\nHafen 1\n26382 Leer":                       "town 26382 Leer",
		"Kran Jade\n26382 Leer":                                "",
		"Kran Jade\nHafen 1, 26382 Leer":                       "town Hafen 1, 26382 Leer",
		"Kran Jade\nBüro\nHaus\nTor\nHafen 1\n26382 Leer":      "town 26382 Leer",
		"Kran Jade\nBüro\nHaus\nTor\nHof\nHafen 1\n26382 Leer": "",
		"Kran Jade\nKunde\nHafen 1\n26382 Leer":                "",
		"Kran Jade\nFrau\nHafen 1\n26382 Leer":                 "",
		"Kran Jade\nHafen 1\n26382 Leer\nTel. 5":               "town 26382 Leer, reached",
		"Kran Jade\nHafen 1\n26382 Leer\na\nb\nTel. 5":         "town 26382 Leer, reached",
		"Kran Jade\nHafen 1\n26382 Leer\na\nb\nc\nTel. 5":      "town 26382 Leer",
		"Weser Fisch\nKran Jade\nHafen 1\n26382 Leer":          "town 26382 Leer, begun",
		"28195 Bremen\nKran Jade\nHafen 1\n26382 Leer":         "town 26382 Leer",
		"Weser Fisch\n\n\nKran Jade\nHafen 1\n26382 Leer":      "town 26382 Leer",
		"     Weser Fisch\nKran Jade\nHafen 1\n26382 Leer":     "town 26382 Leer",
	} {
		cells := cellsOf(layout(text).Pages)
		i := slices.IndexFunc(cells, func(c cell) bool { return c.Text == "Kran Jade" })
		got := ""
		if j, ok := townBelow(cells, i); ok {
			got = "town " + cells[j].Text
			if reachable(cells, j) {
				got += ", reached"
			}
			if begun(cells, i) {
				got += ", begun"
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// What a name rests on: its doubts on an invoice with the sender "Segel Nord GmbH".
func TestGroundsOfNames(t *testing.T) {
	t.Parallel()
	const head, title = "Segel Nord GmbH\n\n\n\n\n\n\n", "\n\n#Rechnung Nr. 7\nBitte zahlen Sie bald.\nDanke für den Auftrag.\n"
	const jade, rival = "Kran Jade\nHafen 1\n26382 Leer\n", "Deich Bau\nAm Kai 9\n28195 Bremen"
	low := strings.Repeat("\n", 25)
	const another, one = "another name may be the buyer's", "only one thing on the page names the buyer"
	for name, test := range map[string][2]string{
		"a window":                       {head + jade + title, ""},
		"a rival":                        {head + jade + title + "\n\n" + rival, another},
		"a rival low on the page":        {head + jade + title + low + rival, ""},
		"a rival on another page":        {head + jade + title + "\n-----\nRechnung Nr. 7\n\n\n" + rival, ""},
		"a rival without a town":         {head + jade + title + "\n\nDeich Bau\nAm Kai 9", ""},
		"a rival with a label":           {head + jade + title + "\n\nLieferanschrift\n" + rival, ""},
		"the same name again":            {head + jade + title + "\n\n" + jade, ""},
		"the supplier's name again":      {head + jade + title + "\n\n" + strings.Replace(rival, "Deich Bau", "Segel Nord", 1), ""},
		"a rival below another line":     {head + jade + title + "Text davor\n" + rival, ""},
		"a rival of a labelled name":     {head + title + "Kunde:\n" + jade + "\n\n" + rival, ""},
		"a label":                        {head + title + "Kunde: Kran Jade", one},
		"a label and a domain":           {head + title + "Kunde: Kran Jade\nwww.kranjade.example", ""},
		"a label and a footer":           {head + title + "Kunde: Kran Jade" + footer + "\n\n\n\n\n\n\n\n\n\nKran Jade", ""},
		"a label and large print":        {head + title + "Kunde\n#Kran Jade", ""},
		"a label and large print, low":   {head + title + low + "Kunde\n#Kran Jade", one},
		"a label and an address":         {head + title + "Kunde\nKran Jade\nHafen 1, 26382 Leer", ""},
		"a label and a street":           {head + title + "Kunde\nKran Jade\nHafen 1", one},
		"a word and a window":            {head + strings.Replace(jade, "Kran Jade", "Kranjade", 1) + title, one},
		"a word, a window, a salutation": {head + "Firma\n" + strings.Replace(jade, "Kran Jade", "Kranjade", 1) + title, ""},
		"a department":                   {head + strings.Replace(jade, "Kran Jade", "Abteilung Einkauf", 1) + title, "a department or a street stands for the buyer"},
		"a department with its domain":   {head + title + "Kunde: Jade Einkauf\nwww.jadeeinkauf.example", ""},
		"a person":                       {head + strings.Replace(jade, "Kran Jade", "Dhr. Lind", 1) + title, "a person's name stands for the buyer"},
		"two names in a row":             {"Kran Jade                                 Segel Nord\nHafen 1                                   Kai 4\n26382 Leer                                24103 Kiel" + title + "www.krannord.example", ""},
	} {
		got := ""
		for _, d := range Extract(layout(test[0]))[0].Doubts {
			if d.Field == "buyer.name" {
				got += d.Text
			}
		}
		if got != test[1] {
			t.Errorf("%s: got %q, want %q", name, got, test[1])
		}
	}
}

// Whether the page tells the supplier from the buyer.
func TestWhoIsTold(t *testing.T) {
	t.Parallel()
	const two = "Deich Bau\nText\n\n\n\nSegel Nord GmbH\n\n\n"
	const jade = "Kran Jade KG\nHafen 1\n26382 Leer\n"
	for name, test := range map[string]struct {
		text string
		own  string
		told bool
	}{
		"the first name":         {"Segel Nord GmbH\n\n#Rechnung Nr. 7", "", true},
		"a second name":          {two + "#Rechnung Nr. 7", "", false},
		"a second name in a row": {"Segel Nord GmbH      Deich Bau\n\n\n#Rechnung Nr. 7", "", false},
		"contact details first":  {"post@nord.example\nTelefon\nSegel Nord GmbH\n\n#Rechnung Nr. 7", "", true},
		"a label":                {strings.Replace(two, "Segel", "Lieferant: Segel", 1) + "#Rechnung Nr. 7", "", true},
		"a buyer's label":        {two + "#Rechnung Nr. 7\nKunde: Kran Jade", "", true},
		"a salutation":           {two + "Firma\n" + jade + "#Rechnung Nr. 7", "", true},
		"our company":            {two + jade + "#Rechnung Nr. 7", "Kran Jade KG", true},
		"a footer":               {two + "#Rechnung Nr. 7" + footer + "\n\n\n\n\n\n\n\nSegel Nord GmbH, Kai 4", "", true},
		"a domain":               {two + "#Rechnung Nr. 7\nwww.segelnord.example", "", true},
		"another's domain":       {two + "#Rechnung Nr. 7\nwww.kranjade.example", "", false},
	} {
		var own []document.Party
		if test.own != "" {
			own = []document.Party{{Name: test.own}}
		}
		told := !slices.ContainsFunc(Extract(layout(test.text), own...)[0].Doubts, func(d extraction.Doubt) bool {
			return d.Text == "nothing on the page tells the supplier from the buyer"
		})
		if told != test.told {
			t.Errorf("%s: told %v", name, told)
		}
	}
}

// The numbers of a type and of others; the one of a credit note or a confirmation may have another type's label.
func TestNumbersByType(t *testing.T) {
	t.Parallel()
	const credit = "#Gutschrift\nRechnungsnr. 77-1   Datum 03.05.2026\nzu Rechnung Nr. 5-1\nBestellung Nr. 9-1"
	const order = "#Order confirmation\nOrder No. 77-1\nYour order No. 5-1\nDelivery note No. 9-1"
	for _, test := range []struct {
		text string
		kind document.Type
		want string
	}{
		{credit, document.CreditNote, "[77-1] [9-1]"}, {credit, document.Invoice, "[77-1] [9-1]"}, {credit, document.PurchaseOrder, "[9-1] [77-1]"}, {credit + "\n-----\nRechnung Nr. 8-1", document.Invoice, "[77-1] [9-1]"},
		{order, document.OrderConfirmation, "[77-1] [9-1]"}, {order, document.PurchaseOrder, "[77-1] [9-1]"}, {order, document.DeliveryNote, "[9-1] [77-1]"},
	} {
		own, others := Named(layout(test.text), []int{1}, test.kind)
		if got := fmt.Sprint(own, others); got != test.want {
			t.Errorf("%s of %q: got %s, want %s", test.kind, test.text, got, test.want)
		}
	}
}

// The sums of another reading are replaced by others that add up to its total.
func TestSumsAddUp(t *testing.T) {
	t.Parallel()
	const year = "Netto   1.000,00\nMwSt   190,00\nSumme   1.190,00\n"
	const own = "Netto   100,00\nMwSt   19,00\nSumme   119,00\n"
	for text, want := range map[string]string{year + own: "100 19 0 taxes", "Netto   100,00\nMwSt   19,00\n\nNetto   110,00\nMwSt   9,00\nSumme   119,00": "110 9 0 taxes", year: "1 2 1 taxes", "Summe   119,00": "1 2 1 taxes", "Netto   119,00\nSumme   119,00": "1 2 1 taxes", "Danke\n-----\n" + own: "1 2 1 taxes"} {
		pages := layout(text)
		e := Extract(layout("Summe   119,00"))[0]
		e.Data.Subtotal, e.Data.Tax = document.MustAmount("1"), document.MustAmount("2")
		e.Data.Taxes = []document.Tax{{}}
		for _, path := range []string{"taxes.0.rate", "taxes.0.base", "taxes.0.amount"} {
			e.Fields[path] = e.Fields["total"]
		}
		f := e.Fields["total"]
		f.Quote = "119,00"
		e.Fields["total"] = f
		AddUp(&e, pages)
		left := 0
		for path := range e.Fields {
			if strings.HasPrefix(path, "taxes.") {
				left++
			}
		}
		got := fmt.Sprintf("%s %s %d taxes", e.Data.Subtotal.Canonical(), e.Data.Tax.Canonical(), len(e.Data.Taxes))
		if got != want || left != 3*len(e.Data.Taxes) {
			t.Errorf("%q: got %s, %d fields of taxes; want %s", text, got, left, want)
		}
	}
}

// A number with another type's label is of the paper's type, whose words for its day count.
func TestDaysOfLentNumbers(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]document.Type{
		"#Order confirmation\nOrder No. 77-1\nYour order No. 5-1\n\n\nConfirmed on: 03.05.2026":                 document.OrderConfirmation,
		"#Gutschrift\nRechnungsnr. 77-1   Rechnungsdatum\nzu Rechnung Nr. 5-1\n\n\nGutschrift vom   03.05.2026": document.CreditNote,
	} {
		days := LabelsOf(layout(text), []int{1}, kind).Days
		if len(days) != 1 || !days[0].Own {
			t.Errorf("%s: got %+v", text, days)
		}
	}
}

// A paper from which only the recipient was read goes to a person, unless the recipient is ours or a label says that it
// buys or supplies.
func TestRecipientAloneIsDoubted(t *testing.T) {
	t.Parallel()
	const doubt = "the only party that was read may have sent the paper"
	const confirmed = "#Auftragsbestätigung Nr. 7\n"
	for text, want := range map[string]bool{
		confirmed + "An: Kran Jade KG":                           true,
		confirmed + "An: Heim Werk GmbH":                         false,
		confirmed + "Kunde: Kran Jade KG":                        false,
		confirmed + "Verkäufer: Segel Nord AG\nAn: Kran Jade KG": false,
		"#Bestellung Nr. 7\nAn: Segel Nord AG":                   true,
		"#Bestellung Nr. 7\nLieferant: Segel Nord AG":            false,
		"#Wareneingang Nr. 7\nLieferant: Segel Nord AG":          false,
		"#Rechnung Nr. 7\nAn: Kran Jade KG":                      false, // it needs a supplier
	} {
		e := Extract(layout(text), document.Party{Name: "Heim Werk GmbH"})[0]
		got := slices.ContainsFunc(e.Doubts, func(d extraction.Doubt) bool { return d.Text == doubt })
		if got != want {
			t.Errorf("%s: doubted %v, supplier %q, buyer %q", text, got, e.Data.Supplier.Name, e.Data.Buyer.Name)
		}
	}
}
