package byrules

import (
	"strings"
	"testing"
)

// Charges, payments and sums on both sides of what the rules take them for.
func TestSumsOfOtherForms(t *testing.T) {
	t.Parallel()
	const bolt = heads + "\n1     Bolzen            4         20,00       80,00"
	const goods = bolt + "\n                        Warenwert             80,00"
	below := func(rows ...string) string { return gross + "\n" + strings.Join(rows, "\n") }
	for name, tc := range map[string][2]string{
		// Charges.
		"a freight and a row as high":                 {goods + "\n      Eilbote                                 20,00\n      Versand                                 20,00" + gross, "80.00, Versand 20.00, = 100.00 + 19.00 = 119.00"},
		"two freights or one":                         {goods + "\n      Versand                                 10,00\n      Verpackung                              10,00\n      Fracht gesamt                           20,00" + gross, "80.00, Versand 10.00, Verpackung 10.00, = 100.00 + 19.00 = 119.00"},
		"two rows without a word":                     {goods + "\n      Eilbote                                 15,00\n      Nachtbote                                5,00" + gross, "80.00, = 100.00 + 19.00 = 119.00"},
		"a word in the second cell":                   {goods + "\n      Position      Fracht                    15,00\n      Abzug         Rabatt                    -5,00\n      Zuschlag                                10,00" + gross, "80.00, Position 15.00, Abzug -5.00, Zuschlag 10.00, = 100.00 + 19.00 = 119.00"},
		"a discount for early payment":                {goods + "\n      Versand                                 25,00\n      Skonto                                  -5,00" + gross, "80.00, = 100.00 + 19.00 = 119.00"},
		"a carried row is no charge":                  {goods + "\n      Versand                                 20,00\n      Übertrag Versand                        20,00" + gross, "80.00, Versand 20.00, = 100.00 + 19.00 = 119.00"},
		"a discount in the head of sums":              {"\nBezeichnung       Menge     Preis       Gesamt\nBolzen            4         30,00      120,00\n\nSumme       Rabatt      Nettobetrag      MwSt 19 %     Gesamtbetrag\n120,00      20,00            100,00          19,00           119,00", "120.00, Rabatt -20.00, = 100.00 + 19.00 = 119.00"},
		"a negative discount in the head":             {"\nBezeichnung       Menge     Preis       Gesamt\nBolzen            4         30,00      120,00\n\nSumme       Rabatt      Nettobetrag      MwSt 19 %     Gesamtbetrag\n120,00      -20,00           100,00          19,00           119,00", "120.00, Rabatt -20.00, = 100.00 + 19.00 = 119.00"},
		"an empty freight in the head":                {"\nBezeichnung       Menge     Preis       Gesamt\nBolzen            4         25,00      100,00\n\nSumme       Fracht      Nettobetrag      MwSt 19 %     Gesamtbetrag\n100,00      frei             100,00          19,00           119,00", "100.00, = 100.00 + 19.00 = 119.00"},
		"a freight below a total":                     {bolt + gross + "\n      Versand                                 20,00", "80.00, Versand 20.00, = 100.00 + 19.00 = 119.00"},
		"a row as high below a total":                 {bolt + gross + "\n      Eilbote                                 20,00", "80.00, = 100.00 + 19.00 = 119.00"},
		"a discount between the lines":                {heads + "\n1     Bolzen            4         20,00       80,00\n      Nachlass                                -8,00\n2     Muttern           2         14,00       28,00" + gross, "80.00, -8.00, 28.00, = 100.00 + 19.00 = 119.00"},
		"a discount without a sign between the lines": {heads + "\n1     Bolzen            4         20,00       80,00\n      Nachlass                                 8,00\n2     Muttern           2         14,00       28,00" + gross, "80.00, 28.00, Nachlass -8.00, = 100.00 + 19.00 = 119.00"},
		"an odd row between the lines":                {heads + "\n1     Bolzen            4         20,00       80,00\n      Zugabe                                  -8,00\n2     Muttern           2         14,00       28,00" + gross, "80.00, -8.00, 28.00, = 100.00 + 19.00 = 119.00"},
		"a freight before a tax":                      {bolt + "\nVersand                                       20,00\nMwSt 19 %                                     19,00\nRechnungsbetrag                              119,00", "80.00, Versand 20.00, = none + 19.00 = 119.00"},
		"a freight below the total":                   {bolt + "\nMwSt 19 %                                     19,00\nRechnungsbetrag                              119,00\nVersand                                       20,00", "80.00, = none + 19.00 = 119.00"},
		"prices with tax":                             {heads + "\n1     Bolzen            4         29,75      119,00" + gross, "119.00, = 100.00 + 19.00 = 119.00"},
		"a row without a price after the sum":         {heads + bolts + nuts + "\n      Altteile                                 5,00" + gross, "60.00, 40.00, = 100.00 + 19.00 = 119.00"},
		"a line after the sum":                        {heads + bolts + nuts + "\n3     Altteile          1          5,00        5,00" + gross, "60.00, 40.00, 5.00, = 100.00 + 19.00 = 119.00"},
		"a numbered charge is a line":                 {heads + bolts + "\n2     Muttern           2         15,00       30,00\n3     Fahrpauschale     1                   25,00\n      Nachlass                              -15,00" + gross, "60.00, 30.00, 25.00, Nachlass -15.00, = 100.00 + 19.00 = 119.00"},
		"a charge with tax among the lines":           {heads + "\n1     Bolzen            4         15,00       71,40\n      Versand                                 47,60\nSumme            100,00            19,00      119,00", "71.40, 47.60, = 100.00 + 19.00 = 119.00"},
		"a discount beside the taxes":                 {heads + bolts + "\n2     Muttern           2         25,00       50,00\nSatz      Netto        MwSt         Zwischensumme          110,00\n19 %      100,00       19,00        Nachlass               -10,00" + gross, "60.00, 50.00, Nachlass -10.00, = 100.00 + 19.00 = 119.00"},
		// Payments.
		"a due below zero":          {below("Zahlbetrag            -5,00"), "= 100.00 + 19.00 = 119.00"},
		"paid in full":              {below("Anzahlung            119,00", "Zahlbetrag             0,00"), "= 100.00 + 19.00 = 119.00 prepaid 119.00 due 0.00"},
		"two payments":              {below("Anzahlung             50,00", "Anzahlung             19,00", "Zahlbetrag           100,00"), "= 100.00 + 19.00 = 119.00 prepaid 19.00 due 100.00"},
		"a payment and a rounding":  {below("Anzahlung             50,02", "Rundung                0,02", "Zahlbetrag            69,00"), "= 100.00 + 19.00 = 119.00 prepaid 50.02 rounding 0.02 due 69.00"},
		"a payment without a label": {below("EC-Karte              50,00", "Zahlbetrag            69,00"), "= 100.00 + 19.00 = 119.00 prepaid 50.00 due 69.00"},
		"its minus sign":            {below("EC-Karte             -50,00", "Zahlbetrag            69,00"), "= 100.00 + 19.00 = 119.00 prepaid 50.00 due 69.00"},
		"it below the due":          {below("Zahlbetrag            69,00", "EC-Karte              50,00"), "= 100.00 + 19.00 = 119.00 due 69.00"},
		"a rest without a label":    {below("bezahlt               50,00", "Rest                  69,00"), "= 100.00 + 19.00 = 119.00 prepaid 50.00 due 69.00"},
		"a rest far below":          {below("bezahlt               50,00", strings.Repeat("Hinweis   Text\n", 6)+"Rest                  69,00"), "= 100.00 + 19.00 = 119.00"},
		"a rest a little below":     {below("bezahlt               50,00", strings.Repeat("Hinweis   Text\n", 4)+"Rest                  69,00"), "= 100.00 + 19.00 = 119.00 prepaid 50.00 due 69.00"},
		"a payment above the total": {"\nbezahlt               50,00\nes bleiben            69,00" + gross, "= 100.00 + 19.00 = 119.00"},
		"more paid than owed":       {below("bezahlt              150,00", "Guthaben             -31,00"), "= 100.00 + 19.00 = 119.00"},
		"the total again":           {below("Zahlbetrag           119,00"), "= 100.00 + 19.00 = 119.00 due 119.00"},
		"a due above the total":     {"\nZahlbetrag            99,00 €" + gross, "= 100.00 + 19.00 = 119.00"},
		"a balance":                 {below("Saldo                 99,00"), "= 100.00 + 19.00 = 119.00"},
		// Sums.
		"heads and values":            {"\nNettobetrag      MwSt 19 %      Gesamtbetrag\n     100,00          19,00            119,00", "= 100.00 + 19.00 = 119.00"},
		"heads at the left":           {"\nNettobetrag                 MwSt                 Gesamtbetrag\n              100,00             19,00                   119,00", "= 100.00 + 19.00 = 119.00"},
		"a value missing":             {"\nNettobetrag                 MwSt                 Gesamtbetrag\n              100,00                                     119,00", "= none + none = 119.00; nothing printed adds up to the total 119.00"},
		"words below heads":           {"\nNettobetrag      MwSt 19 %      Gesamtbetrag\n     100,00           frei            100,00", "= 100.00 + none = 100.00; nothing printed adds up to the total 100.00"},
		"two heads":                   {"\nMwSt 19 %      Gesamtbetrag\n    19,00            119,00", "= none + 19.00 = 119.00"},
		"an unknown head of a total":  {"\nNettobetrag      MwSt 19 %      Wert\n     100,00          19,00    119,00", "= none + none = "},
		"a total without a label":     {"\nNettobetrag      100,00\nMwSt 19 %         19,00\nWir buchen       119,00", "= 100.00 + 19.00 = 119.00"},
		"the tax before the net":      {"\nMwSt 19 %         19,00\nNettobetrag      100,00\nWir buchen       119,00", "= none + none = "},
		"a third as tax":              {"\nNettobetrag      100,00\nMwSt              49,00\nSumme            149,00", "= 100.00 + 49.00 = 149.00"},
		"a net called a sum":          {"\nSumme Positionen                 100,00\nMwSt   19 % aus    100,00         19,00\nEndbetrag                        119,00", "= 100.00 + 19.00 = 119.00"},
		"sums in a row":               {"\nSumme       1 100,00      209,00      1 309,00", "= 1100.00 + 209.00 = 1309.00"},
		"a rounding by its size":      {"\nNetto       MwSt 19 %     Differenz     Zahlbetrag\n100,00      19,00         0,25          119,25", "= 100.00 + 19.00 = 119.25 due 119.25"},
		"a difference of one":         {"\nNetto       MwSt 19 %     Differenz     Zahlbetrag\n100,00      19,00         1,00          120,00", "= none + none = 120.00 due 120.00; nothing printed adds up to the total 120.00"},
		"codes of lines":              {"\nCode       Bezeichnung       Menge     Preis       Gesamt\n4700.00    Bolzen            4         15,00       60,00\n1250.00    Muttern           2         20,00       40,00\nGesamtbetrag                                       100,00", "60.00, 40.00, = none + none = 100.00"},
		"half as tax":                 {"\nNettobetrag      100,00\nMwSt              50,00\nSumme            150,00", "= none + none = 150.00; nothing printed adds up to the total 150.00"},
		"a tax of zero":               {"\nNettobetrag      100,00\nMwSt               0,00\nSumme            100,00", "= 100.00 + 0.00 = 100.00"},
		"nothing but a net":           {"\nNettobetrag      100,00\nSumme            100,00", "= 100.00 + none = 100.00; nothing printed adds up to the total 100.00"},
		"a tax in the total":          {"\nGesamtbetrag     119,00\ndarin enthaltene MwSt 19 %   19,00", "= none + 19.00 = 119.00"},
		"a wrong tax in the total":    {"\nGesamtbetrag     119,00\ndarin enthaltene MwSt 19 %   18,00", "= none + none = 119.00; nothing printed adds up to the total 119.00"},
		"a tax of no rate in it":      {"\nGesamtbetrag     119,00\ndarin enthaltene MwSt        19,00", "= none + none = 119.00; nothing printed adds up to the total 119.00"},
		"bases that add up":           {"\n7 %    auf 40,00     2,80\n19 %   auf 60,00    11,40\nSumme              114,20", "= none + none = 114.20"},
		"one base":                    {"\n19 %   auf 60,00    11,40\nSumme               71,40", "= none + none = 71.40; nothing printed adds up to the total 71.40"},
		"taxes that add up":           {"\nNetto    100,00\nMwSt 7 %     2,80\nMwSt 19 %   11,40\nSumme    114,20", "= 100.00 + none = 114.20"},
		"lines not read":              {heads + "\nwie besprochen\nGesamtbetrag     119,00", "= none + none = 119.00; the lines were not read, and no subtotal and tax add up to the total 119.00"},
		"a greater amount":            {"\nGesamtbetrag     119,00\nDeckung          500,00", "= none + none = 119.00; nothing printed adds up to the total 119.00, and a greater amount is printed"},
		"a greater amount in dollars": {"\nGesamtbetrag     119,00 €\nDeckung      USD 500,00", "= none + none = 119.00; nothing printed adds up to the total 119.00"},
		"a greater amount in euros":   {"\nGesamtbetrag     119,00 €\nDeckung      EUR 500,00", "= none + none = 119.00; nothing printed adds up to the total 119.00, and a greater amount is printed"},
	} {
		if got := summary("Rechnung Nr. A-1" + tc[0]); got != tc[1] {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tc[1])
		}
	}
}

