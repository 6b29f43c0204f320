package whole

import (
	"os"
	"slices"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

func TestFactsInFrench(t *testing.T) {
	t.Parallel()
	got := Facts("CONTRAT DE LOCATION\n\nentre la Foncière du Vallon SARL (ci-après \"le Bailleur\") et la Boulangerie Quatrefeuille SAS "+
		"(ci-après \"le Preneur\").\n\n1. Le bail prend effet le 1er avril 2026.", func(n string) bool { return n == "Preneur" })
	want := []record.Party{{Name: "Foncière du Vallon SARL", Term: "Bailleur"}, {Name: "Boulangerie Quatrefeuille SAS", Term: "Preneur", Ours: true}}
	if !slices.Equal(got.Parties, want) || got.Effective != "2026-04-01" || got.Type != "CONTRAT DE LOCATION" {
		t.Errorf("got %+v", got)
	}
}

// The cards are what a person reads in the sample contracts.
func TestFactsOfSamples(t *testing.T) {
	t.Parallel()
	pb := must.Get(playbook.Parse(playbook.Default()))(t)
	for name, want := range map[string]record.Card{
		"software-licence.md": {Type: "Software Licence and Services Agreement", Effective: "2026-03-02", End: "2029-03-01",
			Parties: []record.Party{{Name: "Quillmere Software Limited", Term: "Quillmere"},
				{Name: "Kaffeerösterei Siebenschläfer GmbH", Term: "Customer", Ours: true}},
			Term: record.Span{N: 36, Unit: "month"}, Renewal: record.Span{N: 24, Unit: "month"},
			Notice: record.Span{N: 180, Unit: "day"}, LastNotice: "2028-09-02"},
		"wartungsvertrag.txt": {Type: "WARTUNGSVERTRAG", Effective: "2026-04-01", End: "2028-03-31",
			Parties: []record.Party{{Name: "Möbelwerkstatt Nimmerholz GmbH", Term: "Auftraggeberin", Ours: true},
				{Name: "Zargenwerk Maschinenservice GmbH", Term: "Zargenwerk"}},
			Term: record.Span{N: 2, Unit: "year"}, Renewal: record.Span{N: 1, Unit: "year"},
			Notice: record.Span{N: 3, Unit: "month"}, LastNotice: "2027-12-31"},
	} {
		raw := must.Get(os.ReadFile("../../../testdata/contracts/" + name))(t)
		got := Facts(string(raw), func(n string) bool { return pb.SideOf(n) > 0 })
		if got.Type != want.Type || !slices.Equal(got.Parties, want.Parties) || got.Effective != want.Effective || got.End != want.End {
			t.Errorf("%s:\ngot  %q %+v %s %s\nwant %q %+v %s %s", name, got.Type, got.Parties, got.Effective, got.End,
				want.Type, want.Parties, want.Effective, want.End)
		}
		for what, spans := range map[string][2]record.Span{"term": {got.Term, want.Term}, "renewal": {got.Renewal, want.Renewal},
			"notice": {got.Notice, want.Notice}} {
			if spans[0].N != spans[1].N || spans[0].Unit != spans[1].Unit {
				t.Errorf("%s: %s %+v, want %+v", name, what, spans[0], spans[1])
			}
		}
		if got.LastNotice != want.LastNotice {
			t.Errorf("%s: last notice %s, want %s", name, got.LastNotice, want.LastNotice)
		}
	}
}
