package explain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Change is the report of Decide.
type Change struct {
	Verdict   rules.Verdict   `json:"verdict"`
	Changed   bool            `json:"changed"`
	A         named           `json:"a"`
	B         named           `json:"b"`
	Before    *pairReport     `json:"before"`
	Now       *pairReport     `json:"now"`
	Appeared  []matchEnds     `json:"appeared"`
	Vanished  []matchEnds     `json:"vanished"`
	Clusters  []clusterChange `json:"clusters"`
	Published []uuid.UUID     `json:"published"` // documents to be matched again
}

// matchEnds is a match of one of the two documents with a third one.
type matchEnds struct {
	A         named   `json:"a"`
	B         named   `json:"b"`
	Score     float64 `json:"score"`
	DecidedBy string  `json:"decided_by"`
}

type clusterChange struct {
	Document uuid.UUID `json:"document"`
	Before   []named   `json:"before"`
	Now      []named   `json:"now"`
}

// Decide stores a person's decision about two documents. It changes nothing if the pair has
// the verdict already. The caller must send the returned messages, even if there is an error.
func (d *Reader) Decide(args []string, p matches.Decision) (*Change, []job.Stamped, error) {
	docs, err := d.resolve(args)
	if err != nil {
		return nil, nil, err
	}
	if p.Verdict != rules.Withdrawn {
		if err := decidable(docs[0], docs[1]); err != nil {
			return nil, nil, err
		}
	}
	before, err := d.view(docs)
	if err != nil {
		return nil, nil, err
	}
	r := &Change{Verdict: p.Verdict, A: docs[0].named, B: docs[1].named, Before: before.pair, Now: before.pair,
		Published: []uuid.UUID{}, Appeared: []matchEnds{}, Vanished: []matchEnds{}, Clusters: []clusterChange{}}
	p.By, p.Note = text(p.By, maxBy), text(p.Note, maxNote)
	done, err := d.matches.Decide(d.ctx, docs[0].ID, docs[1].ID, p)
	if err != nil || !done.Changed {
		return r, nil, refused(err)
	}
	for _, s := range done.Published {
		r.Published = append(r.Published, s.ID)
	}
	a, b, err := d.readTwo(docs[0].ID, docs[1].ID)
	if err != nil {
		return r, done.Published, err
	}
	now, err := d.view([]*documentState{a, b})
	if err == nil {
		r.Changed, r.Now = true, now.pair
		err = d.compareViews(r, before, now)
	}
	return r, done.Published, err
}

// Bounds of stored texts, in characters.
const (
	maxBy   = 200
	maxNote = 1000
)

// text cuts a person's text and removes what the database would refuse.
func text(s string, most int) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(s), "\x00", ""), "\uFFFD")
	if r := []rune(s); len(r) > most {
		s = string(r[:most])
	}
	return s
}

// refused turns an actionable error of the store into an Error.
func refused(err error) error {
	switch {
	case errors.Is(err, matches.ErrNoSuchPair): // one was deleted or moved
		return Errorf("%w", matches.ErrNoSuchPair)
	case errors.Is(err, postgres.ErrStale):
		return Errorf("%w; look at it again", postgres.ErrStale)
	}
	return err
}

// decidable refuses two documents that can never be a pair.
func decidable(a, b *documentState) error {
	switch {
	case a.TenantID != b.TenantID:
		return Errorf("%s belongs to tenant %s and %s to tenant %s: %w",
			a.Called(), a.TenantID, b.Called(), b.TenantID, matches.ErrNoSuchPair)
	case !slices.Contains(score.Matchable(a.Type), b.Type):
		return Errorf("unsupported pair: %s match only %s, not %s",
			typesOf(a.Type), matchable(a.Type), typesOf(b.Type))
	}
	for _, s := range []*documentState{a, b} {
		if s.Unreadable != "" {
			return Errorf("read the structured data of %s: %s", s.Called(), s.Unreadable)
		}
	}
	return nil
}

