package byrules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/internal/must"
)

// A paper with a name, a number or a date more, under a label that no list has, keeps its fields, or a person is asked.
func TestUnseenLabelsChangeNothing(t *testing.T) {
	t.Parallel()
	date := regexp.MustCompile(`(?m)^(.*?)(\d{1,2}[./]\d{1,2}[./]\d{4})`)
	for _, file := range must.Get(filepath.Glob("testdata/papers/*.txt"))(t) {
		text := string(must.Get(os.ReadFile(file))(t))
		if strings.Contains(text, "\f") || len(text) > 2500 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			before := Extract(layout(text))[0]
			name, number := before.Data.Supplier.Name, before.Data.Number
			if len(before.Doubts) > 0 || number == "" {
				return
			}
			if fromBuyer(before.Type) {
				name = before.Data.Buyer.Name
			}
			line := regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(number))
			for kind, changed := range map[string]string{
				"a name":  "#Studio Plugh\n" + text,
				"a brand": "#Studio Plugh\n" + strings.Replace(text, name, "Studio Plugh", 1) + "\n\n" + name,
				"a date":  date.ReplaceAllString(text, "Xyzzy: 01.02.2026\n$1$2"),
				"a mark":  line.ReplaceAllString(text, "Nr. 7-7341\n$0"),
			} {
				if kind == "a brand" && !IsCompany(name) {
					continue // nothing in the imprint tells it
				}
				for _, e := range Extract(layout(changed)) {
					same(t, kind, before, e)
				}
			}
		})
	}
}

// same fails if a field has another value than before and nobody is asked.
func same(t *testing.T, kind string, before, after extraction.Extraction) {
	t.Helper()
	if len(after.Doubts) > 0 || len(after.Missing) > 0 {
		return
	}
	for _, path := range []string{"number", "date", "supplier.name", "buyer.name", "currency", "total"} {
		if got, ok := after.Fields[path]; ok && !strings.Contains(before.Fields[path].Value, got.Value) {
			t.Errorf("with %s: got the %s %q, want %q", kind, path, got.Value, before.Fields[path].Value)
		}
	}
}

// A second number or date with a label of the same kind, and another company's name, are for a person.
func TestRivalsAreDoubted(t *testing.T) {
	t.Parallel()
	const number, date = "another number has a label of the same kind", "another date may be the document's"
	const supplier, buyer = "another company may be the supplier", "another company may be the buyer"
	const head, dated = "\nWeser Spedition AG\n", "\nDatum: 03.05.2026"
	const shop, web = "\nHof Linde\nWeg 4, 28195 Bremen\n", "\nwww.hoflinde.example"
	for name, test := range map[string]struct{ text, want string }{
		"one number":              {head + "#Rechnung Nr. T-5" + dated, ""},
		"two numbers":             {head + "#Rechnung Nr. T-5" + dated + "\nRechnungsnummer: T-6", number},
		"a mark alone":            {head + "#Rechnung Nr. T-5" + dated + "\nBelegnummer: 77-61", number},
		"the same number":         {head + "#Rechnung Nr. T-5" + dated + "\nBelegnummer: T 5", ""},
		"an order's number":       {head + "#Rechnung Nr. T-5" + dated + "\nBestellnummer: 77-61", ""},
		"a number paid for":       {head + "#Rechnung Nr. T-5" + dated + "\nRechnung Nr. 77-61       20,00 EUR", ""},
		"a confirmation's mark":   {head + "#Auftragsbestätigung" + dated + "\nNummer: A-77\nIhre Bestellung: B-9\nUnsere Auftrags-Nr.: 4711", ""},
		"two dates":               {head + "#Rechnung Nr. T-5" + dated + "\nBelegdatum: 05.05.2026", date},
		"a date of the title":     {head + "#Gutschrift Nr. T-5\nGutschriftsdatum: 03.05.2026\nRechnungsdatum: 01.05.2026", ""},
		"a date of the event":     {head + "#Lieferschein Nr. T-5\nLieferdatum: 03.05.2026\nXyzzy: 05.05.2026", date},
		"a date of printing":      {head + "#Rechnung Nr. T-5" + dated + "\nUtskriftsdatum: 05.05.2026", ""},
		"a trading name":          {shop + "#Rechnung Nr. T-5" + dated + web, ""},
		"and its company":         {shop + "#Rechnung Nr. T-5" + dated + web + "\n\nLinde Gartenbau GmbH · Sparkasse Bremen 471", supplier},
		"and a sentence about it": {shop + "#Rechnung Nr. T-5" + dated + web + "\n\nHof Linde is one of the many names under which we trade as Garten Nord GmbH.", supplier},
		"and its bank":            {shop + "#Rechnung Nr. T-5" + dated + web + "\n\nBankverbindung: Nord Kredit AG", ""},
		"a name above":            {"#Studio Nord" + shop + "#Rechnung Nr. T-5" + dated, supplier},
		"with a word repeated":    {"#Studio Nord" + shop + "#Rechnung Nr. T-5" + dated + "\nGruß, Ihr Studio", ""},
		"a label above a company": {head + "\n\nXyzzy Nord\nKran Jade GmbH\nRing 1\n28195 Bremen\n\n#Rechnung Nr. T-5" + dated, buyer},
	} {
		got := ""
		for _, d := range doubtsBesideLines(Extract(layout(test.text))[0]) {
			got += d.Text
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
