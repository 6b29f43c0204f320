package report

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// The lines are what a lawyer writes on the first page.
func TestCardLines(t *testing.T) {
	t.Parallel()
	months := func(n int) record.Span { return record.Span{N: n, Unit: "month"} }
	full := record.Card{ByModel: true, Effective: "2026-04-01", End: "2027-03-31", Term: months(12), Renewal: months(24),
		Notice: months(3), LastNotice: "2026-12-31",
		Parties: []record.Party{{Name: "Quillmere Ltd", Term: "Supplier"}, {Name: "Tarn & Weir\u202e AG", Term: "Customer", Ours: true}},
		Sums:    []record.Fact{{Name: "licence", Quote: "GBP 41,000 a year"}, {Name: "support", Quote: "18 %"}, {Quote: "EUR 5"}, {}}}
	byRules := record.Card{Parties: []record.Party{{Name: "A"}}, Notice: record.Span{N: 1, Unit: "day"}, Renewal: months(1),
		Sums: []record.Fact{{Name: "amount", Quote: "pays EUR 5"}}}
	for name, c := range map[string]struct {
		card record.Card
		want []string
	}{
		"all known": {full, []string{"Parties: Quillmere Ltd (“Supplier”); Tarn & Weir AG (“Customer”), our side",
			"Term: from 2026-04-01 to 2027-03-31 (12 months), renewed by 24 months",
			"Last day of notice: 2026-12-31 (3 months before the end)",
			"Fees: licence “GBP 41,000 a year”; support “18 %”; EUR 5; and 1 more"}},
		"by rules": {byRules, []string{"Parties, by rules: A", "Term, by rules: renewed by 1 month",
			"Notice against renewal, by rules: 1 day", "Fees, by rules: pays EUR 5"}},
		"nothing known": {record.Card{}, nil},
	} {
		if got := CardLines(c.card); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		r := complete(t)
		r.Card = c.card
		for form, text := range map[string]string{"Markdown": strings.ReplaceAll(Markdown(r), `\`, ""), "HTML": string(must.Get(HTML(r))(t))} {
			head, _, _ := strings.Cut(text, "Playbook")
			for _, line := range c.want {
				if !strings.Contains(strings.ReplaceAll(head, "&amp;", "&"), line) {
					t.Errorf("%s: no %q on top of the %s:\n%.2000s", name, line, form, head)
				}
			}
		}
		if lines := briefOf(r, itemsOf(r)); len(lines) > 10 {
			t.Errorf("%s: %d lines", name, len(lines))
		}
	}
}

// A review without a recorded card has the rules' card, by the side of its playbook.
func TestCardByRules(t *testing.T) {
	t.Parallel()
	s := shelf{Review: complete(t)}
	s.Review.Text = "SERVICE AGREEMENT\n\nThis Agreement is made on 1 April 2026 between Velden Pumps GmbH (the \"Customer\") and " +
		"Orrin Works Ltd (the \"Supplier\").\n"
	r := must.Get(Read(t.Context(), s, uuid.Nil))(t)
	want := "[Parties, by rules: Velden Pumps GmbH (“Customer”), our side; Orrin Works Ltd (“Supplier”) Term, by rules: from 2026-04-01]"
	if got := "[" + strings.Join(CardLines(r.Card), " ") + "]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.card = &record.Card{ByModel: true, Effective: "2026-05-02"}
	if r = must.Get(Read(t.Context(), s, uuid.Nil))(t); strings.Join(CardLines(r.Card), " ") != "Term: from 2026-05-02" {
		t.Errorf("the recorded card is %q", CardLines(r.Card))
	}
}
