package byrules

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/transcript"
)

// Pages of one document or several, by counts, numbers, titles, suppliers and ids.
func TestPagesOfDocuments(t *testing.T) {
	t.Parallel()
	const title = "#Rechnung Nr. R-77\nDanke für den Auftrag.\n"
	const next, de, at = "\n-----\n", "USt-IdNr. DE136695976", "USt-IdNr. ATU13585627"
	for text, want := range map[string]string{
		title + "Seite 1 von 3" + next + "Seite 2 von 3":                                     "1 2",
		title + "Seite 1 von 3" + next + "Seite 3 von 3":                                     "1 2",
		"Segel Nord GmbH\nSeite 1/3" + next + "Kran Jade AG\nSeite 2/3":                      "1 2",
		"Segel Nord GmbH\nSeite 1/3" + next + "Kran Jade AG\nSeite 2/4":                      "1, 2",
		"Segel Nord GmbH\nSeite 1/3" + next + "Kran Jade AG\nSeite 3/3":                      "1, 2",
		"Segel Nord GmbH" + next + "Kran Jade AG\nSeite 1/1":                                 "1, 2",
		"Segel Nord GmbH" + next + "Kran Jade AG":                                            "1, 2",
		"Segel Nord GmbH" + next + "Kran Jade":                                               "1 2",
		"Segel Nord" + next + "Kran Jade AG":                                                 "1 2",
		"Segel Nord GmbH" + next + "Kran Jade AG\nx\nx\nx\nx\nx\nVermerk an Segel Nord GmbH": "1 2",
		"Segel Nord GmbH\nx\nx\nx\nx\nx\nVermerk der Kran Jade AG" + next + "Kran Jade AG":   "1 2",
		title + next + "#Rechnung Nr. R-78":                                                  "1, 2",
		title + next + "#Rechnung Nr. R-77":                                                  "1 2",
		title + next + "#Lieferschein Nr. R-77":                                              "1 2",
		title + next + "#Lieferschein Nr. L-5" + next + title + "Danke":                      "1 3, 2",
		title + de + next + "#Lieferschein Nr. L-5" + next + title + at:                      "1, 2, 3",
		title + next + "Anlage zu R-77\nSeite 1":                                             "1 2",
		title + next + "Anlage\nSeite 1":                                                     "1, 2",
		title + "5,00 EUR" + next + "#Rechnung\n7,00 EUR":                                    "1, 2",
		title + "5,00 EUR" + next + "#Rechnung\nDanke":                                       "1 2",
		title + next + "#Rechnung\nBestellung Nr. B-2":                                       "1 2",
		title + next + "#Rechnung\n7,00 EUR":                                                 "1 2",
		title + "5,00 EUR" + next + "#Lieferschein\n7,00 EUR":                                "1 2",
		"Anbei die Rechnung." + next + title:                                                 "1 2",
		"Anbei die Rechnung.\n5,00 EUR" + next + title:                                       "1, 2",
		"Anbei die Rechnung." + next + "Danke" + next + title + next + "#Rechnung R-78 a":    "1 2 3 4",
		title + de + next + at:                                                               "1, 2",
		title + de + next + de + "\n" + at:                                                   "1 2",
		title + de + "\n" + at + next + at:                                                   "1 2",
		title + next + at:                                                                    "1 2",
		title + "IBAN DE89 3704 0044 0532 0130 00" + next + "IBAN AT61 1904 3002 3457 3201":  "1, 2",
		title + next + title:                                                                 "1 2",
	} {
		if got := numbersOf(split(layout(text).Pages)); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// A page counts itself by a word and a number, or by two numbers at its edge.
func TestCountsOfPages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Seite 2 von 3": "2 of 3", "Seite: 2/3": "2 of 3", "Seite 2": "2 of 0", "Blatt 2": "2 of 0", "Seite 3 von 2": "0 of 0", "Seite 2 von 2": "2 of 2", "2/3": "2 of 3", " \n\n\n\n\n\n2/3": "0 of 0", "- 2 / 3 -": "2 of 3",
		" \n\n\n\n\n\n\nSeite      2 / 3": "2 of 3", " \n\n\n\n\n\n\nSeite\n2 / 3": "2 of 3", " \n\n\n\n\n\n\nSeite      Datum\n2 / 3": "2 of 3", "Seite      zwei": "0 of 0", "Seite 2 oben": "0 of 0", "Rückseite 2": "0 of 0", "auf Seite 2": "2 of 0", "Page 2 of 3\nPage 1 of 1": "2 of 3",
		" " + strings.Repeat("\n", 56) + "2/3": "2 of 3", " " + strings.Repeat("\n", 52) + "2/3": "0 of 0",
	} {
		s := sheetOf(layout(text).Pages[0])
		if got := fmt.Sprintf("%d of %d", s.at, s.of); got != want {
			t.Errorf("%s: got %s, want %s", strings.TrimSpace(text), got, want)
		}
	}
}

