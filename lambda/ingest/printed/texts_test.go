package printed

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/golden"
)

// Texts of lines as papers print them: prices, quantities, sentences, numbers that are none, and days in every notation.
const texts = `
2 x 4,50 = 9,00 EUR
10 St à 12,50 €
1 200,00 €	3 400,50 €
1 234 567,89 kr
12 345
1 23,45
100,00 200,00
7 1.234,50 8.641,50
12.50-
12,50 -€
12,50 - 3 %
- 12,50
-12,50
a-12,50
5-7 Tage
-€ 12,50
€ -12,50
€-12,50
(€ 12.50)
(12.50 €)
(12.50
(siehe 3)
−12,50
Saldo − 12,50 EUR
- - 5
--5
1.200,-
1.200,-- €
1.200,—
1.200.–
1.200,- €
1.200,-9
12,- und 7,-
19%
19 %
19,5 % MwSt
7 v.H.
20% (100,00)
3% Skonto auf 1.234,00
100 EUR
100EUR
100 CHF
100CHF
100Fr.
100USD
100GBP
100Euro
100Eurozone
5kg
5 kg
5kgs
5g
5m
5mm
5Stk
5Std
5pcs
5lb
838.50T
838.50TX
838.5T
12T
X12,50
Nr.12
#12
A#12
12/13
12,50/13
12,50/10
12,50/100
12,50 / 100
12,50/100/2
kg/100
kg / 100
1/100
12,5/100
12:30
12: 30
12,50:
12,50:3
RE-12
RE--12
4-12
a- 12
1-12-12
0,5
00,5
0.500
01.500
1.500
1.500.000
1,500,000
1,500.000
1.500,000
1'500'000.05
1.5.5
1,5,5
1,50,000
1234.567
1234,567
1.23
1.2345
.50
5.
5.,
5,0
1.234.5
1.234,5
999.999
1.000.5
1234567890123456789,00
3 1/2
24/7
Tel. 0441 / 12 34 56
IBAN DE89 3704 0044 0532 0130 00
26121 Oldenburg
2026
01.02.2026 100,00
am 1.2.2026, 100,00
Menge 5 am 01/02/2026
2026-02-01
2026-2-1
2026/02/01
2026-02/01
2026. 02. 01.
2026.02.01
1826-02-01
2126-02-01
2026-13-01
2026-00-01
2026-12-01
2026-02-29
2024-02-29
12026-02-01
2026-02-011
1-2-2026
1.2.2026
1. 2. 2026
1/2/2026
1/2-2026
Schraube 3/8-16, 1.2.2026
Gewinde 3/8-16 vom 1/2/2026
1.2/2026
1-2-26
31-12-26
12-31-26
31/31/26
0/1/2026
12/12/2026
13/12/2026
12/13/2026
1.2.1999
1.2.1899
1.2.202
01.02.20266
Version 1.2.26
3 March 2026
3rd March 2026
3rd of March 2026
1st Mar. 2026
2nd March, 2026
3-March-2026
3. März 2026
3.März 2026
3 mars 2026
1er mars 2026
3 de marzo de 2026
3º de março de 2026
3 de marzo del 2026
3 marzo 2026
3 maart 2026
3 marca 2026
3. března 2026
3 mar 2026
3 Mrz 2026
33 March 2026
3 Marvin 2026
3 Xyz 2026
March 3, 2026
March 3 2026
March 3rd, 2026
Mar. 3, 2026
March 33, 2026
Order 3 2026
3 ιουνίου 2026
1 January 2026
2 February 2026
4 April 2026
5 May 2026
6 June 2026
7 July 2026
8 August 2026
9 September 2026
10 October 2026
11 November 2026
12 December 2026
1 janvier 2026
2 février 2026
4 avril 2026
5 mai 2026
6 juin 2026
7 juillet 2026
8 août 2026
10 octobre 2026
12 décembre 2026
1 gennaio 2026
5 maggio 2026
6 giugno 2026
7 luglio 2026
8 agosto 2026
9 settembre 2026
10 ottobre 2026
12 dicembre 2026
1 enero 2026
4 abril 2026
1 stycznia 2026
2 lutego 2026
4 kwietnia 2026
5 maja 2026
6 czerwca 2026
7 lipca 2026
8 sierpnia 2026
9 września 2026
10 października 2026
11 listopada 2026
12 grudnia 2026
1 ledna 2026
2 února 2026
4 dubna 2026
5 května 2026
6 června 2026
7 července 2026
8 srpna 2026
9 září 2026
10 října 2026
12 prosince 2026
1. Jänner 2026
6 iunie 2026
7 iulie 2026
1 ianuarie 2026
3 Μαρτίου 2026
12 Δεκεμβρίου 2026
12 okt 2026
5 outubro 2026
11 noiembrie 2026
vom 01.02.2026 bis 03.02.2026
01.02.2026-03.02.2026
1.-3.2.2026
from March 3, 2026 to 5 April 2026, 120,00
2026-03-04T10:11:12
05.06.2018 7,00 19 %
`

func TestTextsOfLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for text := range strings.SplitSeq(strings.Trim(texts, "\n"), "\n") {
		fmt.Fprintf(&out, "%s\n", text)
		for _, a := range Amounts(text) {
			fmt.Fprintf(&out, "  %q %d to %d is %s, percent %v, money %v\n", a.Text, a.Start, a.End, readingsOf(a), a.Percent, a.Money)
		}
		for _, d := range Dates(text) {
			first, known := d.DayFirst()
			fmt.Fprintf(&out, "  %q %d to %d is the day %v, day first %v, known %v\n", d.Text, d.Start, d.End, d.Readings, first, known)
		}
	}
	golden.Exact(t, "texts.txt", out.String())
}

// A quote begins and ends where a word or a number does, in a row or in a column of text.
func TestQuotesOfPages(t *testing.T) {
	t.Parallel()
	at := func(text string, left, top, width float64) transcript.Line {
		return transcript.Line{Text: text, Box: transcript.Box{Left: left, Top: top, Right: left + width, Bottom: top + 0.02}}
	}
	q := QuotesOf(transcript.Transcription{Pages: []transcript.Page{
		{Number: 1, Lines: []transcript.Line{
			at("Nordlicht GmbH", 0.1, 0.1, 0.3), at("Kranich e.K.", 0.6, 0.1, 0.2),
			at("Hafenstraße 7", 0.1, 0.13, 0.3), at("Marktplatz 3", 0.61, 0.13, 0.2),
			at("20457 Hamburg", 0.1, 0.16, 0.3), at("37073 Göttin-", 0.6, 0.16, 0.2),
			at("gen", 0.6, 0.19, 0.1),
			at("Netto", 0.1, 0.5, 0.1), at("1.250,00", 0.4, 0.5, 0.1), at("-7,50", 0.7, 0.5, 0.1),
			at("MwSt", 0.1, 0.53, 0.1), at("237,50", 0.42, 0.53, 0.08),
			at("wide over both columns of the page", 0.1, 0.56, 0.7),
			at("far below", 0.1, 0.9, 0.2),
		}},
		{Number: 2, Lines: []transcript.Line{
			at("Bestell‑Nr. 4711/12’3", 0.1, 0.1, 0.3), at("A\u00adB x-", 0.1, 0.13, 0.1), at("1", 0.1, 0.16, 0.1), at("RE-2026-0042", 0.5, 0.2, 0.2), at("", 0.1, 0.3, 0.1),
			at("Göttin", 0.1, 0.4, 0.1), at("Ende.", 0.1, 0.5, 0.1), at("1,5", 0.3, 0.5, 0.1), at("(12)", 0.1, 0.6, 0.1), at("-7", 0.1, 0.7, 0.1),
		}},
	}})
	var out strings.Builder
	for _, quote := range []string{
		"Nordlicht GmbH", "Nordlicht GmbH Kranich e.K.", "Nordlicht GmbH\nHafenstraße 7\n20457 Hamburg", "Kranich e.K. Marktplatz 3 37073 Göttingen", "Kranich e.K.\nMarktplatz 3",
		"37073 Göttingen", "Göttingen", "Göttin", "Göttin-", "7 20457", "Hafenstraße", "Hafenstr", "straße", "1.250,00", "250,00", "1.250", "1.2", "1", "50,00", "237,50", "37,50", "-7,50", "7,50", "7", "-7",
		"Netto 1.250,00", "Netto MwSt", "1.250,00 237,50", "MwSt 237,50 wide", "Netto MwSt wide", "wide over", "page far", "far below", "Bestell-Nr. 4711/12'3", "4711", "4711/12", "12'3", "3", "Nr.", "Bestell", "Nr. 4711",
		"AB", "A B", "x1", "x-1", "x", "RE-2026-0042", "2026-0042", "RE", "0042", "2026", "", " ", "Ende", "Ende.", "1,5", "(12)", "12", "(12", "5", "gen",
	} {
		first, ok := q.First(quote)
		fmt.Fprintf(&out, "%q: pages %v, first %d %v, on 1 %v, on 2 %v, shown %v\n", quote, q.Pages(quote), first, ok, q.On(1, quote), q.On(2, quote), Shows("Netto -7,50 (12) RE-2026-0042 Ende.", quote))
	}
	golden.Exact(t, "quotes.txt", out.String())
}

// What a person types in a form, by field.
func TestTypedValues(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, value := range []string{
		"1.234,50", "1,234.50", "1,234", "-1,234", "1.234", "12,50", "12.50", "1 234,50", " 7 ", "1,2345", "0,123", "1234,567", "12,345,678", "1.234.567", "1'234", "abc", "",
		"16.11.2026", " 16.11.2026 ", "3/4/2026", "13/4/2026", "2026-11-16", "16 November 2026", "16.11.2026 and 17.11.2026", "on 16.11.2026", "16.11.",
	} {
		fmt.Fprintf(&out, "%q: number %q, day %q, text %q, decimal %q\n", value, Typed("total", value), Typed("date", value), Typed("number", value), Decimal(value))
	}
	golden.Exact(t, "typed.txt", out.String())
}
