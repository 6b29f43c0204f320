package train

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/match/score"
)

// Baseline is a simple rule with its figures: two documents of one tenant and of matchable
// types belong together if they share a key and have similarly named suppliers.
type Baseline struct {
	Name string
	eval.Report
	has, seeks func(plain) []string // a document's keys, and the keys it looks for
	nearest    bool                 // require mutual nearest neighbors in time, per type
}

// plain is a document as seen by a simple rule.
type plain struct {
	corpus.Document
	data     document.Data
	supplier map[string]bool // the longer words of its name
}

// Baselines returns the figures of the simple rules on the sample, best first. A rule must do
// better than the best of them to be worth its code.
func (s *Sample) Baselines() ([]Baseline, error) {
	docs := make([]plain, len(s.Documents))
	for i, d := range s.Documents {
		docs[i].Document = d
		if err := json.Unmarshal(d.Data, &docs[i].data); err != nil {
			return nil, fmt.Errorf("document %s: %w", d.ID, err)
		}
		docs[i].supplier = longWords(docs[i].data.Supplier.Name)
	}
	rules := []Baseline{
		{Name: "one cites the other", has: ownNumber, seeks: citations},
		{Name: "equal amounts, nearest date", has: amounts, seeks: amounts, nearest: true},
		{Name: "equal items, nearest date", has: items, seeks: items, nearest: true},
	}
	for i, r := range rules {
		rules[i].Report = eval.Score(eval.Input{Documents: s.Documents, Links: s.Links, Edges: r.edges(docs)})
	}
	slices.SortStableFunc(rules, func(a, b Baseline) int {
		f, _ := a.Pairwise.F1.Value()
		g, _ := b.Pairwise.F1.Value()
		return cmp.Compare(g, f)
	})
	return rules, nil
}

// edges returns the pairs matched by the rule.
func (r Baseline) edges(docs []plain) (edges []eval.Edge) {
	having := map[string][]int{}
	for i, d := range docs {
		for _, key := range r.has(d) {
			having[key] = append(having[key], i)
		}
	}
	found := map[corpus.Pair][2]int{}
	for i, d := range docs {
		for _, key := range r.seeks(d) {
			for _, j := range having[key] {
				if d.mayMatch(docs[j]) {
					found[corpus.PairOf(d.ID, docs[j].ID)] = [2]int{i, j}
				}
			}
		}
	}
	if r.nearest {
		keepNearest(found, docs)
	}
	for pair := range maps.Keys(found) {
		edges = append(edges, eval.Edge{Pair: pair, Score: 1, Confidence: "high", DecidedBy: "rules"})
	}
	return edges
}

func (d plain) mayMatch(o plain) bool {
	if d.TenantID != o.TenantID || !slices.Contains(score.Matchable(d.Type), o.Type) {
		return false
	}
	for word := range d.supplier {
		if o.supplier[word] {
			return true
		}
	}
	return false
}

// keepNearest deletes pairs if either document has a nearer partner of the same type. Ties go
// to the smaller id.
func keepNearest(found map[corpus.Pair][2]int, docs []plain) {
	type side struct {
		document int
		of       document.Type
	}
	best := map[side]int{}
	nearer := func(d, a, b int) bool {
		x, y := apart(docs[d], docs[a]), apart(docs[d], docs[b])
		return x < y || x == y && slices.Compare(docs[a].ID[:], docs[b].ID[:]) < 0
	}
	consider := func(d, other int) {
		key := side{d, docs[other].Type}
		if before, ok := best[key]; !ok || nearer(d, other, before) {
			best[key] = other
		}
	}
	for _, p := range found {
		consider(p[0], p[1])
		consider(p[1], p[0])
	}
	maps.DeleteFunc(found, func(_ corpus.Pair, p [2]int) bool {
		return best[side{p[0], docs[p[1]].Type}] != p[1] || best[side{p[1], docs[p[0]].Type}] != p[0]
	})
}

// apart returns the time between two documents. A document without a date uses its time of
// receipt.
func apart(a, b plain) time.Duration { return a.when().Sub(b.when()).Abs() }

func (d plain) when() time.Time {
	if t, err := time.Parse(time.DateOnly, d.data.Date.String()); err == nil {
		return t
	}
	return d.Received
}

func ownNumber(d plain) []string { return keys(d.data.Number) }

func citations(d plain) (all []string) {
	for _, r := range d.data.References {
		all = append(all, keys(r.Number)...)
	}
	return all
}

func amounts(d plain) []string { return keys(d.data.Total.Canonical()) }

// items returns a single key: each line's quantity with the article number or the description.
func items(d plain) []string {
	var lines []string
	for _, l := range d.data.Lines {
		lines = append(lines, l.Quantity.Canonical()+" "+plainText(cmp.Or(l.SKU, l.Description)))
	}
	slices.Sort(lines)
	return keys(strings.Join(lines, "+"))
}

// keys returns the letters and digits of the text as a key, or nil if nothing is left, since
// an empty key would join unrelated documents.
func keys(text string) []string {
	if text = plainText(text); text == "" {
		return nil
	}
	return []string{text}
}

func plainText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

func longWords(name string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToUpper(name)) {
		if word = plainText(word); len(word) > 3 {
			words[word] = true
		}
	}
	return words
}
