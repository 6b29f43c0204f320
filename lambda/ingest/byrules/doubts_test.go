package byrules

import (
	"strings"
	"testing"
)

// What is doubted about a total, by the type of the paper and what is printed around it.
func TestDoubtsAboutTotals(t *testing.T) {
	t.Parallel()
	const lines = heads + bolts + nuts
	const alone, more, tax, unread = "nothing printed adds up to the total 100.00", ", and a greater amount is printed", "a tax is printed, but nothing adds up to the total 100.00 with it",
		"the lines were not read, and no subtotal and tax add up to the total 100.00"
	for name, test := range map[string]struct{ text, invoice, order string }{
		"a total alone":                {"\nSumme   100,00", alone, ""},
		"a greater amount":             {"\nSumme   100,00\nKredit   900,00", alone + more, alone + more},
		"lines":                        {lines + "\nSumme   100,00", "", ""},
		"lines and a greater amount":   {lines + "\nSumme   100,00\nKredit   900,00", alone + more, ""},
		"lines and a tax":              {lines + "\nMwSt   5,00\nSumme   100,00", tax, tax},
		"a tax that adds nothing up":   {"\nMwSt   5,00\nSumme   100,00", alone, tax},
		"one line":                     {heads + "\n1     Bolzen            4         25,00      100,00\nSumme   100,00", alone, ""},
		"one line, no tax by law":      {heads + "\n1     Bolzen            4         25,00      100,00\nSumme   100,00\nReverse charge", "", ""},
		"one line and a net":           {heads + "\n1     Bolzen            4         25,00      100,00\nNetto   100,00\nSumme   100,00", "", ""},
		"a net alone":                  {"\nNetto   100,00\nSumme   100,00", alone, ""},
		"a net alone, no tax by law":   {"\nNetto   100,00\nSumme   100,00\nReverse charge", "", ""},
		"a total alone, no tax by law": {"\nSumme   100,00\nReverse charge", alone, ""},
		"heads without lines":          {heads + "\nwie besprochen\nSumme   100,00", unread, ""},
		"a tax of zero":                {lines + "\nMwSt   0,00\nSumme   100,00", "", ""},
		"no total":                     {lines, "", ""},
		"two totals":                   {"\nNetto   100,00\nMwSt   19,00\nSumme   119,00\nNetto   200,00\nMwSt   38,00\nSumme   238,00", "several totals add up on the pages: 119.00 and 238.00", "several totals add up on the pages: 119.00 and 238.00"},
	} {
		for title, want := range map[string]string{"#Rechnung Nr. 7-1": test.invoice, "#Gutschrift Nr. 7-1": test.invoice, "#Bestellung Nr. 7-1": test.order} {
			got := ""
			for _, d := range Extract(layout(title + "\nDanke.\n" + test.text))[0].Doubts {
				if d.Field == "total" {
					got += d.Text
				}
			}
			if got != want {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", title, name, got, want)
			}
		}
	}
	for title, want := range map[string]bool{"#Lieferschein": true, "#Wareneingang": true, "#Bestellung": false} {
		for sums, taxed := range map[string]bool{"\nNetto   100,00\nMwSt   19,00\nSumme   119,00": true, "\nSumme   119,00": false, "\nNetto   100,00\nMwSt   0,00\nSumme   100,00": false, "\nMwSt   19,00\nSumme   300,00": false} {
			got := false
			for _, d := range Extract(layout(title + " Nr. 7-1\nDanke.\n" + sums))[0].Doubts {
				got = got || strings.HasPrefix(d.Text, "a tax and a total")
			}
			if got != (want && taxed) {
				t.Errorf("%s with %s: doubted %v", title, sums, got)
			}
		}
	}
}
