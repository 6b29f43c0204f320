package reference

import (
	"slices"
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Su pedido n.º 778812 del 3 de marzo de 2026":       {"778812"},
		"Orden de compra: OC-778812":                        {"OC-778812"},
		"注文番号: 778812":                                      {"778812"},
		"注文番号778812":                                        {"注文番号778812"},
		"Uw bestelling nr. 778812 d.d. 03-03-2026":          {"778812"},
		"Zamówienie nr 778812 z dnia 3.03.2026":             {"778812"},
		"Pedido PED/2024/02333 de fecha 25/05/2024":         {"PED/2024/02333"},
		"GUANTE NIT S - N.º 23.10379-001":                   {"23.10379-001"},
		"pedido PO 018 828":                                 {"018", "018 828", "828"},
		"4500020000 - 4500020011":                           {"4500020000", "4500020011", "4500020000 - 4500020011"},
		"4711, 4712 y 4713":                                 {"4711", "4712", "4713"},
		"Scadenza 13/11/2023: 6.973,04 EUR":                 nil,
		"Due 09 Sep 2024: 1,704.40 USD":                     nil,
		"1,250 €, $ 1250, 12.50, 1.250.00, 100 %, 25% 2026": nil,
		"Tel. +49 221 9231076, IBAN DE89370400440532013000": nil,
		"M6x20, 80 mm, DN 50":                               {"M6x20"},
		"SuperLongWordsWith123":                             nil,
		"":                                                  nil,
		"\xff 4711":                                         {"4711"},
	} {
		got := Mentions(text, 64)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestMentionsAreBounded(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"4711 ", "+4", "4711-", "1,", "4711 - ", "1 "} {
		if got := Mentions(strings.Repeat(piece, 1<<20/len(piece)), 64); len(got) > 64 {
			t.Errorf("%q: %d mentions", piece, len(got))
		}
	}
}
