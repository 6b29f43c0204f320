package transcript

import (
	"cmp"
	"slices"
)

// Columns returns the lines of a page in blocks, in reading order. Columns of running text are
// one after the other; between full-width lines each region of the page has its own columns.
// Rows of tables, labels with their values, and numbers with their clauses stay rows. Use it
// for contracts; Arrange reads rows, because invoices need that.
func Columns(lines []Line) (blocks [][]Line) {
	upright, turned := aside(lines)
	if len(upright) > mostCells {
		return [][]Line{lines}
	}
	d := divider{paired: 4}
	d.divide(rowsOf(upright), deepest)
	if len(turned) > 0 {
		d.blocks = append(d.blocks, turned)
	}
	return d.blocks
}

// Distances are fractions of the page.
const (
	mostCells   = 5_000 // of a page with columns
	deepest     = 4     // columns within columns
	leastGutter = 0.008
	leastColumn = 0.11
	leastLines  = 3 // of a column
	mostTried   = 12
)

// aside separates turned text, such as a stamp along the edge.
func aside(lines []Line) (upright, turned []Line) {
	heights := make([]float64, len(lines))
	for i, l := range lines {
		heights[i] = l.Box.height()
	}
	slices.Sort(heights)
	for _, l := range lines {
		if l.Box.height() > 4*heights[len(heights)/2] && l.Box.height() > l.Box.Right-l.Box.Left {
			turned = append(turned, l)
		} else {
			upright = append(upright, l)
		}
	}
	return upright, turned
}

// sheetRow is the lines that stand side by side, from left to right.
type sheetRow []Line

func (r sheetRow) box() Box {
	b := r[0].Box
	for _, l := range r[1:] {
		b = b.Union(l.Box)
	}
	return b
}

// SharesRow reports whether two lines share most of their height.
func (b Box) SharesRow(o Box) bool { return b.shares(o, 0.5) }

func (b Box) shares(o Box, part float64) bool {
	return min(b.Bottom, o.Bottom)-max(b.Top, o.Top) > part*min(b.height(), o.height())
}

// rowsOf groups lines side by side. Columns may have other baselines, so a third of the height
// is enough if no line is above another.
func rowsOf(lines []Line) (rows []sheetRow) {
	for i, l := range lines {
		if last := len(rows) - 1; i > 0 && lines[i-1].Box.shares(l.Box, 0.3) && rows[last].free(l.Box) {
			rows[last] = append(rows[last], l)
		} else {
			rows = append(rows, sheetRow{l})
		}
	}
	for _, r := range rows {
		slices.SortStableFunc(r, func(a, b Line) int { return cmp.Compare(a.Box.Left, b.Box.Left) })
	}
	return rows
}

// free reports whether a row has no line above or below a box.
func (r sheetRow) free(b Box) bool {
	return !slices.ContainsFunc(r, func(l Line) bool { return l.Box.Left < b.Right && b.Left < l.Box.Right })
}

func flat(rows []sheetRow) []Line {
	var lines []Line
	for _, r := range rows {
		lines = append(lines, r...)
	}
	return lines
}

// divider divides a page into blocks at its gutters.
type divider struct {
	paired  int // the least number of rows with text on both sides of a gutter
	blocks  [][]Line
	gutters []Box
}

// divide reads the rows above a gutter, then its sides, then the rows below.
func (d *divider) divide(rows []sheetRow, depth int) {
	if len(rows) == 0 {
		return
	}
	g, ok := gutterOf(rows, d.paired)
	if !ok || depth == 0 {
		d.blocks = append(d.blocks, flat(rows))
		return
	}
	left, right := g.sides(rows)
	d.gutters = append(d.gutters, Box{g.left, rows[g.from].box().Top, g.right, rows[g.to-1].box().Bottom})
	d.divide(rows[:g.from], depth-1)
	d.divide(left, depth-1)
	d.divide(right, depth-1)
	d.divide(rows[g.to:], depth)
}