// A sheet has two documents if each half has a number, and a title or a total.
func TestHalvesOfSheets(t *testing.T) {
	t.Parallel()
	side := func(left, right string) string {
		a, b := strings.Split(left, "\n"), strings.Split(right, "\n")
		for i := range a {
			a[i] += strings.Repeat(" ", 55-len([]rune(a[i]))) + b[i]
		}
		return strings.Join(a, "\n")
	}
	const one, two, total = "#Rechnung\nRechnungsnr. R-77\nDanke", "#Rechnung\nRechnungsnr. R-78\nDanke", "\nSumme   5,00"
	gap := strings.Repeat("\n", 20)
	for name, test := range map[string]struct {
		text string
		want int
	}{
		"next to each other":        {side(one, two), 2},
		"the same number":           {side(one, one), 1},
		"a number and none":         {side(one, "#Rechnung\nDanke\nDanke"), 1},
		"without titles":            {side(strings.Replace(one, "#Rechnung\n", "Danke\n", 1), strings.Replace(two, "#Rechnung\n", "Danke\n", 1)), 1},
		"without titles, with sums": {side(strings.Replace(one, "#Rechnung\n", "Danke\n", 1)+total, strings.Replace(two, "#Rechnung\n", "Danke\n", 1)+total), 2},
		"one sum, no titles":        {side(strings.Replace(one, "#Rechnung\n", "Danke\n", 1)+total, strings.Replace(two, "#Rechnung\n", "Danke\n", 1)+"\nDanke"), 1},
		"above each other":          {one + gap + two, 2},
		"above each other, high":    {one + "\n\n" + two, 1},
	} {
		if got := len(split(layout(test.text).Pages)); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

// Pages that a document lacks by its counts, and that no uncounted page can be.
func TestMissingPages(t *testing.T) {
	t.Parallel()
	for pages, want := range map[string]string{
		"Seite 1 von 2|Seite 2 von 2": "", "Seite 1 von 2": "[page 2 of 2 is missing]", "Seite 2 von 2": "[page 1 of 2 is missing]", "Seite 1 von 3": "[page 2 of 3 is missing page 3 of 3 is missing]",
		"Seite 1 von 2|Anlage": "", "Seite 1 von 3|Anlage": "[page 2 of 3 is missing page 3 of 3 is missing]", "Seite 1 von 2|": "[page 2 of 2 is missing]", "Seite 19 von 20": "", "Anlage": "",
	} {
		var all []transcript.Page
		for i, text := range strings.Split(pages, "|") {
			p := transcript.Page{Number: i + 1}
			if text != "" {
				p = layout(text).Pages[0]
			}
			all = append(all, p)
		}
		got := ""
		if found := missing(all); len(found) > 0 {
			got = fmt.Sprint(found)
		}
		if pages == "Seite 19 von 20" {
			if !strings.Contains(got, "page 20 of 20") || !strings.Contains(got, "page 1 of 20") || strings.Contains(got, "page 19 of 20") {
				t.Errorf("got %s", got)
			}
		} else if got != want {
			t.Errorf("%s: got %s, want %s", pages, got, want)
		}
	}
}

// The meaning of labels for the judge of another reading: banks, sides, senders, numbers and days.
func TestLabelsForAJudge(t *testing.T) {
	t.Parallel()
	const text = `
#Rechnung Nr. R-77
Kunde: Kran Jade
Lieferant: Weser Fisch




Bank: Nordkasse Kiel
Nordbank Leer, IBAN DE89 3704 0044 0532 0130 00
Bank             Hafenkasse
Bankverbindung
Deichkasse

           Bank
Firma      Elbhof
Bank: Haus Elbe
Haus Weser, IBAN AT61 1904 3002 3457 3201
Sparkasse Ems    IBAN
Emsbank
BIC NORDDE2X
Die Nordbank Leer ist unser Kunde.
Käufer: Weser Fisch
Rechnungsdatum: 03.05.2026     Lieferdatum: 01.05.2026
Fällig am: 02.06.2026
Gesamtbetrag   119,00
Zahlbetrag     100,00
Segel Nord · Kai 4 · 24103 Kiel
` + footer + "Kran Jade KG, www.emshafen.example"
	pages := layout(text)
	l := LabelsOf(pages, []int{1}, document.Invoice)
	for name, want := range map[string]string{
		"Kran Jade": "side buyer, bank false, issues true", "Weser Fisch": "side , bank false, issues false", "Nordkasse Kiel": "side , bank true, issues false", "Nordbank Leer": "side , bank false, issues false",
		"Hafenkasse": "side , bank true, issues false", "Deichkasse": "side , bank true, issues false", "Emshafen": "side , bank false, issues true", "Sparkasse Ems": "side , bank true, issues false", "Emsbank": "side , bank true, issues false", "Segel Nord": "side , bank false, issues true",
		"Elbhof": "side supplier, bank false, issues false", "Haus Elbe": "side , bank true, issues false", "Haus Weser": "side , bank true, issues false",
		"Unbekannt": "side , bank false, issues false", "": "side , bank false, issues false",
	} {
		if got := fmt.Sprintf("side %s, bank %v, issues %v", l.Side(name), l.Bank(name), l.Issues(name)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	days := ""
	for _, d := range l.Days {
		days += fmt.Sprintf("%v own %v other %v due %v named %v; ", d.Readings[0], d.Own, d.Other, d.Due, d.Named)
	}
	if want := "2026-05-03 own true other false due false named true; 2026-05-01 own false other true due false named false; 2026-06-02 own false other true due true named false; "; days != want {
		t.Errorf("got the days %s\nwant %s", days, want)
	}
	totals := ""
	for _, a := range l.Totals {
		totals += a.Canonical() + " "
	}
	if totals != "119 100 " {
		t.Errorf("got the totals %s", totals)
	}
	for title, want := range map[string]string{"#Rechnung": "invoice", "#Lieferschein": "delivery-note", "Lieferschein": "", "#Angebot": " quotation: nothing is owed yet"} {
		l := LabelsOf(layout(title+"\nRechnung Nr. 7-1\nDanke\nDanke"), []int{1}, document.Invoice)
		if got := strings.TrimSpace(string(l.Type) + " " + l.Doubt); got != strings.TrimSpace(want) {
			t.Errorf("%s: got %q, want %q", title, got, want)
		}
	}
}

// A total is proved by one block of sums, and by several if they have one sum.
func TestProvedTotals(t *testing.T) {
	t.Parallel()
	const one, two = "Netto   100,00\nMwSt   19,00\nSumme   119,00\n", "Netto   200,00\nMwSt   38,00\nSumme   238,00\n"
	for text, want := range map[string]string{one: "119 true", one + two: "119 false", "Summe   119,00": "119 false", "Danke": " false", "Danke\n-----\n" + one: " false"} {
		total, proved := Total(layout(text), []int{1})
		if got := fmt.Sprint(total.Canonical(), proved); got != strings.ReplaceAll(want, " ", "") && got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
