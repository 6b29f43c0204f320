package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/golden"
)

func TestPlainColumns(t *testing.T) {
	t.Parallel()
	places := map[string]string{}
	for text, want := range map[string]string{
		"Muster GmbH        Bestellung 7700123\nRing 4  50667 Köln": "Muster GmbH|Bestellung 7700123/Ring 4|50667 Köln",
		"Pos\tArtikel\tMenge\n1\tSchrauben M8\t10":                  "Pos|Artikel|Menge/1|Schrauben M8|10",
		"| Pos | Artikel | Menge |\n| 1 | Muttern M8 | 20 |":        "Pos|Artikel|Menge/1|Muttern M8|20",
		"either | or":                           "either | or",
		"one\r\n\r\ntwo\rthree\n\n":             "one//two/three",
		"\ufeffInvoice\x00":                     "Invoice\uFFFD",
		"Preis 5 \x80, M\xfcller":               "Preis 5 €, Müller",
		"first\n\f\fthird\n\f":                  "first//third",
		" \n\t\n":                               "",
		"a\u00a0b":                              "a\u00a0b",
		"\u00a0 a  \u00a0b":                     "a|b",
		"   L I E F E R S C H E I N    Nr. 7\n": "LIEFERSCHEIN|Nr. 7",
		"P U R C H A S E   O R D E R":           "PURCHASE ORDER",
		"A B C":                                 "A B C",
		"P U R C H A S E   O R D E R    No. 7\nBuyer":    "PURCHASE ORDER|No. 7/Buyer",
		"L I E F E R  S C H E I N    Nr. 7\nLieferant":   "LIEFER SCHEIN|Nr. 7/Lieferant",
		"Pos\tA\n1234567\tB\n12345678\tC":                "Pos|A/1234567|B/12345678|C",
		"____   x\n--   y\n==== z":                       "x/--|y/z",
		"+-----+------+\n| No. | Date |\n+-----+------+": "/No.|Date/",
		"as agreed ...\n=====\nx":                        "as agreed ...//x",
		"-- \nKind regards":                              "--/Kind regards",
	} {
		var pages []string
		for i, p := range plain([]byte(text)).Pages {
			if p.Number != i+1 || len(p.Lines) == 0 != (len(p.Defects) == 1) {
				t.Errorf("%q: page %+v", text, p)
			}
			pages = append(pages, rows(p))
			for _, l := range p.Lines {
				places[text] += fmt.Sprintf("%q %v %.3f\n", l.Text, l.Confidence, l.Box)
			}
			places[text] += fmt.Sprintln("page", p.Number, p.Quality, p.Defects)
		}
		if got := strings.Join(pages, "/"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	var all strings.Builder
	for _, text := range slices.Sorted(maps.Keys(places)) {
		fmt.Fprintf(&all, "== %q\n%s", text, places[text])
	}
	golden.Compare(t, "plain.txt", all.String())
}

// rows joins the cells of a row by |, and the rows by /.
func rows(p transcript.Page) string {
	var b strings.Builder
	for i, l := range p.Lines {
		switch {
		case i == 0:
		case l.Box.Top < p.Lines[i-1].Box.Bottom && p.Lines[i-1].Box.Top < l.Box.Bottom:
			b.WriteByte('|')
		default:
			b.WriteByte('/')
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

// A text file keeps its columns: the title and the number in the second one, and the lines of the
// table, are read as on a printed page.
func TestPlainInvoice(t *testing.T) {
	t.Parallel()
	const invoice = `
Werkzeug Nord GmbH                                     Rechnung
Kaistr. 9                                              Nr. 2026-0815
20457 Hamburg                                          Datum 20.10.2026
USt-IdNr. DE136695976

Hofmann Maschinenbau AG
Industriestr. 14
70565 Stuttgart

Ihre Bestellung 7700123 vom 12.10.2026

Pos  Artikel                       Menge   Einzelpreis   Gesamt
1    Sechskantschrauben M8x40        500      0,12        60,00
2    Gewindestangen M10 1 m           20      2,40        48,00

Nettobetrag                                             108,00
MwSt 19 %                                                20,52
Rechnungsbetrag EUR                                     128,52
`
	found := byrules.Extract(plain([]byte(invoice)))
	if len(found) != 1 {
		t.Fatalf("%d documents", len(found))
	}
	e := found[0]
	if len(e.Doubts) > 0 || e.Type != document.Invoice {
		t.Errorf("type %q, doubts %v", e.Type, e.Doubts)
	}
	for path, want := range map[string]string{
		"number": "2026-0815", "date": "2026-10-20", "supplier.name": "Werkzeug Nord GmbH", "references.0.number": "7700123",
		"total": "128.52", "line_items.0.quantity": "500", "line_items.1.description": "Gewindestangen M10 1 m", "line_items.1.amount": "48",
	} {
		if got := e.Fields[path].Value; got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
