package explain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Change reports what a decision changed.
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
	Published []uuid.UUID     `json:"published"` // documents, to be matched again
}

// matchEnds is a match of one of the two documents with another one.
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

// Decide stores a person's decision about two documents, unless their pair has the
// verdict already. The caller sends the messages of the documents that it publishes.
func (d *Reader) Decide(args []string, p postgres.Decision) (*Change, []job.Stamped, error) {
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
	done, err := d.db.Decide(d.ctx, docs[0].ID, docs[1].ID, p)
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

// The longest name of a person and the longest note that are kept, in characters.
const (
	maxBy   = 200
	maxNote = 1000
)

// text is a person's text as it is kept: without what a database refuses.
func text(s string, most int) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(s), "\x00", ""), "\uFFFD")
	if r := []rune(s); len(r) > most {
		s = string(r[:most])
	}
	return s
}

// refused makes an error of the store that a person can act on one of our own.
func refused(err error) error {
	switch {
	case errors.Is(err, postgres.ErrNoSuchPair): // one of them is gone, or moved
		return Errorf("%w", postgres.ErrNoSuchPair)
	case errors.Is(err, postgres.ErrStale):
		return Errorf("%w: look at it again", postgres.ErrStale)
	}
	return err
}

// decidable refuses two documents that no person may confirm or reject as a pair.
func decidable(a, b *documentState) error {
	switch {
	case a.TenantID != b.TenantID:
		return Errorf("%s belongs to tenant %s and %s to tenant %s: %w",
			a.Called(), a.TenantID, b.Called(), b.TenantID, postgres.ErrNoSuchPair)
	case !slices.Contains(score.Matchable(a.Type), b.Type):
		return Errorf("%s are matched with %s only, not with %s: "+
			"a verdict about these two would join documents that no rule compares again",
			plural(a.Type), matchable(a.Type), plural(b.Type))
	}
	for _, s := range []*documentState{a, b} {
		if s.Unreadable != "" {
			return Errorf("the structured data of %s cannot be read: %s", s.Called(), s.Unreadable)
		}
	}
	return nil
}

// matchable lists in words the types that a type is matched with.
func matchable(t document.Type) string {
	var list []string
	for _, other := range score.Matchable(t) {
		list = append(list, plural(other))
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// view holds everything that a verdict may change.
type view struct {
	pair     *pairReport // of the two, as stored or considered; nil if there is none
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

// compareViews adds the other matches and the clusters that changed.
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

// Text is the report for people.
func (r *Change) Text() string {
	p := &page{}
	p.listed("", r.A)
	p.listed("", r.B)
	if !r.Changed {
		if r.Verdict == rules.Withdrawn {
			p.Line("  no person's verdict is stored about it: nothing changed")
		} else {
			p.Line("  a person %s it already: nothing changed", r.Verdict)
		}
		return p.String()
	}
	p.Hang("  was       ", r.Before.was())
	p.Hang("  is        ", r.is())
	p.others("appeared", r.Appeared)
	p.others("vanished", r.Vanished)
	if n := len(r.Published); n > 0 {
		p.Line("  published %s, to be matched again", count(n, "document"))
	}
	if len(r.Clusters) == 0 {
		p.Line("  cluster   as before")
	}
	for i, c := range r.Clusters {
		if i > 0 && len(c.Now) > 0 && slices.Equal(c.Now, r.Clusters[0].Now) {
			continue // they are in one
		}
		if len(c.Now) == 0 {
			p.Line("  cluster   none any more of %s", term.Cut(r.nameOf(c.Document), 70))
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

// is describes the pair after the decision.
func (r *Change) is() string {
	if r.Verdict == rules.Withdrawn {
		return r.Now.was() + ", as the person's verdict is withdrawn"
	}
	return string(r.Verdict) + " by a person"
}

// was describes a pair before the decision.
func (p *pairReport) was() string {
	switch {
	case p == nil:
		return "not stored: nothing was kept of a comparison, if there was one"
	case p.DecidedBy != "rules":
		return p.Outcome + " by a " + p.DecidedBy
	}
	return p.inShort()
}

// others prints matches that came or went.
func (p *page) others(what string, list []matchEnds) {
	for _, m := range list {
		p.Hang("  "+term.Pad(what, 9)+" ",
			fmt.Sprintf("%.2f by %s  %s -- %s", m.Score, m.DecidedBy, m.A.Called(), m.B.Called()))
	}
	if len(list) == 0 {
		p.Line("  %s no other match of the two", term.Pad(what, 9))
	}
}
