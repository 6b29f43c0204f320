package byrules

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// sheetWith is a page of lines; a line that begins with a bar stands at the foot.
func sheetWith(number int, lines ...string) transcript.Page {
	p := transcript.Page{Number: number, Quality: 1}
	for i, text := range lines {
		top := 0.05 + 0.04*float64(i)
		if rest, ok := strings.CutPrefix(text, "|"); ok {
			text, top = rest, 0.95
		}
		p.Lines = append(p.Lines, transcript.Line{Text: text, Confidence: 1,
			Box: transcript.Box{Left: 0.1, Top: top, Right: 0.1 + 0.01*float64(len(text)), Bottom: top + 0.015}})
	}
	return p
}

// Parts of pages.
var (
	first      = []string{"Kessler Pumpen GmbH", "Rechnung Nr. K-100", "USt-IdNr.: DE294711836", "Pumpe 100,00 EUR"}
	items      = []string{"Dichtung 20,00 EUR", "Gesamtbetrag 120,00 EUR"}
	second     = []string{"Wolters Glas AG", "Rechnung Nr. W-7", "USt-IdNr.: DE177302648", "Scheibe 80,00 EUR"}
	cover      = []string{"Kessler Pumpen GmbH", "anbei unsere Rechnung"}
	withoutTax = []string{"Atelier Nord", "Invoice No. 55", "Poster 30,00 EUR"}
)

func with(lines []string, more ...string) []string {
	return append(append([]string{}, lines...), more...)
}

func TestPagesFindTheirDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		pages [][]string
		want  string
	}{
		{"a page without a name goes on", [][]string{first, items}, "1 2"},
		{"another number begins a document", [][]string{first, second, items}, "1, 2 3"},
		{"another VAT id does", [][]string{first, with(items, "USt-IdNr.: DE177302648")}, "1, 2"},
		{"another account does", [][]string{with(first, "IBAN: DE62370400440532013777"), with(items, "IBAN: DE44500105175407324931")}, "1, 2"},
		{"another supplier does", [][]string{first, with([]string{"Wolters Glas AG"}, items...)}, "1, 2"},
		{"the recipient's VAT id on both does not", [][]string{with(first, "Ihre USt-IdNr.: DE255188404"), with(items, "USt-IdNr.: DE255188404")}, "1 2"},
		{"page 1 begins", [][]string{with(withoutTax, "|Page 1 of 1"), with(items, "|Page 1 of 1")}, "1, 2"},
		{"page 2 of 2 goes on", [][]string{with(first, "|1 / 2"), with(items, "Wolters Glas AG", "|2 / 2")}, "1 2"},
		{"a title without its number begins", [][]string{withoutTax, {"Invoice", "Lamp 40,00 EUR"}}, "1, 2"},
		{"a cover letter joins", [][]string{cover, first}, "1 2"},
		{"an invoice whose number was not found does not", [][]string{with(cover, "Pumpe 3,00 EUR"), second}, "1, 2"},
		{"a copy joins its document", [][]string{first, second, first}, "1 3, 2"},
		{"so does its second page", [][]string{second, first, with(items, "Rechnung Nr. W-7")}, "1 3, 2"},
		{"the same number of another supplier does not", [][]string{first, {"Wolters Glas AG", "Rechnung Nr. K-100", "USt-IdNr.: DE177302648"}}, "1, 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var pages []transcript.Page
			for i, lines := range c.pages {
				pages = append(pages, sheetWith(i+1, lines...))
			}
			if got := numbersOf(split(pages)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func numbersOf(documents [][]transcript.Page) string {
	parts := make([]string, len(documents))
	for i, pages := range documents {
		for _, p := range pages {
			parts[i] += fmt.Sprintf(" %d", p.Number)
		}
		parts[i] = parts[i][1:]
	}
	return strings.Join(parts, ", ")
}

// A copy keeps its place in the document, but its amounts don't count twice.
func TestCopyIsNotReadTwice(t *testing.T) {
	t.Parallel()
	found := split([]transcript.Page{sheetWith(1, first...), sheetWith(2, first...)})
	if got := numbersOf(found); got != "1 2" || len(found[0][1].Lines) != 0 || len(found[0][0].Lines) == 0 {
		t.Errorf("got %s: %+v", got, found)
	}
}

// Whatever the order and the copies, each page is in one document, and no document has two
// suppliers.
func TestEachPageIsInOneDocument(t *testing.T) {
	t.Parallel()
	kinds := [][]string{first, items, second, cover, withoutTax, {"Wolters Glas AG"}, {""}}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 36)) //nolint:gosec // repeatable
		var pages []transcript.Page
		for n := range 1 + r.IntN(9) {
			pages = append(pages, sheetWith(n+1, kinds[r.IntN(len(kinds))]...))
		}
		seen := map[int]int{}
		for _, d := range split(pages) {
			vats := map[string]bool{}
			for _, p := range d {
				seen[p.Number]++
				for _, v := range []string{"DE294711836", "DE177302648"} {
					if strings.Contains(p.Text(), v) {
						vats[v] = true
					}
				}
			}
			if len(vats) > 1 {
				t.Errorf("seed %d: a document of two suppliers: %s", seed, numbersOf([][]transcript.Page{d}))
			}
		}
		for _, p := range pages {
			if seen[p.Number] != 1 {
				t.Errorf("seed %d: page %d is in %d documents", seed, p.Number, seen[p.Number])
			}
		}
	}
}
