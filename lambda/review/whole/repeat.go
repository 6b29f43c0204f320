package whole

import (
	"strings"
	"unicode"

	"matchbook/lambda/internal/lazy"
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
	r.elsewhere(t.Findings)
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

// elsewhere finds the same finding about a clause that stands elsewhere in the contract, word
// for word, so that a person judges it once.
func (r *repeats) elsewhere(found []record.Finding) {
	type clause struct {
		analyst, title, words string
		category              record.Category
	}
	first := map[clause]int{}
	for _, f := range found {
		words := wordsOf(f.Quote)
		if words == "" || f.Withdrawn {
			continue
		}
		c := clause{f.Analyst, f.Title, words, f.Category}
		if seq, ok := first[c]; ok {
			r.join(seq, f.Seq)
			continue
		}
		first[c] = f.Seq
	}
}

var number = lazy.Regexp(`^[\s(]*\d+(?:\.\d+)*[.)]?\s+`)

// wordsOf returns a clause without its number, case, white space and punctuation.
func wordsOf(quote string) string {
	quote = number().ReplaceAllString(quote, "")
	return strings.Join(strings.FieldsFunc(strings.ToLower(quote), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
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
