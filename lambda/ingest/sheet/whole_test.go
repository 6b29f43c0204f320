package sheet

import (
	"fmt"
	"image"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
)

// An invoice full of equal numbers: the place of each field is compared with a file.
func TestEqualNumbersAreLocated(t *testing.T) {
	t.Parallel()
	page := transcript.Page{Number: 1}
	rows := [][]string{ // text at a column, in hundredths
		{"10 Lampenwerk Nord", "60 10.10.2026"}, {"10 Weg 10", "60 Rechnung 10"}, {"10 10115 Berlin"}, {},
		{"10 Pos", "20 Art.", "30 Bezeichnung", "55 Menge", "65 Einheit", "75 Preis", "85 Betrag", "93 %"},
		{"10 1", "20 10", "30 Lampe 10", "55 10", "65 10", "75 10,00", "85 100,00", "93 10"},
		{"10 2", "20 20", "30 Kabel", "55 2", "65 2", "75 50,00", "85 100,00", "93 20"},
		{"10 3", "20 30", "30 Kabel", "55 2", "65 1", "75 2,00", "85 4,00", "93 10"},
		{"10 4", "20 40", "30 Stecker,", "55 4", "75 4,00", "85 16,00", "93 10"}, {"30 vergoldet"},
		{"10 5", "30 Kabel 5 m", "55 5", "75 5,00", "85 25,00", "93 20"}, {},
		{"30 10 %", "55 120,00", "75 12,00"}, {"30 20 %", "55 125,00", "75 25,00"},
		{"30 Netto", "85 245,00"}, {"30 Steuer", "85 37,00"}, {"30 Brutto", "85 282,00"}, {"30 Rundung", "85 0,00"}, {"30 Anzahlung", "85 37,00"}, {"30 Zu zahlen", "85 245,00"},
		{"10 Nettobetrag 245,00 zahlbar bis 10.10.2026"}, {"10 1.000 Stück"},
	}
	for i, row := range rows {
		for _, cell := range row {
			at, text, _ := strings.Cut(cell, " ")
			left := must.Get(strconv.ParseFloat(at, 64))(t)
			top := 0.05 + float64(i)*0.03
			page.Lines = append(page.Lines, transcript.Line{Text: text, Box: transcript.Box{
				Left: left / 100, Right: (left + float64(len(text))) / 100, Top: top, Bottom: top + 0.02}})
		}
	}
	fields := []Field{{"date", "2026-10-10", "10.10.2026"}, {"number", "10", "Rechnung 10"}, {"supplier.name", "Lampenwerk Nord", "Lampenwerk Nord"},
		{"supplier.address", "Weg 10, 10115 Berlin", "Weg 10\n10115 Berlin"}, {"subtotal", "245", "245,00"}, {"tax", "37", "37,00"}, {"total", "282", "282,00"},
		{"prepaid", "37", "37,00"}, {"amount_due", "245", "245,00"}, {"rounding", "0", "0,00"}, {"payment_terms.due", "2026-10-10", "zahlbar bis 10.10.2026"},
		{"taxes.0.rate", "10", "10 %"}, {"taxes.0.base", "120", "120,00"}, {"taxes.0.amount", "12", "12,00"}, {"taxes.1.rate", "20", "20 %"}, {"taxes.1.base", "125", "125,00"},
		{"taxes.1.amount", "25", "25,00"}, {"charges.0.amount", "4", "4,00"}, {"charges.1.amount", "1000", "1.000"}, {"notes", "nowhere", "nowhere"},
		{"notes.1", "Nord 10.10.2026", "Lampenwerk Nord 10.10.2026 Weg 10 Rechnung 10 10115 Berlin"}, {"notes.2", "20", "1 10 Lampe 10 10 10 10,00 100,00 10 2 20 Kabel"}, {"notes.3", "", "Netto 245,00"}}
	for i, l := range [][]string{{"10", "Lampe 10", "10", "10", "10", "", "100", "10"}, {"20", "Kabel", "2", "2", "50", "", "100", "20"}, {"30", "Kabel", "2", "1", "2", "1", "4", "10"},
		{"40", "Stecker, vergoldet", "4", "", "4", "4", "16", "10"}, {"", "Kabel 5 m", "5", "", "5", "", "25", "20"}} {
		for n, name := range []string{"sku", "description", "quantity", "unit", "unit_price", "price_quantity", "amount", "tax_rate"} {
			quote := map[string]string{"unit_price": l[n] + ",00", "amount": l[n] + ",00"}[name]
			if quote == "" {
				quote = l[n]
			}
			if i == 3 && n > 1 {
				quote = "4 40 Stecker, 4 4,00 16,00 10" // the row
			}
			if l[n] != "" {
				fields = append(fields, Field{fmt.Sprintf("line_items.%d.%s", i, name), l[n], quote})
			}
		}
	}
	var out strings.Builder
	for _, way := range []struct {
		name   string
		fields []Field
	}{{"in order", fields}, {"the other way round", reversed(fields)}} {
		placed := Locate(page, way.fields)
		fmt.Fprintf(&out, "%s\n", way.name)
		for _, path := range slices.Sorted(maps.Keys(placed)) {
			b := placed[path]
			fmt.Fprintf(&out, "  %s at %s to %s, %s to %s\n", path, percent(b.Left), percent(b.Right), percent(b.Top), percent(b.Bottom))
		}
	}
	golden.Exact(t, "equal-numbers.txt", out.String())
}

func reversed(fields []Field) []Field {
	other := slices.Clone(fields)
	slices.Reverse(other)
	return other
}

// A page of stripes shrinks to means, in shades of gray.
func TestShrunkStripes(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, size := range []image.Point{{6, 4}, {7, 5}, {12, 3}, {13, 3}, {18, 1}, {4, 9}} {
		m := image.NewGray(image.Rectangle{Min: image.Pt(2, 1), Max: image.Pt(2, 1).Add(size)})
		for i := range m.Pix {
			m.Pix[i] = uint8(i * 37)
		}
		small := shrink(m, 6)
		fmt.Fprintln(&out, size, small.Rect, small.Pix, reduce(small).Pix, mean(m, image.Rect(0, 0, 3, 3)), mean(m, image.Rect(0, 0, 1, 1)))
	}
	golden.Exact(t, "stripes.txt", out.String())
}
