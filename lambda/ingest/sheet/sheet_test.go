package sheet

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// line is a line of text, as high as a hundredth of the page.
func line(text string, left, top float64) transcript.Line {
	return transcript.Line{Text: text, Box: transcript.Box{Left: left, Top: top, Right: left + 0.1, Bottom: top + 0.01}}
}

func field(path, value, quote string) Field { return Field{path, value, quote} }

func TestFieldsAreLocated(t *testing.T) {
	t.Parallel()
	page := transcript.Page{Number: 1, Lines: []transcript.Line{
		line("Lampenwerk", 0.1, 0.05), line("Weg 1", 0.12, 0.07), line("10115 Berlin", 0.1, 0.09),
		line("1", 0.1, 0.3), line("Lampe", 0.2, 0.3), line("2", 0.5, 0.3), line("50,00", 0.7, 0.3),
		line("2", 0.1, 0.4), line("Kabel", 0.2, 0.4), line("2", 0.5, 0.4), line("100,00", 0.7, 0.4),
		line("10", 0.1, 0.45), line("Stecker", 0.2, 0.45), line("10", 0.5, 0.45), line("10", 0.6, 0.45), line("100,00", 0.7, 0.45),
		line("150,00", 0.7, 0.5), line("Total 150,00", 0.7, 0.6),
	}}
	placed := Locate(page, []Field{
		field("supplier.address", "Weg 1, 10115 Berlin", "Weg 1 10115 Berlin"),
		field("line_items.0.description", "Lampe", "Lampe"), field("line_items.0.quantity", "2", "2"),
		field("line_items.1.description", "Kabel", "Kabel"), field("line_items.1.quantity", "2", "2"),
		field("line_items.2.description", "Stecker", "10 Stecker 10 10 100,00"), field("line_items.2.amount", "100", "10 Stecker 10 10 100,00"),
		field("line_items.2.unit_price", "10", "10 Stecker 10 10 100,00"), field("line_items.2.quantity", "10", "10 Stecker 10 10 100,00"),
		field("total", "150", "150,00"), field("subtotal", "150", "150,00"), field("tax", "15", "15"), field("notes", "", ""),
	})
	var got []string
	for path, box := range placed {
		got = append(got, strings.Join([]string{path, percent(box.Left), percent(box.Right), percent(box.Top), percent(box.Bottom)}, " "))
	}
	slices.Sort(got)
	want := []string{
		"line_items.0.description 20 30 30 31", "line_items.0.quantity 50 60 30 31", // of four lines with a 2
		"line_items.1.description 20 30 40 41", "line_items.1.quantity 50 60 40 41", // in the column of the first
		"line_items.2.amount 70 80 45 46", "line_items.2.description 20 30 45 46", // of a quoted row
		"line_items.2.quantity 50 60 45 46", "line_items.2.unit_price 60 70 45 46", // of three with a 10
		"subtotal 70 80 50 51",        // not the total's
		"supplier.address 10 22 7 10", // of two lines
		"total 70 80 60 61",           // the last one; a part of a number is not it
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Values that are alike take the places of a row from left to right, and those of sums from the last up.
func TestAlikeAreInOrder(t *testing.T) {
	t.Parallel()
	page := transcript.Page{Number: 1}
	var fields []Field
	for i, name := range usual[:10] {
		page.Lines = append(page.Lines, line("7", 0.1+0.09*float64(i), 0.3))
		fields = append(fields, field("line_items.0."+name, "7", "7"))
	}
	for i, name := range sums {
		page.Lines = append(page.Lines, line("8,00", 0.7, 0.5+0.02*float64(i)))
		fields = append(fields, field(name, "8", "8,00"))
	}
	slices.Reverse(fields)
	var row, column []string
	for path, box := range Locate(page, fields) {
		_, name, in := strings.Cut(path, "line_items.0.")
		if in {
			row = append(row, percent(box.Left)+" "+name)
		} else {
			column = append(column, percent(box.Top)+" "+path)
		}
	}
	slices.Sort(row)
	slices.Sort(column)
	got := strings.Join(row, ", ") + "; " + strings.Join(column, ", ")
	const want = "10 sku, 19 description, 28 quantity, 37 unit, 46 unit_price, 55 price_quantity, 64 tax_rate, 73 rate, 82 base, 91 amount; " +
		"50 subtotal, 52 tax, 54 total, 56 prepaid, 58 rounding, 60 amount_due"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func percent(share float64) string { return strconv.Itoa(int(math.Round(share * 100))) }

func TestShades(t *testing.T) {
	t.Parallel()
	m, _ := grid{image.Pt(2, 1)}.Render(t.Context(), 1, 1)
	few := reduce(m)
	for x, want := range []uint32{0, 0xffff} {
		if r, _, _, _ := few.At(x, 0).RGBA(); r != want {
			t.Errorf("pixel %d is %x, want %x", x, r, want)
		}
	}
}

// grid is an image of a file: white, with a black dot.
type grid struct{ size image.Point }

func (g grid) Pages() int { return 1 }

func (g grid) Render(context.Context, int, int) (*image.Gray, error) {
	m := image.NewGray(image.Rectangle{Max: g.size})
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	m.SetGray(0, 0, color.Gray{})
	return m, nil
}

func TestLargeImagesShrink(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ size, want image.Point }{
		{image.Pt(1300, 10), image.Pt(1300, 10)}, {image.Pt(1301, 11), image.Pt(650, 5)}, {image.Pt(5000, 1), image.Pt(1250, 1)},
	} {
		src, size, err := Draw(t.Context(), grid{tc.size}, 1, 96)
		if err != nil || size != tc.want || !strings.HasPrefix(string(src), "\x89PNG") {
			t.Errorf("%v: got %v, %.4q, %v; want %v", tc.size, size, src, err, tc.want)
		}
	}
	m, _ := grid{image.Pt(4, 4)}.Render(t.Context(), 1, 1)
	if small := shrink(m, 2); !slices.Equal(small.Pix, []uint8{191, 255, 255, 255}) {
		t.Errorf("got %v: the mean of three white pixels and a black one is 191", small.Pix)
	}
}
