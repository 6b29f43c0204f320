package train

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// candidates bounds the candidates per document, as in the store.
const candidates = 200

// Sample has documents, their true links, and the pairs the function would score. Use
// ReadSample or NewSample, because these score the pairs.
type Sample struct {
	Corpus, Condition string // empty if not from a corpus
	Documents         []corpus.Document
	Links             []corpus.Pair
	Pairs             []rules.Pair
}

// ReadSample reads a corpus in one condition.
func ReadSample(dir, condition string) (*Sample, error) {
	c, err := corpus.Read(dir, condition)
	if err != nil {
		return nil, err
	}
	s, err := NewSample(c.Documents, c.Links)
	if err == nil {
		s.Corpus, s.Condition = filepath.Base(dir), condition
	}
	return s, err
}

// NewSample reads the documents and scores them.
func NewSample(docs []corpus.Document, links []corpus.Pair) (*Sample, error) {
	read := make([]score.Document, len(docs))
	for i, d := range docs {
		var err error
		read[i], err = score.Read(score.Raw{ID: d.ID, TenantID: d.TenantID, Type: d.Type, Data: string(d.Data), Received: d.Received})
		if err != nil {
			return nil, fmt.Errorf("document %s: %w", d.ID, err)
		}
	}
	remember(read)
	return &Sample{Documents: docs, Links: links, Pairs: scored(read, blocks(read))}, nil
}

// blocks returns each document's candidates among the earlier documents: the ones with the
// most keys in common. A number counts as a hundred other keys.
func blocks(docs []score.Document) [][]int {
	index, all := map[string][]int{}, make([][]int, len(docs))
	for i, d := range docs {
		n, types := d.Normalized(), score.Matchable(d.Type)
		common := map[int]int{}
		for _, key := range n.Lookup {
			weight := 1
			if strings.HasPrefix(key[8:], "|ref|") {
				weight = 100
			}
			for _, j := range index[key] {
				if slices.Contains(types, docs[j].Type) {
					common[j] += weight
				}
			}
		}
		for j := range common {
			all[i] = append(all[i], j)
		}
		slices.SortFunc(all[i], func(x, y int) int {
			return cmp.Or(common[y]-common[x], slices.Compare(docs[x].ID[:], docs[y].ID[:]))
		})
		all[i] = all[i][:min(candidates, len(all[i]))]
		for _, key := range n.Keys {
			index[key] = append(index[key], i)
		}
	}
	return all
}

// hopeless is so few points that no numbers make a match of them.
const hopeless = -20

// scored scores each document against its block, on all processors. The pairs are in document
// order.
func scored(docs []score.Document, blocks [][]int) (pairs []rules.Pair) {
	of := make([][]rules.Pair, len(docs))
	var group sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := first; i < len(docs); i += runtime.GOMAXPROCS(0) {
				for _, j := range blocks[i] {
					if p := docs[i].Score(docs[j]); p.Counts() || p.Veto == "" && p.Points >= hopeless {
						of[i] = append(of[i], rules.Pair{Pair: p})
					}
				}
			}
		})
	}
	group.Wait()
	return slices.Concat(of...)
}

// ids returns the ids of the sample's documents.
func (s *Sample) ids() (ids []uuid.UUID) {
	for _, d := range s.Documents {
		ids = append(ids, d.ID)
	}
	return ids
}
