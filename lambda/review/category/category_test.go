package category

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/review/record"
)

// Each sentence is a clause of exactly these categories.
func TestClauses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []record.Category
	}{
		{"This Lease is an agreement entered into by and between Birch Ltd. and Ms Jones.", only(record.Parties)},
		{"Dieser Vertrag wird zwischen der Birke GmbH und Frau Jonas geschlossen und tritt am 1. Mai 2026 in Kraft.", only(record.Parties)},
		{"Le présent contrat est conclu entre les soussignés Bouleau SARL et Madame Jonas.", only(record.Parties)},

		{"The term shall automatically renew for further years.", only(record.Renewal)},
		{"Der Vertrag verlängert sich jeweils um ein Jahr.", only(record.Renewal)},
		{"À son terme, le contrat est renouvelé par tacite reconduction.", only(record.Renewal)},

		{"Either party may terminate for convenience on sixty days' notice.", only(record.Termination)},
		{"Jede Partei kann diesen Vertrag mit einer Frist von drei Monaten kündigen.", only(record.Termination)},
		{"Chaque partie peut résilier le contrat moyennant un préavis de trois mois.", only(record.Termination)},

		{"A Change of Control of the Supplier requires notice to the Customer.", only(record.ChangeOfControl)},
		{"Ein Kontrollwechsel ist dem Auftraggeber anzuzeigen.", only(record.ChangeOfControl)},
		{"Tout changement de contrôle est notifié au client.", only(record.ChangeOfControl)},

		{"Neither party may assign its rights without the prior written consent of the other.", only(record.Assignment)},
		{"Die Abtretung von Ansprüchen bedarf der Zustimmung des anderen Teils.", only(record.Assignment)},
		{"Le prestataire ne peut céder le contrat sans l'accord préalable du client.", only(record.Assignment)},

		{"In no event shall either party be liable for consequential damages.", only(record.LiabilityCap)},
		{"Die Haftung ist auf den Auftragswert beschränkt.", only(record.LiabilityCap)},
		{"La responsabilité du prestataire est limitée au prix du contrat.", only(record.LiabilityCap)},

		{"Nothing in this contract limits or excludes liability for breach of confidentiality.", only(record.UncappedLiability)},
		{"Für grobe Fahrlässigkeit haftet der Auftragnehmer unbeschränkt.", only(record.UncappedLiability)},
		{"En cas de retard, la responsabilité du prestataire est illimitée.", only(record.UncappedLiability)},

		{"The Supplier shall indemnify and hold the Customer harmless from third-party claims.", only(record.Indemnity)},
		{"Der Auftragnehmer stellt den Auftraggeber von Ansprüchen Dritter frei.", only(record.Indemnity)},
		{"Le prestataire souscrit une assurance de responsabilité civile.", only(record.Indemnity)},

		{"All right, title and interest in the inventions is vested in the Customer as works made for hire.", only(record.IPOwnership)},
		{"Das Eigentum an den Arbeitsergebnissen steht dem Auftraggeber zu.", only(record.IPOwnership)},
		{"Le client est titulaire de tous les droits de propriété intellectuelle.", only(record.IPOwnership)},

		{"The Licensor grants the Customer a non-exclusive licence of the software.", only(record.License)},
		{"Der Anbieter räumt dem Kunden ein einfaches Nutzungsrecht an der Software ein.", only(record.License)},
		{"Le concédant accorde au client une licence non exclusive du logiciel.", only(record.License)},

		{"For two years the Consultant shall not solicit the Customer's employees.", only(record.Exclusivity)},
		{"Es gilt ein Wettbewerbsverbot von zwei Jahren.", only(record.Exclusivity)},
		{"Le distributeur bénéficie de l'exclusivité sur le territoire.", only(record.Exclusivity)},

		{"The Buyer has a right of first refusal for the next model.", only(record.Exclusivity)},
		{"Der Händler verpflichtet sich zu einer Mindestabnahmemenge von 300 Stück im Jahr.", only(record.Exclusivity)},
		{"Le fournisseur accorde au client le droit de préférence du client le plus favorisé.", only(record.Exclusivity)},

		{"This contract is governed by the laws of Ontario.", only(record.GoverningLaw)},
		{"Es gilt das Recht der Bundesrepublik Deutschland unter Ausschluss des UN-Kaufrechts.", only(record.GoverningLaw)},
		{"Le contrat est régi par le droit belge.", only(record.GoverningLaw)},

		{"Governed by the law of Kenya. Neither party may assign it.", []record.Category{record.Assignment, record.GoverningLaw}},
	} {
		if got := categories(ByRules(tc.text, 0, "")); !slices.Equal(got, tc.want) {
			t.Errorf("%s\ngot %v, want %v", tc.text, got, tc.want)
		}
	}
}

func only(c record.Category) []record.Category { return []record.Category{c} }

func categories(marks []record.Mark) (list []record.Category) {
	for _, m := range marks {
		list = append(list, m.Category)
	}
	return list
}

