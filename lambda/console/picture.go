package console

import (
	"cmp"
	"fmt"
	"slices"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// maxDrawn bounds the documents in a picture.
const maxDrawn = 80

type graph struct {
	nodes   []node
	edges   []link
	current uuid.UUID
	rest    int // documents left out
}

// node is a document in a picture. X and Y are its box's upper left corner.
type node struct {
	ID      uuid.UUID
	Type    document.Type
	Label   string // type and number
	Number  string
	Current bool
	X, Y    int
	column  int
	weight  float64 // mean place of its neighbours
}

// Short is the number, cut to the box.
func (n node) Short() string { return term.Cut(cmp.Or(n.Number, n.ID.String()), boxColumns) }

// TextX is the start of the texts in the box.
func (n node) TextX() int { return n.X + 10 }

// TypeY is the baseline of the type.
func (n node) TypeY() int { return n.Y + 17 }

// TextY is the baseline of the number.
func (n node) TextY() int { return n.Y + 35 }

type link struct {
	A, B       uuid.UUID
	Confidence string
	By         string
	Title      string
	Path       string
}

// picture is a graph after layout. Documents of a type form a column, and the columns follow
// the order of a purchase. The layout depends only on the graph, so a reload looks the same.
type picture struct {
	Nodes         []node
	Links         []link
	Width, Height int
	Rest          int
}

// Sizes in pixels; boxColumns in columns of text.
const (
	boxWidth, boxHeight = 150, 44
	boxColumns          = 18
	columnGap, rowGap   = 50, 12
	margin              = 12
	maxRows             = 16 // of a column; a type may use several columns
)

func (g graph) draw() *picture {
	columns := g.columns()
	g.arrange(columns)
	p := &picture{Rest: g.rest}
	tallest := 0
	for _, column := range columns {
		tallest = max(tallest, len(column))
	}
	p.Width = 2*margin + len(columns)*(boxWidth+columnGap) - columnGap
	p.Height = 2*margin + tallest*(boxHeight+rowGap) - rowGap
	at := map[uuid.UUID]node{}
	for x, column := range columns {
		top := margin + (tallest-len(column))*(boxHeight+rowGap)/2
		for y, n := range column {
			n.X, n.Y, n.column, n.Current = margin+x*(boxWidth+columnGap), top+y*(boxHeight+rowGap), x, n.ID == g.current
			p.Nodes = append(p.Nodes, *n)
			at[n.ID] = *n
		}
	}
	for _, l := range g.edges {
		a, okA := at[l.A]
		b, okB := at[l.B]
		if okA && okB {
			p.Links = append(p.Links, l.between(a, b))
		}
	}
	return p
}

// columns groups the documents by type, ordered by id.
func (g graph) columns() (columns [][]*node) {
	nodes := slices.Clone(g.nodes)
	slices.SortFunc(nodes, func(a, b node) int { return slices.Compare(a.ID[:], b.ID[:]) })
	for _, t := range append([]document.Type{document.Contract}, slices.DeleteFunc(slices.Clone(document.Types),
		func(t document.Type) bool { return t == document.Contract })...) {
		var column []*node
		for i := range nodes {
			if nodes[i].Type == t {
				column = append(column, &nodes[i])
			}
		}
		columns = slices.AppendSeq(columns, slices.Chunk(column, maxRows))
	}
	return columns
}

// arrange orders each column by the mean place of the documents' neighbours, sweeping a few
// times from side to side, so that few lines cross.
func (g graph) arrange(columns [][]*node) {
	neighbours := map[uuid.UUID][]uuid.UUID{}
	for _, l := range g.edges {
		neighbours[l.A], neighbours[l.B] = append(neighbours[l.A], l.B), append(neighbours[l.B], l.A)
	}
	place := map[uuid.UUID]float64{}
	settle := func(column []*node) {
		for i, n := range column {
			place[n.ID] = (float64(i) + 0.5) / float64(len(column))
		}
	}
	for _, column := range columns {
		settle(column)
	}
	for range 6 {
		for _, column := range columns {
			for _, n := range column {
				n.weight = mean(place, neighbours[n.ID], place[n.ID])
			}
			slices.SortStableFunc(column, func(a, b *node) int { return cmp.Compare(a.weight, b.weight) })
			settle(column)
		}
	}
}

func mean(place map[uuid.UUID]float64, of []uuid.UUID, otherwise float64) float64 {
	sum, n := 0.0, 0.0
	for _, id := range of {
		if at, ok := place[id]; ok {
			sum, n = sum+at, n+1
		}
	}
	if n == 0 {
		return otherwise
	}
	return sum / n
}

// between draws a match's line from the right side of one box to the left side of the other.
func (l link) between(a, b node) link {
	if a.X > b.X {
		a, b = b, a
	}
	x1, y1, x2, y2 := a.X+boxWidth, a.Y+boxHeight/2, b.X, b.Y+boxHeight/2
	bend := max((x2-x1)/2, columnGap/2)
	if a.column == b.column { // around on the right
		x2 += boxWidth
		l.Path = fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2+bend, y2, x2, y2)
	} else {
		l.Path = fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2-bend, y2, x2, y2)
	}
	l.Title = fmt.Sprintf("%s and %s: %s confidence by %s", a.Label, b.Label, l.Confidence, l.By)
	return l
}
