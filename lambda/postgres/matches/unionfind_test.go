package matches

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
)

func TestUnionFind(t *testing.T) {
	t.Parallel()
	id := func(n int) uuid.UUID { return uuid.UUID{15: byte(n)} }
	for _, tc := range []struct {
		joins [][2]int
		want  string // the cluster of 1, 2, 3 ...; 0 for none
	}{
		{nil, "[0 0 0 0 0 0]"},
		{[][2]int{{1, 2}}, "[1 1 0 0 0 0]"},
		{[][2]int{{2, 1}, {1, 2}}, "[1 1 0 0 0 0]"},
		{[][2]int{{5, 6}, {3, 4}}, "[0 0 3 3 5 5]"},
		{[][2]int{{6, 5}, {5, 4}, {4, 3}, {3, 2}, {2, 1}}, "[1 1 1 1 1 1]"},
		{[][2]int{{3, 4}, {5, 6}, {6, 4}}, "[0 0 3 3 3 3]"},
		{[][2]int{{5, 6}, {3, 4}, {6, 4}, {1, 6}}, "[1 0 1 1 1 1]"},
		{[][2]int{{1, 2}, {2, 3}, {3, 1}}, "[1 1 1 0 0 0]"}, // a ring
		{[][2]int{{4, 4}}, "[0 0 0 4 0 0]"},
	} {
		sets := unionFind{}
		for _, j := range tc.joins {
			sets.join(id(j[0]), id(j[1]))
		}
		var got []int
		for n := 1; n <= 6; n++ {
			got = append(got, int(sets.cluster(id(n)).UUID[15]))
		}
		if fmt.Sprint(got) != tc.want {
			t.Errorf("%v: got %v, want %s", tc.joins, got, tc.want)
		}
	}
}

// Another program may insert a document with the zero id, which is no sign of a missing cluster.
func TestClusterOfZeroID(t *testing.T) {
	t.Parallel()
	one := uuid.UUID{15: 1}
	s := standing{docs: []clusterRow{{ID: uuid.Nil}, {ID: one}}}
	c := s.join(map[[2]uuid.UUID]bool{{uuid.Nil, one}: true})
	for _, d := range s.docs {
		if got := c.of(d); got != (uuid.NullUUID{Valid: true}) {
			t.Errorf("%s is in cluster %+v", d.ID, got)
		}
	}
}
