package eval

import (
	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// BCubed compares clusters from the perspective of each document (Bagga and Baldwin 1998):
// precision is the share of its predicted cluster belonging to its true cluster, recall the
// share of its true cluster found in the predicted one, each averaged over the documents; F1
// is their harmonic mean. A document without links is a cluster of one.
//
// Clusters are the connected components of the links or edges between documents other than
// contracts, because a framework contract would join all of its orders. Contracts are not
// counted.
type BCubed struct {
	Documents int `json:"documents"` // without contracts
	Rates
}

// clusters returns B-cubed, and the number of documents with a stored cluster other than their
// edges' component. A contract should be in no cluster.
func (s *scorer) clusters(stored map[uuid.UUID]uuid.UUID) (b BCubed, differ Share) {
	truth, predicted := components(s, s.links), components(s, s.edges)
	var counted []int
	for i, d := range s.docs {
		if d.Type != document.Contract {
			counted = append(counted, i)
		}
	}
	precision, recall := 0.0, 0.0
	for _, o := range compare(counted, predicted, truth) {
		precision += float64(o.both) / float64(o.a)
		recall += float64(o.both) / float64(o.b)
	}
	n := float64(len(counted))
	b = BCubed{len(counted), Rates{ratio(precision, n), ratio(recall, n), ratio(2*precision*recall, n*(precision+recall))}}
	if stored != nil {
		differ = s.differ(predicted, stored)
	}
	return b, differ
}

func (s *scorer) differ(predicted []int, stored map[uuid.UUID]uuid.UUID) Share {
	all, own, names := make([]int, len(s.docs)), make([]int, len(s.docs)), make(map[uuid.UUID]int)
	for i, d := range s.docs {
		all[i], own[i] = i, -1-i // alone
		if name, ok := stored[d.ID]; ok {
			if _, seen := names[name]; !seen {
				names[name] = i
			}
			own[i] = names[name]
		}
	}
	n := 0
	for _, o := range compare(all, predicted, own) {
		if o.both != o.a || o.both != o.b {
			n++
		}
	}
	return shareOf(n, len(s.docs))
}

// overlap has the sizes of a document's two clusters and of their intersection.
type overlap struct{ a, b, both int }

// compare returns each document's overlap in two clusterings.
func compare(docs, a, b []int) []overlap {
	inA, inB, inBoth := make(map[int]int), make(map[int]int), make(map[[2]int]int)
	for _, i := range docs {
		inA[a[i]]++
		inB[b[i]]++
		inBoth[[2]int{a[i], b[i]}]++
	}
	overlaps := make([]overlap, len(docs))
	for at, i := range docs {
		overlaps[at] = overlap{inA[a[i]], inB[b[i]], inBoth[[2]int{a[i], b[i]}]}
	}
	return overlaps
}

// components returns each document's component over pairs without a contract, identified by
// the position of its first document.
func components[V any](s *scorer, pairs map[places]V) []int {
	parent := make([]int, len(s.docs))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for p := range pairs {
		if s.docs[p[0]].Type != document.Contract && s.docs[p[1]].Type != document.Contract {
			a, b := root(p[0]), root(p[1])
			parent[max(a, b)] = min(a, b)
		}
	}
	for i := range parent {
		parent[i] = root(i)
	}
	return parent
}