func TestMentionsDoNotCount(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"Termination Date" means the day on which either party has returned the goods.`,
		`"Change of Control" has the meaning given to it in the Loan.`,
		`„Lizenz“ bedeutet eine behördliche Erlaubnis.`,
		"Governing Law",
		"12. Limitation of Liability.\n\n13. Indemnity.\n\n14. Assignment and Change of Control.",
		"Governing Law ........ 14\nThe licence that we grant to the Customer . . . . . . 15\nNo party may assign \t 16\n",
		"No license is granted to any patent.",
		"The Customer must not grant any licence of the Software.",
		"Es wird kein Nutzungsrecht an den Marken eingeräumt.",
		"This order is non-exclusive.",
		"The agreement shall not be renewed.",
		"The goods are delivered on Monday, and paid for within thirty days.",
		"The Supplier complies with all laws.",
		`"enum": ["change-of-control", "assignment", "liability-cap", "license-grant", "governing-law"]`,
		"",
		" \n\t ",
		"\u202e\u200b\u200f",
	} {
		if got := ByRules(text, 0, ""); len(got) != 0 {
			t.Errorf("%s\ngot %+v, want nothing", text, got)
		}
	}
}

func TestHeadingAddsEvidence(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, heading string
		want          int
	}{
		{"Neither party is liable for delay.", "", 0},
		{"Neither party is liable for delay.", "7. Payment", 0},
		{"Liability.\n\n" + "Neither party is liable for delay.", "", 65},
		{"Neither party is liable for delay.", "9. Limitation of Liability", 55},
		{"Payment.\n\n" + "Neither party is liable for delay.", "9. Limitation of Liability", 55},
	} {
		got := 0
		for _, m := range ByRules(tc.text, 0, tc.heading) {
			got = m.Score
		}
		if got != tc.want {
			t.Errorf("%q below %q: got %d, want %d", tc.text, tc.heading, got, tc.want)
		}
	}
}

func TestQuoteIsSentence(t *testing.T) {
	t.Parallel()
	const before = "§ 3 Préambule. "
	const clause = "This  contract is governed\nby the laws of Ontario, no. 7 included"
	const text = before + clause + ". Payment is due."
	got := ByRules(text, 1000, "")
	want := []record.Mark{{Category: record.GoverningLaw, Score: 75, Quote: clause,
		Start: 1000 + len(before), End: 1000 + len(before) + len(clause)}}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestLongSentenceIsCut(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("whatever ", 90)
	text := filler + "governed by the laws of Ontario " + filler
	got := ByRules(text, 0, "")
	if len(got) != 1 || len(got[0].Quote) > maxQuote || !strings.Contains(got[0].Quote, "governed by the laws of Ontario") ||
		text[got[0].Start:got[0].End] != got[0].Quote {
		t.Errorf("got %+v", got)
	}
}

func TestThreeStrongestMarks(t *testing.T) {
	t.Parallel()
	const text = "Either party may terminate. The Buyer may terminate for convenience. The Seller may terminate. " +
		"The Lender may terminate."
	var got []string
	for _, m := range ByRules(text, 0, "") {
		got = append(got, m.Quote)
	}
	want := []string{"The Buyer may terminate for convenience", "Either party may terminate", "The Seller may terminate"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPossessives(t *testing.T) {
	t.Parallel()
	const text = "the Party’s fee, the Buyer's"
	var got []string
	for _, w := range wordsOf(text) {
		got = append(got, w.text+" "+text[w.start:w.end])
	}
	if want := []string{"the the", "party Party’s", "fee fee", "the the", "buyer Buyer's"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRepeatedWordIsNoClause(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"x", "liability ", "assign ", "Governed. ", "lizenz"} {
		if got := ByRules(strings.Repeat(word, 1<<12), 0, "Liability"); len(got) != 0 {
			t.Errorf("%s: got %.200v, want nothing", word, got)
		}
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, text string
		want          int
	}{
		{"a b", "x a b", 1},
		{"a b", "a x b", -1},
		{"a ~1 b", "a x b", 0},
		{"a ~1 b", "a x x b", -1},
		{"a ~2 b c", "a b x b c", 0},
		{"a|b", "c b", 1},
		{"assign*", "reassigns assigned", 1},
		{"*recht*", "Nutzungsrechte", 0},
		{"*recht", "Nutzungsrechte Recht", 1},
		{"a b", "a", -1},
	} {
		if got := parse(1, tc.pattern).find(wordsOf(tc.text)); got != tc.want {
			t.Errorf("%q in %q: got %d, want %d", tc.pattern, tc.text, got, tc.want)
		}
	}
}

func FuzzByRules(f *testing.F) {
	f.Add("Governed by the law of Kenya.", "Law")
	f.Add("\xff\n\n\"Term\" means 1.", "\x00")
	f.Fuzz(func(t *testing.T, text, heading string) {
		for _, m := range ByRules(text, 7, heading) {
			if m.Start < 7 || m.End-7 > len(text) || text[m.Start-7:m.End-7] != m.Quote || m.Quote == "" ||
				len(m.Quote) > maxQuote || m.Score < present || m.Score > 100 {
				t.Errorf("%+v", m)
			}
		}
	})
}
