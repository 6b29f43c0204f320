package match

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// memory is a store of the documents that were matched so far. It keeps the
// promises of Store, and nothing is lost or slow.
type memory struct {
	docs    map[uuid.UUID]score.Raw
	keys    map[uuid.UUID][]string // of those matched so far
	pairs   map[[2]uuid.UUID]rules.Pair
	matches map[[2]uuid.UUID]rules.Edge
	hints   map[[2]uuid.UUID]rules.Edge // suggestions
	crowded bool                        // a block has no room for partners that are not asked for

	released  []job.Release
	namings   map[uuid.UUID]score.Naming // of those matched so far
	matchedAs map[uuid.UUID]string       // the identities with which they were
}

func newMemory(docs []score.Raw) *memory {
	m := &memory{map[uuid.UUID]score.Raw{}, map[uuid.UUID][]string{}, map[[2]uuid.UUID]rules.Pair{}, map[[2]uuid.UUID]rules.Edge{}, map[[2]uuid.UUID]rules.Edge{}, false, nil,
		map[uuid.UUID]score.Naming{}, map[uuid.UUID]string{}}
	for _, d := range docs {
		m.docs[d.ID] = d
	}
	return m
}

func byID(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }

func (m *memory) Load(_ context.Context, fences []job.Attempt) (map[job.Attempt]score.Raw, error) {
	raws := map[job.Attempt]score.Raw{}
	for _, f := range fences {
		raws[f] = m.docs[f.ID]
	}
	return raws, nil
}

func (m *memory) Candidates(_ context.Context, drafts []*Draft) (map[job.Attempt]Block, error) {
	blocks := map[job.Attempt]Block{}
	for _, draft := range drafts {
		id, n := draft.Fence.ID, draft.Normalized
		m.keys[id] = n.Keys
		d := m.docs[id]
		d.Vector = hex.EncodeToString(n.Vector)
		m.docs[id] = d
		blocks[draft.Fence] = m.block(id, n, draft.Types)
	}
	return blocks, nil
}

func (m *memory) Near(_ context.Context, id uuid.UUID, n score.Normalized, types []document.Type) (near []Near, err error) {
	for other, has := range m.keys {
		if other != id && slices.Contains(types, m.docs[other].Type) && m.docs[other].Vector != "" &&
			slices.ContainsFunc(has, func(k string) bool { return slices.Contains(n.Window.Company, k) }) {
			near = append(near, Near{other, m.docs[other].Vector})
		}
	}
	return near, nil
}

// known is the identity of a name, by the documents matched so far: the one VAT id
// beside it, if another name stands beside that as well.
func (m *memory) known(of score.Naming) (id string) {
	if of.Name == "" || of.VATID != "" {
		return ""
	}
	for _, n := range m.namings {
		if n.Name == of.Name && n.VATID != "" && id != "" && id != n.VATID {
			return ""
		}
		if n.Name == of.Name && n.VATID != "" {
			id = n.VATID
		}
	}
	for _, n := range m.namings {
		if n.VATID == id && n.Name != of.Name {
			return id
		}
	}
	return ""
}

// renamed is a document that was matched with another identity than it has now.
func (m *memory) renamed() (uuid.UUID, bool) {
	for id, as := range m.matchedAs {
		if m.known(m.namings[id]) != as {
			return id, true
		}
	}
	return uuid.UUID{}, false
}

func (m *memory) block(id uuid.UUID, n score.Normalized, types []document.Type) (b Block) {
	b.Known = m.known(n.Naming)
	for key := range m.pairs {
		if key[0] == id || key[1] == id {
			b.Partners = append(b.Partners, key[0], key[1])
		}
	}
	b.Partners = slices.DeleteFunc(b.Partners, func(p uuid.UUID) bool { return p == id })
	slices.SortFunc(b.Partners, byID)
	for other, keys := range m.keys {
		found := slices.ContainsFunc(keys, func(k string) bool { _, ok := slices.BinarySearch(n.Lookup, k); return ok })
		if other != id && slices.Contains(types, m.docs[other].Type) && (found || slices.Contains(b.Partners, other) || slices.Contains(n.Similar, other)) {
			c := m.docs[other]
			c.Known = m.known(m.namings[other])
			b.Candidates = append(b.Candidates, c)
		}
	}
	if m.crowded {
		b.Candidates = slices.DeleteFunc(b.Candidates, func(c score.Raw) bool {
			return slices.Contains(b.Partners, c.ID) && !slices.Contains(n.Similar, c.ID)
		})
	}
	slices.SortFunc(b.Candidates, func(x, y score.Raw) int { return byID(x.ID, y.ID) })
	return b
}

