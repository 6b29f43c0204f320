package byrules

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
)

// The score of the last date of a text, rounded down: 5 belongs to the document's number, 4 to 2 have a label, 0 has none, and a
// negative one is another event's or stands in running text.
func TestScoresOfDates(t *testing.T) {
	t.Parallel()
	low := " " + strings.Repeat("\n", 40)
	for text, want := range map[string]string{
		"Rechnung A-7 vom 03.05.2026":                               "5",
		"Lieferschein L-5 vom 03.05.2026":                           "-10",
		"Rechnung vom 03.05.2026":                                   "4",
		"Datum: 03.05.2026":                                         "4",
		"Datum   03.05.2026":                                        "4",
		"Datum\n03.05.2026":                                         "3",
		"Datum\n          03.05.2026":                               "2",
		"03.05.2026":                                                "0",
		"vom 03.05.2026":                                            "-5",
		"Rechnung A-7   vom   03.05.2026":                           "5",
		"Rechnung A-7\nvom 03.05.2026":                              "5",
		"Rechnung A-7\nvom   03.05.2026":                            "5",
		"Lieferschein L-5   vom 03.05.2026":                         "-5",
		"Lieferschein L-5\nvom\n03.05.2026":                         "-5",
		"Rechnung\nvom 03.05.2026":                                  "4",
		"Datum\nvom 03.05.2026":                                     "-5",
		"Rechnung 7\nvom 03.05.2026":                                "-5",
		"Lieferschein L-5 vom\n03.05.2026":                          "-10",
		"Rechnung A-7 vom\n03.05.2026":                              "5",
		"01.05.2026 - 03.05.2026":                                   "-5",
		"01.05.2026 bis zum 03.05.2026":                             "-5",
		"01.05.2026, 03.05.2026":                                    "0",
		"Lieferung 01.05.2026, Datum 03.05.2026":                    "4",
		"03.05.2026 (Lieferdatum)":                                  "-10",
		"03.05.2026 (Samstag)":                                      "0",
		"laut Ihrer Bestellung Nr. 4711-8\nbis 03.05.2026":          "-5",
		"laut Ihrer Bestellung Nr. 4711-8\nDatum: 03.05.2026":       "4",
		"laut Ihrer Bestellung Nr. 4711-8\nRechnungstag 03.05.2026": "0",
		"wir haben gesehen 03.05.2026":                              "-5",
		"schon gesehen 03.05.2026":                                  "0",
		"Qwertz asdf 03.05.2026":                                    "0",
		"Ein langer Text in der Spalte nebenan, und   03.05.2026":   "0",
		"Datum der Spalte   03.05.2026":                             "3",
		"01.05.2026\n03.05.2026":                                    "-5",
		"Datum\n01.05.2026\n03.05.2026":                             "-5",
		"Datum    01.05.2026\nQwertz   03.05.2026":                  "0",
		"9        01.05.2026\n9        03.05.2026":                  "-5",
		low + "03.05.2026":                                          "-5",
		low + "Datum: 03.05.2026":                                   "4",
		low + "03.05.2026 14:32":                                    "0",
		low + "03.05.2026   14:32":                                  "0",
		low + strings.Repeat("\n", 13) + "Datum: 03.05.2026":        "1",
		low + strings.Repeat("\n", 13) + "Datum: 03.05.2026 14:32":  "-5",
	} {
		cells := cellsOf(layout(text).Pages)
		number := named{kind: document.Invoice, number: "A-7", page: 1}
		got := ""
		for i, c := range cells {
			for _, d := range printed.Dates(c.Text) {
				got = fmt.Sprint(math.Floor(dateScore(cells, i, d, number)))
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", strings.Trim(text, "\n"), got, want)
		}
	}
	cells := cellsOf(layout("Lieferung 7\nvom 03.05.2026").Pages)
	if got := dateScore(cells, 1, printed.Dates(cells[1].Text)[0], named{}); got != -5 {
		t.Errorf("without a number: got %v", got)
	}
	if got := dateScore(cells, 1, printed.Dates(cells[1].Text)[0], named{number: "7", page: 2}); got != 5 {
		t.Errorf("a number of another page: got %v", got)
	}
}

// Whether the day stands first: by dates that have one meaning, by the place, by the currency.
func TestOrderOfDays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, currency string
		european       bool
		want           string // of 03/04/2026
	}{
		{"", "", false, ""}, {"", "EUR", false, "2026-04-03"}, {"", "USD", false, "2026-03-04"}, {"", "CAD", false, ""}, {"", "USD", true, "2026-04-03"}, {"", "CAD", true, "2026-04-03"},
		{"13/04/2026", "USD", false, "2026-04-03"}, {"04/13/2026", "EUR", true, "2026-03-04"}, {"13/04/2026, 04/13/2026", "USD", false, "2026-03-04"}, {"13/04/2026, 04/13/2026", "", false, ""},
		{"13/04/2026, 14/04/2026, 04/13/2026", "EUR", false, "2026-04-03"}, {"2026-04-13", "USD", false, "2026-03-04"}, {"13. April 2026", "", false, ""},
	} {
		all := dates(cellsOf(layout(test.text+"\nan 03/04/2026").Pages), named{})
		v, ok := all[len(all)-1].reading(order(all, test.currency, test.european))
		if got := v.String(); got != test.want || ok != (test.want != "") {
			t.Errorf("%q, %s, %v: got %s, want %s", test.text, test.currency, test.european, got, test.want)
		}
	}
}

// A date that may be read in two ways gives way to one that may not.
func TestReadableDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Date: 03/04/2026\n\n\n\nMerci\n\n\n\nParis, 13 May 2026": "2026-05-13", "Date: 03/04/2026": "", "Date: 03/04/2026\nUSD 5": "2026-03-04", "13 May 2026\n\n\n\nMerci\n\n\n\n14 May 2026": "2026-05-13", "Datum: 03.05.2026\nRechnungsdatum   04.05.2026": "2026-05-04",
	} {
		if got := Extract(layout("Invoice No. A-1\n\n\n" + text))[0].Data.Date.String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
