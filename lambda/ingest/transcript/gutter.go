package transcript

import (
	"cmp"
	"slices"
	"unicode"
)

// gutter is a vertical strip without text between two columns, along some rows.
type gutter struct {
	left, right float64
	from, to    int // rows
	paired      int
}

// gutterOf returns the longest gutter between columns of running text.
func gutterOf(rows []sheetRow, paired int) (gutter, bool) {
	var found []gutter
	for i, r := range rows {
		for j := 1; j < len(r); j++ {
			g := gutter{left: r[j-1].Box.Right, right: r[j].Box.Left, from: i, to: i + 1, paired: 1}
			known := func(k gutter) bool { return k.from <= i && i < k.to && k.left >= g.left && k.right <= g.right }
			if g.right-g.left < leastGutter || slices.ContainsFunc(found, known) {
				continue
			}
			if g.grow(rows); g.paired >= paired {
				found = append(found, g)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b gutter) int { return cmp.Compare(b.paired, a.paired) })
	for _, g := range found[:min(len(found), mostTried)] {
		if g.trim(rows); g.parts(rows, deepest) == 2 && g.wider(rows) {
			return g, true
		}
	}
	return gutter{}, false
}

// grow extends the gutter up and down as long as no line crosses it.
func (g *gutter) grow(rows []sheetRow) {
	for g.from > 0 && g.admits(rows[g.from-1]) {
		g.from--
	}
	for g.to < len(rows) && g.admits(rows[g.to]) {
		g.to++
	}
}

// admits narrows the gutter to a row's gap, unless the row crosses it.
func (g *gutter) admits(r sheetRow) bool {
	left, right, middle := g.left, g.right, (g.left+g.right)/2
	sides := [2]bool{}
	for _, l := range r {
		switch {
		case l.Box.Left < left && l.Box.Right > right:
			return false
		case (l.Box.Left+l.Box.Right)/2 < middle:
			left, sides[0] = max(left, l.Box.Right), true
		default:
			right, sides[1] = min(right, l.Box.Left), true
		}
	}
	if right-left < leastGutter {
		return false
	}
	g.left, g.right = left, right
	if sides[0] && sides[1] {
		g.paired++
	}
	return true
}

// trim cuts off what only stands above or below the columns, separated by a gap: a table, rows
// on one side, and a heading of the full-width text below.
func (g *gutter) trim(rows []sheetRow) {
	step := usual(rows[g.from:g.to])
	gap := func(i int, times float64) bool { return rows[i].box().Top-rows[i-1].box().Top > times*step }
	for i := g.from + 1; i < g.to; i++ {
		above := gutter{g.left, g.right, g.from, i, g.paired}
		onlyRight := !slices.ContainsFunc(rows[g.from:i], func(r sheetRow) bool { return r[0].Box.Left < g.left })
		apart := gap(i, 1.8) && i-g.from >= leastLines || gap(i, 2.5) && i-g.from < leastLines
		if gap(i, 1.3) && onlyRight || apart && above.parts(rows, deepest) == 0 {
			g.from = i
		}
	}
	for i := g.to - 1; i > g.from && g.to-i <= leastLines; i-- {
		onlyLeft := !slices.ContainsFunc(rows[i:g.to], func(r sheetRow) bool { return r[len(r)-1].Box.Right > g.right })
		if gap(i, 2.5) && g.to-i < leastLines || gap(i, 1.3) && onlyLeft && g.to < len(rows) {
			g.to = i
			return
		}
	}
}

// usual is the usual distance of rows: near the smallest, because paragraphs are rarer than
// lines.
func usual(rows []sheetRow) float64 {
	var steps []float64
	for i := 1; i < len(rows); i++ {
		steps = append(steps, rows[i].box().Top-rows[i-1].box().Top)
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// parts counts the sides that are running text. A side with a figure or a table in one half
// counts if the other half has two columns.
func (g gutter) parts(rows []sheetRow, depth int) (running int) {
	left, right := g.sides(rows)
	for _, side := range [][]sheetRow{left, right} {
		if isText(side, g.paired) {
			running++
		}
	}
	if running == 2 || depth == 0 || g.to-g.from < 4*leastLines {
		return running
	}
	upper, lower, middle := g, g, (g.from+g.to)/2
	upper.to, lower.from = middle, middle
	a, b := upper.parts(rows, depth-1), lower.parts(rows, depth-1)
	if a+b > 2 {
		return 2
	}
	return running
}

// wider reports whether the gutter is wider than the blanks between words, if these are so wide
// that each word is a line, as in justified typewriting.
func (g gutter) wider(rows []sheetRow) bool {
	left, right := g.sides(rows)
	sides := slices.Concat(left, right)
	var gaps []float64
	for _, r := range sides {
		for j := 1; j < len(r); j++ {
			gaps = append(gaps, r[j].Box.Left-r[j-1].Box.Right)
		}
	}
	if len(gaps) < len(sides) {
		return true
	}
	slices.Sort(gaps)
	return g.right-g.left > 1.5*gaps[len(gaps)/2]
}

func (g gutter) sides(rows []sheetRow) (left, right []sheetRow) {
	var sides [2][]Line
	for _, r := range rows[g.from:g.to] {
		for _, l := range r {
			side := 0
			if l.Box.Left+l.Box.Right > g.left+g.right {
				side = 1
			}
			sides[side] = append(sides[side], l)
		}
	}
	return rowsOf(sides[0]), rowsOf(sides[1])
}

// isText reports whether rows are a column of running text: most of its lines are full, and
// made of words. In a table's column most cells are short. Along a long gutter fewer lines
// suffice, because such a column may contain tables.
func isText(rows []sheetRow, paired int) bool {
	if len(rows) < leastLines {
		return false
	}
	whole := rows[0].box()
	for _, r := range rows[1:] {
		whole = whole.Union(r.box())
	}
	width := whole.Right - whole.Left
	full, letters, others := 0, 0, 0
	for _, r := range rows {
		if b := r.box(); b.Right > whole.Right-width/4 && b.Right-b.Left > width*0.6 {
			full++
		}
		for _, l := range r {
			for _, c := range l.Text {
				switch {
				case unicode.IsLetter(c):
					letters++
				case c != ' ':
					others++
				}
			}
		}
	}
	share := 0.45
	if paired >= 24 {
		share = 0.3
	}
	return width >= leastColumn && float64(full) >= share*float64(len(rows)) &&
		letters >= 12*len(rows) && letters > 2*others && aligned(rows)
}

// aligned reports whether half of the rows begin at one edge. Parts of rows to the right of
// wide blanks don't.
func aligned(rows []sheetRow) bool {
	edges := make([]float64, len(rows))
	for i, r := range rows {
		edges[i] = r[0].Box.Left
	}
	slices.Sort(edges)
	for i := 0; i+len(edges)/2 < len(edges); i++ {
		if edges[i+len(edges)/2]-edges[i] < leastGutter {
			return true
		}
	}
	return false
}
