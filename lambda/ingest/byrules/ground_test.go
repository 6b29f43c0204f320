package byrules

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// A name needs more than one ground before it passes without a person.
func TestNamesAreGrounded(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/names-are-grounded")
	const head = `
Weser Spedition AG
#Rechnung Nr. T-5 vom 03.05.2026
`
	const by = "\n\n\n\n"
	const address = "Ring 1\n28195 Bremen"
	for name, test := range map[string]struct {
		text string
		own  []document.Party
		want string
	}{
		"a label alone":           {head + by + "Käufer: Nur per Portal", nil, "only one thing on the page names the buyer"},
		"a company":               {head + by + "Käufer: Kran Nord GmbH", nil, ""},
		"our company":             {head + by + "Käufer: Kran Nord", []document.Party{{Name: "Kran Nord"}}, ""},
		"a label and an address":  {head + by + "Käufer:\nKran Nord\n" + address, nil, ""},
		"a label and a domain":    {head + by + "Käufer: Kran Nord" + by + "www.krannord.example", nil, ""},
		"a window":                {head + by + "Kran Nord\n" + address, nil, ""},
		"a word in a window":      {head + by + "Einkauf\n" + address, nil, "only one thing on the page names the buyer"},
		"a label in the window":   {head + by + "Lieferung an\n" + address, nil, ""},
		"a person":                {head + by + "Hr. Lind\n" + address, nil, "a person's name stands for the buyer"},
		"a window and a rival":    {head + by + "Kran Nord\n" + address + by + "Frachtführer\nHafen 3\n28199 Bremen", nil, "another name may be the buyer's"},
		"a rival of a company":    {head + by + "Kran Nord GmbH\n" + address + by + "Frachtführer\nHafen 3\n28199 Bremen", nil, ""},
		"a letterhead and a web":  {strings.Replace(head, " AG", "", 1) + by + "www.weserspedition.example", nil, ""},
		"an account's owner":      {"\n#Rechnung Nr. T-5 vom 03.05.2026" + by + "Kontoinhaber: Kran Nord", nil, ""},
		"an account's bank":       {strings.Replace(head, " AG", "", 1) + by + "Kontoinhaber: Kran Nord", nil, "only one thing on the page names the supplier"},
		"an owner":                {strings.Replace(head, "Weser Spedition AG", "Inh. Jon Lind e.K.", 1), nil, "a person's name stands for the supplier"},
		"a letterhead alone":      {strings.Replace(head, " AG", "", 1), nil, "only one thing on the page names the supplier"},
		"a letterhead and a line": {strings.Replace(head, " AG", "\nVia Po 12 - 10121 Torino", 1), nil, ""},
		"a large letterhead":      {strings.Replace(head, "Weser Spedition AG", "#Weser Spedition", 1), nil, ""},
	} {
		got := ""
		for _, d := range seen.asIs(layout(test.text), test.own...)[0].Doubts {
			got += d.Text
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// A share capital in a footer or a sentence names no currency of a paper without a total.
func TestCapitalIsNoCurrency(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/capital-is-no-currency")
	const note = `
Tôlerie Brun SA
#Bon de livraison n° 771
`
	for text, want := range map[string]string{
		note + "Tôlerie Brun, société anonyme au capital de 455 500 EUR": "",
		note + strings.Repeat("\n", 60) + "SA au capital de 455 500 EUR": "",
		note + "Valeur 300,00 EUR": "EUR",
		note + "Tôlerie Brun, société anonyme au capital de 455 500 EUR\nTotal 10,00 EUR": "EUR",
	} {
		if got := seen.asIs(layout(text))[0].Data.Currency; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