// matchable lists the types matched with a type, in words.
func matchable(t document.Type) string {
	var list []string
	for _, other := range score.Matchable(t) {
		list = append(list, typesOf(other))
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

type view struct {
	pair     *pairReport // of the two, or nil
	matches  []report.Match
	clusters [][]named
}

func (d *Reader) view(docs []*documentState) (v view, err error) {
	list, err := d.pairs(docs[0].ID)
	if err != nil {
		return v, err
	}
	v.pair = findPair(list, docs[0].ID, docs[1].ID)
	for _, doc := range docs {
		v.clusters = append(v.clusters, doc.Cluster)
	}
	v.matches, err = d.reports.Matches(d.ctx, []uuid.UUID{docs[0].ID, docs[1].ID})
	return v, err
}

func findPair(list []pairReport, a, b uuid.UUID) *pairReport {
	for i, p := range list {
		if p.edge == (ends{a, b}) || p.edge == (ends{b, a}) {
			return &list[i]
		}
	}
	return nil
}

func (d *Reader) compareViews(r *Change, before, now view) (err error) {
	without := func(list, others []report.Match) (rest []report.Match) {
		for _, m := range list {
			same := func(o report.Match) bool { return o.A == m.A && o.B == m.B }
			itself := ends{m.A, m.B} == ends{r.A.ID, r.B.ID} || ends{m.A, m.B} == ends{r.B.ID, r.A.ID}
			if !itself && !slices.ContainsFunc(others, same) {
				rest = append(rest, m)
			}
		}
		return rest
	}
	if r.Appeared, err = d.matchEnds(without(now.matches, before.matches)); err != nil {
		return err
	}
	if r.Vanished, err = d.matchEnds(without(before.matches, now.matches)); err != nil {
		return err
	}
	for i, id := range []uuid.UUID{r.A.ID, r.B.ID} {
		if !slices.Equal(before.clusters[i], now.clusters[i]) {
			r.Clusters = append(r.Clusters, clusterChange{id, orEmpty(before.clusters[i]), orEmpty(now.clusters[i])})
		}
	}
	return nil
}

func orEmpty(list []named) []named { return append([]named{}, list...) }

func (d *Reader) matchEnds(list []report.Match) ([]matchEnds, error) {
	found := []matchEnds{}
	for _, m := range list {
		names, err := d.names([]uuid.UUID{m.A, m.B})
		if err != nil {
			return nil, err
		}
		if len(names) == 2 {
			found = append(found, matchEnds{names[0], names[1], m.Score, m.DecidedBy})
		}
	}
	return found, nil
}

// Text returns the report for people.
func (r *Change) Text() string {
	p := &page{}
	p.listed("", r.A)
	p.listed("", r.B)
	if !r.Changed {
		if r.Verdict == rules.Withdrawn {
			p.Line("  nothing changed: no decision is stored about it")
		} else {
			p.Line("  nothing changed: already %s by a person", r.Verdict)
		}
		return p.String()
	}
	p.Hang("  was       ", r.Before.was())
	p.Hang("  is        ", r.is())
	p.others("appeared", r.Appeared)
	p.others("vanished", r.Vanished)
	if n := len(r.Published); n > 0 {
		p.Line("  published %s, to be matched again", plural.Of(n, "document"))
	}
	if len(r.Clusters) == 0 {
		p.Line("  cluster   as before")
	}
	for i, c := range r.Clusters {
		if i > 0 && len(c.Now) > 0 && slices.Equal(c.Now, r.Clusters[0].Now) {
			continue // the same cluster
		}
		if len(c.Now) == 0 {
			p.Line("  cluster   dissolved for %s", term.Cut(r.nameOf(c.Document), 70))
			continue
		}
		p.Line("  cluster   of %s", term.Cut(r.nameOf(c.Document), 70))
		for _, m := range c.Now {
			mark := " "
			if !slices.Contains(c.Before, m) {
				mark = "+"
			}
			p.listed("          "+mark+" ", m)
		}
		for _, m := range c.Before {
			if !slices.Contains(c.Now, m) {
				p.listed("          - ", m)
			}
		}
	}
	return p.String()
}

func (r *Change) nameOf(id uuid.UUID) string {
	if id == r.A.ID {
		return r.A.Called()
	}
	return r.B.Called()
}

func (r *Change) is() string {
	if r.Verdict == rules.Withdrawn {
		return r.Now.was() + ", since the decision is withdrawn"
	}
	return string(r.Verdict) + " by a person"
}

func (p *pairReport) was() string {
	switch {
	case p == nil:
		return "not stored"
	case p.DecidedBy != "rules":
		return p.Outcome + " by a " + p.DecidedBy
	}
	return p.inShort()
}

func (p *page) others(what string, list []matchEnds) {
	for _, m := range list {
		p.Hang("  "+term.Pad(what, 9)+" ",
			fmt.Sprintf("%.2f by %s  %s -- %s", m.Score, m.DecidedBy, m.A.Called(), m.B.Called()))
	}
	if len(list) == 0 {
		p.Line("  %s no other match of the two", term.Pad(what, 9))
	}
}
