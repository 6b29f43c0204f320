package threeway

import (
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// A match connects both of its ends, whichever comes first; a contract connects nothing.
func TestClusters(t *testing.T) {
	t.Parallel()
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	docs := []Document{{ID: id(1)}, {ID: id(2)}, {ID: id(3)}, {ID: id(4), Type: document.Contract}, {ID: id(5)}, {ID: id(6)}}
	got := clustersOf(docs, [][2]uuid.UUID{{id(2), id(1)}, {id(2), id(3)}, {id(3), id(4)}, {id(4), id(5)}})
	for n, want := range map[byte]int{1: 1, 2: 1, 3: 1, 4: 4, 5: 5, 6: 6} {
		if got[id(n)] != want {
			t.Errorf("document %d is in cluster %d, want %d", n, got[id(n)], want)
		}
	}
}
