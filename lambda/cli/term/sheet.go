package term

import (
	"strings"
)

// Sheet is a page of paragraphs, tables and charts, for a terminal or in
// Markdown.
type Sheet struct{ parts []part }

// part is one of them.
type part struct {
	text  string     // a paragraph
	table [][]string // or rows of cells, the first of them the head
	chart []string   // or lines that are shown as they are
}

// Say adds a paragraph.
func (s *Sheet) Say(text string) { s.parts = append(s.parts, part{text: text}) }

// Table adds rows of cells, the first of them the head.
func (s *Sheet) Table(rows [][]string) { s.parts = append(s.parts, part{table: rows}) }

// Chart adds lines that are shown as they are.
func (s *Sheet) Chart(lines ...string) { s.parts = append(s.parts, part{chart: lines}) }

// Text is the page: Markdown, or aligned for a terminal.
func (s *Sheet) Text(markdown bool) string {
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
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	for _, row := range rows {
		line := "  " + Pad(row[0], widths[0])
		for i, cell := range row[1:] {
			line += strings.Repeat(" ", 2+widths[i+1]-Columns(cell)) + cell
		}
		p.Line("%s", line)
	}
}
