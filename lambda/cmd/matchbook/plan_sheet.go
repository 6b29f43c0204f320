package main

import (
	"math"
	"strconv"
	"strings"
)

// sheets is a page of paragraphs, tables and charts, for a terminal or in
// Markdown.
type sheets struct{ parts []sheet }

// sheet is one of them.
type sheet struct {
	text  string     // a paragraph
	table [][]string // or rows of cells, the first of them the head
	chart []string   // or lines that are shown as they are
}

func (s *sheets) say(text string)       { s.parts = append(s.parts, sheet{text: text}) }
func (s *sheets) table(rows [][]string) { s.parts = append(s.parts, sheet{table: rows}) }
func (s *sheets) chart(lines ...string) { s.parts = append(s.parts, sheet{chart: lines}) }
func (s *sheets) text(markdown bool) string {
	p := &page{}
	for i, part := range s.parts {
		if i > 0 {
			p.line("")
		}
		switch {
		case part.table != nil && markdown:
			p.markdown(part.table)
		case part.table != nil:
			p.aligned(part.table)
		case part.chart != nil && markdown:
			p.line("```text\n%s\n```", strings.Join(part.chart, "\n"))
		case part.chart != nil:
			p.line("%s", strings.Join(part.chart, "\n"))
		default:
			p.hang("", part.text)
		}
	}
	return p.String()
}

func (p *page) markdown(rows [][]string) {
	for i, row := range rows {
		p.line("| %s |", strings.Join(row, " | "))
		if i == 0 {
			p.line("|---|%s", strings.Repeat("---:|", len(row)-1))
		}
	}
}

// aligned has the first column to the left and the others to the right.
func (p *page) aligned(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range rows {
		line := "  " + pad(row[0], widths[0])
		for i, cell := range row[1:] {
			line += strings.Repeat(" ", 2+widths[i+1]-columns(cell)) + cell
		}
		p.line("%s", line)
	}
}

// usd is money for people: cents below 100, whole dollars above.
func usd(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.005:
		return "<0.01"
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return grouped(v)
}

// grouped is a whole number with commas.
func grouped(v float64) string {
	digits := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
