package ingestrun

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/ingest/extraction"
)

// lineColumns are the columns of line items, by the last part of a field's path. A column
// without a value in any line is left out.
var lineColumns = []struct {
	part, head string
	number     bool
}{
	{"sku", "item", false}, {"description", "description", false}, {"quantity", "quantity", true}, {"unit", "unit", false},
	{"unit_price", "price", true}, {"price_quantity", "per", true}, {"tax_rate", "tax %", true}, {"amount", "amount", true},
}

// lineTable has a row for each line item.
type lineTable struct {
	Heads []string
	Rows  []lineRow

	numbers []bool // columns to align at the right
}

type lineRow struct {
	Number int // from 1
	Cells  []fieldView
	Page   int    // of its first printed value; 0: none
	Words  string // why the weakest of its values is trusted
}

// split separates the fields of line items from the others.
func split(all []fieldView) (lines lineTable, others []fieldView) {
	rows := map[int]map[string]fieldView{}
	for _, f := range all {
		n, part, ok := linePath(f.Path)
		if !ok {
			others = append(others, f)
			continue
		}
		if rows[n] == nil {
			rows[n] = map[string]fieldView{}
		}
		rows[n][part] = f
	}
	if len(rows) == 0 {
		return lines, others
	}
	for n, row := range rows {
		lines.Rows = append(lines.Rows, rowOf(n+1, row))
	}
	slices.SortFunc(lines.Rows, func(a, b lineRow) int { return cmp.Compare(a.Number, b.Number) })
	lines.fill(rows)
	return lines, others
}

func linePath(path string) (n int, part string, ok bool) {
	rest, ok := strings.CutPrefix(path, "line_items.")
	index, part, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(index)
	return n, part, ok && err == nil
}

func rowOf(number int, fields map[string]fieldView) lineRow {
	r := lineRow{Number: number}
	weakest := -1
	for _, c := range lineColumns {
		f, ok := fields[c.part]
		if !ok {
			continue
		}
		if r.Page == 0 {
			r.Page = f.Page
		}
		if i := slices.IndexFunc(trusts, func(t trusted) bool { return t.trust == f.Trust }); i >= weakest || i < 0 {
			weakest, r.Words = i, words(f.Field.Field)
		}
	}
	return r
}

// fill adds the columns that have values.
func (t *lineTable) fill(rows map[int]map[string]fieldView) {
	for _, c := range lineColumns {
		has := func(r lineRow) bool { return rows[r.Number-1][c.part].Value != "" }
		if !slices.ContainsFunc(t.Rows, has) {
			continue
		}
		t.Heads, t.numbers = append(t.Heads, c.head), append(t.numbers, c.number)
		for i := range t.Rows {
			t.Rows[i].Cells = append(t.Rows[i].Cells, rows[t.Rows[i].Number-1][c.part])
		}
	}
}

// leastDescription is the width to which a description may shrink.
const leastDescription = 12

// print prints a row for each line, at most width columns wide.
func (t lineTable) print(p *term.Page, width int) {
	if len(t.Rows) == 0 {
		return
	}
	grid := [][]string{append(append([]string{"line"}, t.Heads...), "page", "trusted because")}
	for _, r := range t.Rows {
		row := []string{strconv.Itoa(r.Number)}
		for _, c := range r.Cells {
			row = append(row, term.Clean(c.Shown, term.MaxValue))
		}
		grid = append(grid, append(row, pageOf(r.Page), r.Words))
	}
	const indent = "    "
	widths := make([]int, len(grid[0]))
	for i := range widths {
		for _, row := range grid {
			widths[i] = max(widths[i], term.Columns(row[i]))
		}
	}
	t.narrow(widths, width-len(indent))
	for _, row := range grid {
		var cells []string
		for i, cell := range row {
			cells = append(cells, aligned(term.Cut(cell, widths[i]), widths[i], i > 0 && i <= len(t.numbers) && t.numbers[i-1]))
		}
		p.Line("%s", term.Cut(indent+strings.Join(cells, "  "), width))
	}
}

// narrow shrinks the description until the columns fit.
func (t lineTable) narrow(widths []int, width int) {
	over := 2*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	if i := slices.Index(t.Heads, "description") + 1; i > 0 && over > 0 {
		widths[i] = max(min(widths[i], leastDescription), widths[i]-over)
	}
}

func aligned(s string, width int, right bool) string {
	if right {
		return strings.Repeat(" ", max(0, width-term.Columns(s))) + s
	}
	return term.Pad(s, width)
}

func pageOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// trusted is a reason to trust a field, for people.
type trusted struct {
	trust extraction.Trust
	words string
}

// trusts are the reasons, the strongest first.
var trusts = []trusted{
	{extraction.PrintedXML, "e-invoice, and printed"},
	{extraction.XML, "e-invoice"},
	{extraction.Arithmetic, "the sums agree"},
	{extraction.CheckDigit, "check digits"},
	{extraction.Printed, "a label names it"},
	{extraction.ByPlace, "by its place"},
	{extraction.OCRLayer, "another program's OCR"},
	{extraction.ModelAlone, "the model alone"},
}

// words describes a field's trust for people.
func words(f extraction.Field) string {
	if f.Taught != "" {
		return "taught by " + term.Clean(f.Taught, term.MaxValue)
	}
	for _, known := range trusts {
		if known.trust == f.Trust {
			return known.words
		}
	}
	return term.Clean(string(f.Trust), term.MaxValue)
}