// rest are the partners for which a block has no room.
func (m *memory) rest(b Block, types []document.Type) (rest []score.Raw) {
	for _, id := range b.Partners {
		if slices.Contains(types, m.docs[id].Type) && !slices.ContainsFunc(b.Candidates, func(c score.Raw) bool { return c.ID == id }) {
			d := m.docs[id]
			d.Known = m.known(m.namings[id])
			rest = append(rest, d)
		}
	}
	return rest
}

// Write writes the drafts of a turn one after the other.
func (m *memory) Write(ctx context.Context, t Turn) (Written, error) {
	w := Written{Left: map[uuid.UUID]Left{}}
	for _, d := range t.Drafts {
		if now := m.block(d.Fence.ID, d.Normalized, d.Types); now.Known != d.Normalized.Known && d.Release == nil {
			w.Left[d.Fence.ID] = Left{Fresh: &now}
			continue
		}
		open, published, err := m.write(ctx, d)
		if err != nil {
			return Written{}, err
		}
		if w.Published = append(w.Published, published...); open != nil {
			w.Left[d.Fence.ID] = Left{Open: open}
		}
	}
	return w, nil
}

func (m *memory) write(ctx context.Context, draft *Draft) (open []rules.Decision, published []job.Stamped, err error) {
	f, n := draft.Fence, draft.Normalized
	now := m.block(f.ID, n, draft.Types)
	pairs := append(draft.Document.Pairs(now.Candidates), draft.Document.Pairs(m.rest(now, draft.Types))...)
	before := maps.Clone(m.pairs)
	affected := append([]uuid.UUID{f.ID}, now.Partners...)
	for _, p := range now.Partners {
		delete(m.pairs, [2]uuid.UUID{f.ID, p})
		delete(m.pairs, [2]uuid.UUID{p, f.ID})
	}
	for _, p := range pairs {
		m.pairs[[2]uuid.UUID{p.A, p.B}] = rules.Pair{Pair: p, Asked: before[[2]uuid.UUID{p.A, p.B}].Asked}
		affected = append(affected, p.A, p.B)
	}
	slices.SortFunc(affected, byID)
	affected = slices.Compact(affected)
	d, questions, err := rules.Consult(ctx, neighbourhood(m.all(), affected...), draft.exchanges())
	if err != nil || questions != nil {
		m.pairs = before
		return questions[f.ID], nil, err
	}
	if slices.Contains(d.Stale, f.ID) {
		return nil, nil, errors.New("a document at work is published")
	}
	for _, p := range d.Asked {
		m.pairs[[2]uuid.UUID{p.A, p.B}] = p
	}
	m.namings[f.ID], m.matchedAs[f.ID] = n.Naming, n.Known
	replace(m.matches, affected, d.Matches)
	replace(m.hints, affected, d.Suggestions)
	if draft.Release != nil {
		m.released = append(m.released, *draft.Release)
	}
	for _, id := range d.Stale {
		published = append(published, job.Stamped{ID: id})
	}
	return nil, published, nil
}

// replace makes the edges of the documents these.
func replace(edges map[[2]uuid.UUID]rules.Edge, documents []uuid.UUID, now []rules.Edge) {
	for key := range edges {
		if slices.Contains(documents, key[0]) || slices.Contains(documents, key[1]) {
			delete(edges, key)
		}
	}
	for _, e := range now {
		edges[[2]uuid.UUID{e.A, e.B}] = e
	}
}

// all is all pairs, in the order of the ids.
func (m *memory) all() (pairs []rules.Pair) {
	for _, p := range m.pairs {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(p, q rules.Pair) int { return cmp.Or(byID(p.A, q.A), byID(p.B, q.B)) })
	return pairs
}

// stale describes an edge that differs from the decisions about all pairs; empty
// if none does.
func (m *memory) stale() string {
	pairs := m.all()
	d := result(rules.Competition{Documents: documentsOf(pairs), Pairs: pairs})
	for _, part := range []struct {
		name string
		got  map[[2]uuid.UUID]rules.Edge
		want []rules.Edge
	}{{"matches", m.matches, d.Matches}, {"suggestions", m.hints, d.Suggestions}} {
		want := map[[2]uuid.UUID]rules.Edge{}
		replace(want, nil, part.want)
		if !reflect.DeepEqual(part.got, want) {
			return fmt.Sprintf("%s: got %+v\nwant %+v", part.name, part.got, want)
		}
	}
	return ""
}