// Of two totals with the same label, the greater is the document's if the tax in it is printed: the lines add up to its net.
func TestTotalWithItsTax(t *testing.T) {
	t.Parallel()
	const lines = "#Rechnung Nr. 7\nBezeichnung        Menge      Preis      Betrag\nKugelhahn              2      50,00      100,00\n"
	for text, want := range map[string]string{
		"Total                                    100,00\nMwSt 19 %                                 19,00\nTotal                                    119,00\n": "119",
		"Total                                    100,00\nMwSt 19 %                                 18,00\nTotal                                    119,00\n": "100",
	} {
		if got := Extract(layout(lines + text))[0].Data.Total.Canonical(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// The sum of the lines is the net whatever it is called, if a tax, and a printed rounding, make the total of it.
func TestTotalOfTheLines(t *testing.T) {
	t.Parallel()
	const lines = "#Rechnung Nr. 7\nBezeichnung        Menge      Preis      Betrag\nKugelhahn              2      50,00      100,00\n" +
		"Dichtung               1       3,00        3,00\n"
	const net, tax = "Alle Positionen                          103,00\n", "MwSt                                      19,57\n"
	const open = "nothing printed adds up to the total"
	for text, want := range map[string]string{
		net + tax + "Endbetrag                                122,57\n":                                                       "",
		tax + "Endbetrag                                122,57\n" + net:                                                       "",
		net + tax + "Ausgleich                                  0,43\nEndbetrag                                123,00\n":      "",
		net + tax + "Ausgleich                                 -0,43\nEndbetrag                                123,00\n":      open,
		net + tax + "Endbetrag                                123,00\nTinte                                      0,43\n":      open,
		net + tax + "Ausgleich                                  1,43\nEndbetrag                                124,00\n":      open,
		net + tax + "Endbetrag                                123,00\n":                                                       open,
		tax + "Endbetrag                                122,57\n":                                                             open,
		strings.Replace(net, "103", "104", 1) + "MwSt          19,76\n" + "Endbetrag                                123,76\n": open,
	} {
		e, got := Extract(layout(lines + text))[0], ""
		for _, d := range e.Doubts {
			if d.Field == "total" && strings.Contains(d.Text, "adds up") {
				got = open
			}
		}
		if got != want || e.Data.Total.IsZero() {
			t.Errorf("%s: got %q, want %q: %s", text, got, want, e.Data.Total.Fixed())
		}
	}
}
