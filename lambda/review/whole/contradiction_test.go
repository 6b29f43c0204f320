package whole

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
)

func sample(t *testing.T, name, section string) (record.Task, facts) {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "testdata", "contracts")
	text := must.Get(os.ReadFile(filepath.Join(folder, name)))(t)
	raw := must.Get(os.ReadFile(filepath.Join(folder, "facts.json")))(t)
	all := map[string]facts{}
	must.OK(t, json.Unmarshal(raw, &all))
	var parts []string
	for i, p := range strings.Split(string(text), section) {
		if i > 0 {
			p = section + p
		}
		heading, _, _ := strings.Cut(strings.TrimPrefix(p, section), "\n")
		parts = append(parts, heading+"|"+p)
	}
	return contract(parts...), all[name]
}

type facts struct {
	Contradictions []struct{ Category, Quote, Place, Other string }
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestSampleContradictions(t *testing.T) {
	t.Parallel()
	for name, section := range map[string]string{"software-licence.md": "## ", "wartungsvertrag.txt": "§ "} {
		task, want := sample(t, name, section)
		found := contradictionsOf(task)
		if len(found) != len(want.Contradictions) {
			t.Errorf("%s: got %d contradictions, want %d: %+v", name, len(found), len(want.Contradictions), found)
			continue
		}
		for i, w := range want.Contradictions {
			f := found[i]
			if f.Category != record.Category(w.Category) || !strings.Contains(flat(f.Quote), w.Quote) ||
				!strings.Contains(f.Explanation, w.Other) || task.Text[f.Start:f.End] != f.Quote {
				t.Errorf("%s: got %+v, want %+v", name, f, w)
			}
			if place := placesOf(task, []int{f.Start})[0]; !strings.Contains(place, w.Place) {
				t.Errorf("%s: got the place %s, want %s", name, place, w.Place)
			}
		}
	}
}

func TestContradictingClauses(t *testing.T) {
	t.Parallel()
	const convenience = "Either party may terminate this Agreement for convenience on "
	for _, tc := range []struct {
		name, first, second, want string
	}{
		{"law", "This Agreement is governed by the laws of the State of New York.",
			"This Exhibit shall be construed in accordance with the laws of Delaware, without regard to conflicts.",
			"governing law of New York and of Delaware"},
		{"law in German", "Es gilt ausschließlich das Recht der Bundesrepublik Deutschland.",
			"Auf diese Anlage ist österreichisches Recht anwendbar. Für diese Anlage gilt österreichisches Recht.",
			"governing law of Germany and of Austria"},
		{"one law, two ways", "This Agreement is governed by the laws of Germany.",
			"Es gilt das Recht der Bundesrepublik Deutschland.", ""},
		{"laws that govern nothing", "This Agreement is governed by the laws of Ireland.",
			"The supplier complies with the laws of France and pays all taxes.", ""},
		{"notice", convenience + "ninety (90) days' notice.",
			convenience + "sixty days’ prior written notice.",
			"notice of termination for convenience of 90 days and of 60 days"},
		{"three months are ninety days", convenience + "90 days' notice.",
			convenience + "three (3) months' notice.", ""},
		{"notice after a breach", convenience + "90 days' notice.",
			"Either party may terminate this Agreement for any reason on 10 days' notice of a material breach.", ""},
		{"of another party", convenience + "90 days' notice.",
			"The Customer may terminate this Agreement for convenience on 30 days' notice.", ""},
		{"of another object", convenience + "90 days' notice.",
			"Either party may terminate this Statement of Work for convenience on 30 days' notice.", ""},
		{"at another time", convenience + "90 days' notice.",
			"During the first year, either party may terminate this Agreement for convenience on 30 days' notice.", ""},
		{"renewal", "The term renews automatically for periods of one year each. It renews for one (1) year.",
			"This Agreement renews for twenty-four months.", "period of renewal of 1 year and of 24 months"},
		{"notice of non-renewal", "It renews for a year, unless a party objects 180 days before the end of the term.",
			"To prevent renewal, a party gives notice three months prior to the expiration of the term.",
			"notice that prevents a renewal of 180 days and of 3 months"},
		{"renewal in German", "Der Vertrag verlängert sich um jeweils zwölf Monate.",
			"Die Laufzeit verlängert sich stillschweigend um ein Jahr. Sie verlängert sich um drei Jahre.",
			"period of renewal of 12 monate and of 3 jahre"},
		{"cap", "The Supplier's total aggregate liability shall not exceed EUR 100,000.",
			"Supplier's aggregate liability is limited to EUR 250.000.",
			"cap of liability of EUR 100,000 and of EUR 250.000"},
		{"cap of the other party", "The Supplier's aggregate liability shall not exceed EUR 100,000.",
			"The Customer's aggregate liability shall not exceed EUR 50,000.", ""},
		{"cap of a case", "The Supplier's aggregate liability shall not exceed EUR 100,000.",
			"The Supplier's aggregate liability for data protection shall not exceed EUR 500,000.", ""},
		{"payment term", "Invoices are due within thirty (30) days of receipt.",
			"The Customer shall pay each invoice within 14 days after its date.", "payment term of 30 days and of 14 days"},
		{"payment term in German", "Rechnungen sind innerhalb von 14 Tagen nach Zugang ohne Abzug zu zahlen.",
			"Die Rechnung ist binnen 30 Tagen fällig.", "payment term of 14 tagen and of 30 tagen"},
		{"payment after a reminder", "Invoices are due within 30 days of receipt.",
			"If an invoice remains unpaid 14 days after a reminder, the Supplier may suspend the service.", ""},
		{"payment for something else", "Invoices are due within 30 days of receipt.",
			"Invoices for travel expenses are due within 60 days of receipt.", ""},
		{"a dispute of an invoice", "Invoices are due within 30 days of receipt.",
			"The Customer may dispute an invoice within 10 days; it is then payable within 60 days.", ""},
		{"length of the term", "This Agreement has an initial term of thirty-six (36) months.",
			"The initial term of this Agreement is two years from the Effective Date.", "length of the first term of 36 months and of 2 years"},
		{"term of a licence", "This Agreement has an initial term of three years.",
			"The licence has a term of one year.", ""},
		{"survival", "The duties of confidentiality survive for five years after the end of this Agreement.",
			"The receiving party keeps Confidential Information secret for a period of two years after termination.",
			"survival of confidentiality of 5 years and of 2 years"},
		{"survival of another duty", "The duties of confidentiality survive for five years after the end of this Agreement.",
			"The non-compete applies for two years after the end of this Agreement.", ""},
		{"courts", "The courts of Vienna have exclusive jurisdiction over all disputes.",
			"The parties submit to the exclusive jurisdiction of the courts of Dublin.", "courts of Vienna and of Dublin"},
		{"courts in German", "Ausschließlicher Gerichtsstand ist Tannenmoos.", "Gerichtsstand ist München.",
			"courts of Tannenmoos and of München"},
		{"courts for an injunction", "The courts of Vienna have exclusive jurisdiction over all disputes.",
			"A party may seek an injunction in the courts of Dublin.", ""},
		{"a rider", "It renews for periods of one year.",
			"Section 4.2 is deleted and replaced by: This Agreement renews for three years.", ""},
		{"an amendment", "It renews for one year. The term ends then.",
			"AMENDMENT NO. 1\n\n1. This Agreement renews for three years.", ""},
		{"a Nachtrag", "Der Vertrag verlängert sich um ein Jahr.",
			"1. NACHTRAG ZUM VERTRAG\n\n§ 1 Der Vertrag verlängert sich um zwei Jahre.", ""},
		{"in derogation", "Es gilt das Recht der Bundesrepublik Deutschland.",
			"Abweichend von § 10 gilt das Recht der Schweiz.", ""},
		{"an exception", "Invoices are due within 30 days of receipt.",
			"Notwithstanding clause 6.2, invoices are due within 60 days of receipt.", ""},
		{"equal caps", "The Supplier's aggregate liability shall not exceed EUR 100,000.",
			"The Supplier's aggregate liability is limited to EUR 100.000.", ""},
	} {
		found := contradictionsOf(contract("A|"+tc.first+"\n\n", "B|"+tc.second))
		var got string
		for _, f := range found {
			got += strings.TrimPrefix(f.Title, "Contradiction: ")
		}
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestUnreadPartsAreSkipped(t *testing.T) {
	t.Parallel()
	task := contract("A|This Agreement is governed by the laws of Ireland.\n\n",
		"B|This Annex is governed by the laws of France.")
	if n := len(contradictionsOf(task)); n != 1 {
		t.Fatalf("got %d contradictions, want 1", n)
	}
	task.Chunks[1].Status = job.StatusFailed
	if found := contradictionsOf(task); len(found) > 0 {
		t.Errorf("got %+v, want none", found)
	}
}

func TestHostileContracts(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for name, text := range map[string]string{
		"one word":  strings.Repeat("a", 5*mb),
		"points":    strings.Repeat(". ", mb/4),
		"lines":     strings.Repeat("\n", mb/4),
		"one law":   strings.Repeat("governed by the laws of Ireland. ", mb/64),
		"no text":   "",
		"bad UTF-8": strings.Repeat("\xff. \xfe", mb/64),
		"words":     strings.Repeat("governed by the laws of the ", mb/64),
	} {
		if found := contradictionsOf(contract("A|" + text)); len(found) > 0 {
			t.Errorf("%s: got %+v", name, found[0])
		}
	}
	var laws, parties strings.Builder
	for i := range 2_000 {
		name := fmt.Sprintf("Land%c%c", 'a'+i/26%26, 'a'+i%26)
		fmt.Fprintf(&laws, "Annex %d is governed by the laws of %s.\n\n", i, name)
		for _, days := range []int{30, 60} {
			fmt.Fprintf(&parties, "%s may terminate this Agreement for convenience on %d days' notice. ", name, days)
		}
	}
	if n := len(contradictionsOf(contract("A|" + laws.String()))); n != mostOfOne {
		t.Errorf("two thousand laws are %d contradictions, want %d", n, mostOfOne)
	}
	if n := len(contradictionsOf(contract("A|" + parties.String()))); n != mostOfAll {
		t.Errorf("two notices of each of many parties are %d contradictions, want %d", n, mostOfAll)
	}
}