// randomDocs draws documents of two suppliers that cite each other, tie and add up.
func randomDocs(r *rand.Rand) (docs []score.Raw) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for i := range 8 + r.IntN(8) {
		typ := []document.Type{po, po, inv, inv, inv, dn, dn, gr, oc, cn, ct}[r.IntN(11)]
		n := 1 + r.IntN(3)
		units := []int{2, 3, 5, 8, 10, 11}[r.IntN(6)]
		data := object(
			fmt.Sprintf(`"number":"%s-%d"`, pick("4500", "LS", "RE"), 1000+n),
			`"supplier":`+pick(`{"vat_id":"DE136695976"}`, `{"name":"Hofmann Werkzeugbau"}`, `{"name":"Hoffmann Werkzeugbau","vat_id":"DE136695976"}`, `{"name":"Zenith"}`),
			`"currency":"`+pick("EUR", "EUR", "EUR", "USD", "")+`"`,
			`"date":"`+pick("2026-01-05", "2026-01-20", "2026-02-10", "2025-12-20", "")+`"`,
			`"total":"`+pick("1184.37", "1184.37", "592.20", "100", "")+`"`,
			field("references", []document.Reference{{Type: pick(string(po), string(po), string(dn), string(inv), "", "none"), Number: fmt.Sprintf("%s-%d", pick("4500", "LS", "RE"), 1001+r.IntN(3))}}),
			lines(fmt.Sprintf("lamp %d %s", units, pick("59.22", "59.22", "60"))),
			`"notes":"`+pick("", "", "returned goods", "order no. 4500-1002")+`"`,
		)
		if r.IntN(3) == 0 { // one that cites nothing, and of which there are several
			data = object(`"supplier":{"name":"Zenith"}`, `"date":"2026-01-05"`, `"total":"1184.37"`, lines(fmt.Sprintf("lamp %d", units)))
		}
		docs = append(docs, score.Raw{ID: idOf(fmt.Sprint(i)), TenantID: tenantA, Type: typ, Data: data})
	}
	return docs
}

// withNames gives some of the documents other names of their supplier, with VAT
// ids that connect them, or not.
func withNames(r *rand.Rand, docs []score.Raw) []score.Raw {
	names := []string{`{"name":"Nadir"}`, `{"name":"Nadir","vat_id":"DE129273398"}`, `{"name":"Zenith"}`, `{"name":"Zenith","vat_id":"DE129273398"}`,
		`{"name":"Nadir"}`, `{"name":"Nadir","vat_id":"DE811569869"}`}
	if r.IntN(3) > 0 {
		names = names[:5]
	}
	for i := range docs {
		docs[i].Data = strings.ReplaceAll(docs[i].Data, `{"name":"Zenith"}`, names[r.IntN(len(names))])
	}
	return docs
}

// TestArrivalOrderIsIrrelevant: the same documents in any order, some of
// them repeated, have the same matches for the same reasons.
func TestArrivalOrderIsIrrelevant(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	seeds := testenv.Size(30, 200)
	for seed := range uint64(seeds) {
		arrive(t, seed, met)
	}
	for _, name := range []string{"only", "adds-up", "tie", "taken", "match", "suggestion", "known-name"} {
		if met[name] < seeds/4 {
			t.Errorf("the random documents prove little: %d times %s", met[name], name)
		}
	}
}

// arrive matches the documents of one run in some orders, and counts the
// outcomes in met.
func arrive(t *testing.T, seed uint64, met map[string]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	docs := withNames(r, randomDocs(r))
	var first *memory
	for order := range 6 {
		m := newMemory(docs)
		m.crowded = order%2 == 1
		matcher := &Matcher{Store: m, Log: slog.New(slog.DiscardHandler)}
		again := r.Perm(len(docs))[:len(docs)/2]
		for _, i := range append(r.Perm(len(docs)), again...) {
			must.OK(t, job.Work(matcher.Match).One(t.Context(), job.Attempt{ID: docs[i].ID, Number: 1}), "seed", seed, "order", order)
			for id, again := m.renamed(); again; id, again = m.renamed() {
				must.OK(t, job.Work(matcher.Match).One(t.Context(), job.Attempt{ID: id, Number: 2}), "seed", seed, "order", order)
			}
			if problem := m.stale(); problem != "" {
				t.Fatalf("seed %d, order %d, after document %d: %s", seed, order, i, problem)
			}
		}
		if first == nil {
			first = m
			continue
		}
		if !m.same(first) {
			t.Fatalf("seed %d, order %d: got %+v\nwant %+v", seed, order, m, first)
		}
	}
	met["match"] += len(first.matches)
	met["suggestion"] += len(first.hints)
	pairs := first.all()
	for _, p := range pairs {
		if strings.Contains(names(p.Evidence), "known-name") {
			met["known-name"]++
		}
	}
	for _, j := range decided(pairs) {
		met[j.Evidence[len(j.Evidence)-1].Name]++
	}
}
