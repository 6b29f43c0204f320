package main

import (
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
	p := &Page{}
	for i, part := range s.parts {
		if i > 0 {
			p.Line("")
		}
		switch {
		case part.table != nil && markdown:
			p.markdown(part.table)
		case part.table != nil:
			p.aligned(part.table)
		case part.chart != nil && markdown:
			p.Line("```text\n%s\n```", strings.Join(part.chart, "\n"))
		case part.chart != nil:
			p.Line("%s", strings.Join(part.chart, "\n"))
		default:
			p.Hang("", part.text)
		}
	}
	return p.String()
}

func (p *Page) markdown(rows [][]string) {
	for i, row := range rows {
		p.Line("| %s |", strings.Join(row, " | "))
		if i == 0 {
			p.Line("|---|%s", strings.Repeat("---:|", len(row)-1))
		}
	}
}

// aligned has the first column to the left and the others to the right.
func (p *Page) aligned(rows [][]string) {
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
		p.Line("%s", line)
	}
}
