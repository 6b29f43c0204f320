package whole

import (
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// repeated maps each repeating finding's Seq to the earliest Seq of the same finding.
func repeated(t record.Task) map[int]int {
	r := repeats{chunks: t.Chunks, by: map[key][]record.Finding{}, first: map[int]int{}}
	positions := map[uuid.UUID]int{}
	for i, c := range t.Chunks {
		positions[c.ID] = i
	}
	for _, f := range t.Findings {
		if i, ok := positions[f.ChunkID]; ok {
			r.by[key{f.Analyst, i}] = append(r.by[key{f.Analyst, i}], f)
		}
	}
	for k, found := range r.by {
		r.compare(k, found)
	}
	same := map[int]int{}
	for seq := range r.first {
		same[seq] = r.root(seq)
	}
	return same
}

type key struct {
	analyst string
	chunk   int
}

type repeats struct {
	chunks []record.Chunk
	by     map[key][]record.Finding
	first  map[int]int // Seq to a smaller Seq of the same finding
}

// compare finds the repetitions between a chunk and the overlapping ones before it. It
// compares only one analyst's findings, because another analyst has another reason.
func (r *repeats) compare(k key, found []record.Finding) {
	here := r.chunks[k.chunk]
	for before := k.chunk - 1; before >= 0 && r.chunks[before].End > here.Start; before-- {
		for _, earlier := range r.by[key{k.analyst, before}] {
			for _, later := range found {
				if same(earlier, later, here.Start, r.chunks[before].End) {
					r.join(earlier.Seq, later.Seq)
				}
			}
		}
	}
}

// same reports whether two findings quote one clause, or share a title and lie in the overlap.
func same(a, b record.Finding, overlapStart, overlapEnd int) bool {
	if a.Quote == "" || b.Quote == "" {
		return false
	}
	common := min(a.End, b.End) - max(a.Start, b.Start)
	if a.Category == b.Category && common > 0 && 2*common >= min(a.End-a.Start, b.End-b.Start) {
		return true
	}
	within := func(f record.Finding) bool { return f.Start >= overlapStart && f.End <= overlapEnd }
	return a.Title == b.Title && within(a) && within(b)
}

func (r *repeats) root(seq int) int {
	for {
		first, ok := r.first[seq]
		if !ok {
			return seq
		}
		seq = first
	}
}

func (r *repeats) join(a, b int) {
	a, b = r.root(a), r.root(b)
	if a != b {
		r.first[max(a, b)] = min(a, b)
	}
}
