package byrules

import (
	"strings"
	"testing"
)

// A file keeps what is read on both sides of limits: lines of an address, heights on a page, lengths of texts, gaps.
func TestLimits(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/limits")
	window := func(lines ...string) string {
		return "\nOstsee Fisch GmbH\n\n\n\n\n\n\n" + strings.Join(lines, "\n") + "\n\n\n#Rechnung Nr. 7      Datum   01.02.2026"
	}
	rows := func(n int) string { return strings.Repeat("\n", n) }
	long := []string{"Klinikum Weserbogen", "Zentralküche", "Haus 4, Ebene 2", "Wareneingang Nord", "Uferweg 12", "26121 Oldenburg"}
	const sheet = "#Lieferschein Nr. 7\nArtikel            Menge\n"
	for name, text := range map[string]string{
		"a town in the second line":                window("Klinikum Weserbogen", "Uferweg 12", "26121 Oldenburg"),
		"a town in the fifth line":                 window(long...),
		"a town in the sixth line":                 window(append([]string{"Weserbogen Gesundheit"}, long...)...),
		"an empty line in an address":              window("Klinikum Weserbogen", "", "Uferweg 12", "26121 Oldenburg"),
		"two empty lines in an address":            window("Klinikum Weserbogen", "", "", "Uferweg 12", "26121 Oldenburg"),
		"an address at another edge":               window("Klinikum Weserbogen", " Uferweg 12", " 26121 Oldenburg"),
		"an address far from the edge":             window("Klinikum Weserbogen", "      Uferweg 12", "         26121 Oldenburg"),
		"a telephone below the town":               window("Klinikum Weserbogen", "Uferweg 12", "26121 Oldenburg", "Tel. 0441 77"),
		"a telephone three lines below the town":   window("Klinikum Weserbogen", "Uferweg 12", "26121 Oldenburg", "Haus 4", "Ebene 2", "Tel. 0441 77"),
		"a telephone four lines below the town":    window("Klinikum Weserbogen", "Uferweg 12", "26121 Oldenburg", "Haus 4", "Ebene 2", "Tor 5", "Tel. 0441 77"),
		"a window at the top":                      "\nKlinikum Weserbogen\nUferweg 12\n26121 Oldenburg\n\n#Rechnung Nr. 7\nOstsee Fisch GmbH",
		"a window in the middle":                   "\nOstsee Fisch GmbH" + rows(24) + "Klinikum Weserbogen\nUferweg 12\n26121 Oldenburg\n\n#Rechnung Nr. 7",
		"a number in the lower half":               "\nOstsee Fisch GmbH\n#Rechnung" + rows(30) + "Nr.      4711-8",
		"a number in the upper half":               "\nOstsee Fisch GmbH\n#Rechnung" + rows(20) + "Nr.      4711-8",
		"a number of four digits below a title":    "\nOstsee Fisch GmbH\n#Rechnung\n4711",
		"a number of three digits below a title":   "\nOstsee Fisch GmbH\n#Rechnung\n471",
		"numbers in a list below a title":          "\nOstsee Fisch GmbH\n#Rechnung\n4711\n4712",
		"a title with another language":            "\nOstsee Fisch GmbH\n#Invoice VAT      4711-8",
		"a title with a form's number":             "\nOstsee Fisch GmbH\n#Rechnung (380)      4711-8",
		"a title with more words":                  "\nOstsee Fisch GmbH\n#Rechnung bitte aufbewahren      4711-8",
		"a title in small capitals":                "\nOstsee Fisch GmbH\nRECHNUNG NR. 4711",
		"a short title in small capitals":          "\nOstsee Fisch GmbH\nBOLLA N. 4711",
		"a title in capitals with a colon":         "\nOstsee Fisch GmbH\nRECHNUNG NR.: 4711",
		"a title in capitals next to another cell": "\nOstsee Fisch GmbH\nRECHNUNG NR. 4711      Seite 1",
		"a quotation of six words":                 "\nOstsee Fisch GmbH\n#Angebot für das Haus am See\nRechnung Nr. 7",
		"a quotation of seven words":               "\nOstsee Fisch GmbH\n#Angebot für das Haus am See Nord\nRechnung Nr. 7",
		"a large strange title":                    "\nOstsee Fisch GmbH\n#Wartungsprotokoll\nRechnungsnummer: 7      Datum   01.02.2026",
		"a large strange title of five words":      "\nOstsee Fisch GmbH\n#Protokoll zur Wartung Ihrer Kessel\nRechnungsnummer: 7      Datum   01.02.2026",
		"the first page of two is missing":         "\nOstsee Fisch GmbH      Seite 2 von 2\n#Rechnung Nr. 7",
		"two pages of four are missing":            "\nOstsee Fisch GmbH      Seite 2 von 4\n#Rechnung Nr. 7\n-----\nSeite 4 von 4",
		"an uncounted page":                        "\nOstsee Fisch GmbH      Seite 2 von 3\n#Rechnung Nr. 7\n-----\nSeite 3 von 3\n-----\nBeilage zu Rechnung Nr. 7",
		"a count at the edge of the page":          "1/2\n#Rechnung Nr. 7",
		"a count below the edge":                   rows(1) + "Ostsee Fisch GmbH" + rows(9) + "1/2\n#Rechnung Nr. 7",
		"a page above its number":                  "Seite 3 von 2\n#Rechnung Nr. 7",
		"thousands by a comma elsewhere":           sheet + "Äpfel            1.200 Stk\nBirnen            31,2 kg",
		"thousands unknown":                        sheet + "Äpfel            1.200 Stk\nBirnen            31,2 kg\nTrauben            4.5 kg",
		"thousands by whole numbers of the unit":   sheet + "Äpfel            1.200 Stk\nBirnen            31 Stk",
		"whole numbers of another unit":            sheet + "Äpfel            1.200 kg\nBirnen            31 Stk",
		"lines a little apart":                     sheet + "Äpfel            12\n\n\nBirnen            31",
		"lines far apart":                          sheet + "Äpfel            12\n\n\n\n\n\nBirnen            31",
		"a legal form in a name of nine words":     "\nHaus und Hof und Garten und Wald Nord GmbH\n#Rechnung Nr. 7",
		"a legal form in a name of ten words":      "\nHaus und Hof und Garten und Wald und Feld GmbH\n#Rechnung Nr. 7",
		"a name in a low sentence":                 "\n#Rechnung Nr. 7" + rows(20) + "Ein Unternehmen der Ostsee Fisch GmbH",
		"a name in a low line":                     "\n#Rechnung Nr. 7" + rows(20) + "Ostsee Fisch GmbH",
	} {
		for i := range seen.asIs(layout(text)) {
			last := len(seen.read) - 1 - i
			seen.read[last] = name + ": " + seen.read[last]
		}
	}
}
