package console

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// cluster is an order with n-1 documents of other types, each matched with it.
func cluster(n int) (g graph) {
	for i := range n {
		g.nodes = append(g.nodes, node{ID: uuid.UUID{15: byte(i)}, Type: document.Types[min(i, 1+i%5)], Label: fmt.Sprintf("document %d", i)})
		if i > 0 {
			g.edges = append(g.edges, link{A: g.nodes[0].ID, B: g.nodes[i].ID, Confidence: "high", By: "rules"})
		}
	}
	g.current = g.nodes[n/2].ID
	return g
}

func TestPictureIsReadable(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3, 60, maxDrawn} {
		p := cluster(n).draw()
		if len(p.Nodes) != n || len(p.Links) != n-1 {
			t.Fatalf("%d documents: got %d, and %d matches", n, len(p.Nodes), len(p.Links))
		}
		if p.Width > 3000 || p.Height > margin*2+maxRows*(boxHeight+rowGap) {
			t.Errorf("%d documents: %d x %d", n, p.Width, p.Height)
		}
		marked := 0
		for i, a := range p.Nodes {
			if a.Current {
				marked++
			}
			if a.X < margin || a.Y < margin || a.X+boxWidth > p.Width-margin || a.Y+boxHeight > p.Height-margin {
				t.Errorf("%d documents: %s is outside: %d, %d", n, a.Label, a.X, a.Y)
			}
			for _, b := range p.Nodes[:i] {
				if a.X < b.X+boxWidth && b.X < a.X+boxWidth && a.Y < b.Y+boxHeight && b.Y < a.Y+boxHeight {
					t.Errorf("%d documents: %s covers %s", n, a.Label, b.Label)
				}
			}
		}
		if marked != 1 {
			t.Errorf("%d documents: %d are marked as the current one", n, marked)
		}
	}
}

func TestPictureIgnoresOrder(t *testing.T) {
	t.Parallel()
	g := cluster(60)
	want := g.draw().Nodes
	for range 20 {
		rand.Shuffle(len(g.nodes), func(i, j int) { g.nodes[i], g.nodes[j] = g.nodes[j], g.nodes[i] })
		if got := g.draw().Nodes; !reflect.DeepEqual(got, want) {
			t.Fatal("another order of documents has another picture")
		}
	}
}
