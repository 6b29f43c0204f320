package taught_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

// page has rows; a bar separates cells in columns.
func page(rows string) []taught.Line {
	p := transcript.Page{Number: 1}
	for y, row := range strings.Split(rows, "\n") {
		for x, text := range strings.Split(row, "|") {
			top, left := 0.1+float64(y)*0.03, 0.1+float64(x)*0.2
			p.Lines = append(p.Lines, transcript.Line{Text: text, Box: transcript.Box{Left: left, Top: top, Right: left + 0.15, Bottom: top + 0.012}})
		}
	}
	return taught.Lines([]transcript.Page{p})
}

// Each first page teaches a field, and the second is read by it. The page ends in the IBAN of the
// supplier, unless it has another.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, field, value, learned, second, want string }{
		{"Beleg 4711", "number", "4711", `behind "beleg"`, "Beleg 10002", "10002"},
		{"Beleg 4711", "number", "4711", `behind "beleg"`, "Beleg 4711a", "nothing stands there"},
		{"Beleg 4711", "number", "4711", `behind "beleg"`, "Beleg-Nr 4712", "nothing stands there"},
		{"Beleg 4711", "number", "4711", `behind "beleg"`, "Beleg 12345678", "nothing stands there"},
		{"RE 7/26 vom 4.3.2026", "date", "2026-03-04", `behind "re vom"`, "RE 12/26 vom 5.4.2026", "2026-04-05"},
		{"Date|03/04/2026", "date", "2026-03-04", `right of "date"`, "Date|05/04/2026", "2026-05-04"},
		{"Date|03/04/2026", "date", "2026-04-03", `right of "date"`, "Date|05/04/2026", "2026-04-05"},
		{"Date|2026-03-04", "date", "2026-03-04", `right of "date"`, "Date|05/04/2026", "the value there has two meanings"},
		{"Date|13/04/2026", "date", "2026-04-13", `right of "date"`, "Date|05/04/2026", "2026-04-05"},
		{"Folio|Kunde\n77|12", "number", "77", `below "folio"`, "Folio|Kunde\n78|13", "78"},
		{"Folio|Kunde\n77|12", "number", "77", `below "folio"`, "Kunde|Folio\n13|78", "78"},
		{"|77\n|", "number", "77", "by its place on the page", "|78\n|", "78"},
		{"|77\n|", "number", "77", "by its place on the page", "\n|78", "nothing stands there"},
		{"Summe|7,00\nSumme|119,00", "total", "119", `right of "summe"`, "Summe|8,00\nSumme|238,00", "238"},
		{"Summe|7,00\nSumme|119,00", "total", "119", `right of "summe"`, "Summe|1,00\nSumme|8,00\nSumme|238,00", "several values stand there"},
		{"Summe|119,00\nSumme|119,00", "total", "119", `right of "summe"`, "Summe|238,00", "238"},
		{"Celkem|12 500", "total", "12500", `right of "celkem"`, "Celkem|1 234", "1234"},
		{"Summe|2 100,00", "total", "100", "it is not printed on the pages", "", ""},
		{"Summe|EUR 119,00\nBar|EUR 5,00", "total", "119", `right of "summe"`, "Summe|EUR 238,00\nBar|EUR 5,00", "238"},
		{"119,00\n", "total", "119", "no label names it on the pages", "", ""},
		{"AB-12/3", "number", "12/3", "it is not printed on the pages", "", ""},
		{"Nr. (*+", "number", "(*+", "it has no digits", "", ""},
	} {
		t.Run(c.first+" "+c.value+" "+c.second, func(t *testing.T) {
			t.Parallel()
			raw := `"` + c.field + `":"` + c.value + `"`
			data := must.Get(document.Parse([]byte(`{"currency":"EUR","supplier":{"iban":"DE34200505501234567890"},` + raw + `}`)))(t)
			d := taught.Document{Type: document.Invoice, Data: data, Lines: page(c.first)}
			place, keys, why := d.Learn(c.field)
			if got := taught.Said(c.field, place, why); got.Learned+got.Why != c.learned {
				t.Fatalf("learned %q, want %q", got.Learned+got.Why, c.learned)
			}
			if why != "" {
				return
			}
			e := extraction.Extraction{Type: document.Invoice, Fields: map[string]extraction.Field{}}
			found := taught.Read([]taught.Rule{{Field: c.field, Keys: keys, Place: place}}, e, page(c.second), keys)
			got := found[0].Why
			if !found[0].Failed() {
				got = fmt.Sprint(taught.Use(e, found).Fields[c.field].Value)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
