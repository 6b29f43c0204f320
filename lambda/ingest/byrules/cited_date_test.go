package byrules

import "testing"

// A date behind a word such as "vom" is the date of the number next to it, also at a distance; and only a name
// of a place in front of a date makes it a letter's.
func TestDatesOfCitedPapers(t *testing.T) {
	t.Parallel()
	const head = "Weser Spedition AG\n"
	for text, want := range map[string]string{
		"#Facture n° FT-5                         du 30/09/2026\n\nÉchéance 30/10/2026":                                 "2026-09-30",
		"#Auftragsbestätigung AB-5\nDatum            14.05.2026\nIhre Bestellung   450077\nvom              12.05.2026": "2026-05-14",
		"#Auftragsbestätigung AB-5\n\nIhre Bestellung   450077\nvom                     12.05.2026":                     "",
		"#Gutschrift Nr. 90012\n\nZu unserer Rechnung                    vom 29.04.2026":                                "",
		"#Rechnung                 vom 29.04.2026\nNr. 5":                                                               "2026-04-29",
		"#Rechnung Nr. 5\n\nIhre Meldung     telefonisch, Hr. Lind jun., 12.05.2026":                                    "",
		"#Rechnung Nr. 5\n\nDatum          Ihr Auftrag     vom\n03.05.2026     A-77            01.05.2026":              "2026-05-03",
		"#Rechnung Nr. 5\n\nKunde          Ihr Auftrag     vom\n3307           A-77            01.05.2026":              "",
		"#Rechnung Nr. 5\n\nBad Lind, den 12.05.2026":                                                                   "2026-05-12",
	} {
		got := ""
		if d := Extract(layout(head + text))[0].Data.Date; !d.IsZero() {
			got = d.String()
		}
		if got != want {
			t.Errorf("got %q, want %q in %s", got, want, text)
		}
	}
}
