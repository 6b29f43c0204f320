package matches_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// citers makes documents about one order, of a supplier with seven items.
type citers struct {
	seed uint64
	made int
	day  int // of March of the next document; 0: any
}

const citedOrder = "4500010046"

func (c *citers) document(typ document.Type, number, lines string, cites ...string) postgres.Imported {
	var references []string
	for _, cited := range cites {
		references = append(references, `{"type":"purchase-order","number":"`+cited+`"}`)
	}
	c.made++
	day := cmp.Or(c.day, 2+c.made*7%20)
	c.day = 0
	return postgres.Imported{ID: uuid.NewSHA1(tenant, fmt.Append(nil, c.seed, c.made)), TenantID: tenant, Type: typ, Received: start,
		Data: json.RawMessage(fmt.Sprintf(`{"number":"%s","date":"2026-03-%02d","currency":"EUR","supplier":{"vat_id":"DE136695976"},
			"references":[%s],"line_items":[%s]}`, number, day, strings.Join(references, ","), lines))}
}

// delivery is a delivery note that cites orders.
func (c *citers) delivery(number, lines string, cites ...string) postgres.Imported {
	return c.document(document.DeliveryNote, number, lines, cites...)
}

func items(quantity int, of ...int) string {
	var lines []string
	for _, i := range of {
		lines = append(lines, fmt.Sprintf(`{"sku":"L-%d","quantity":"%d","unit_price":"%d.50"}`, i, quantity, i+3))
	}
	return strings.Join(lines, ",")
}

// many are an order of 210 units and n plain deliveries of it.
func (c *citers) many(n int, quantity func(i int) int) []postgres.Imported {
	docs := []postgres.Imported{c.document(document.PurchaseOrder, citedOrder, items(30, 0, 1, 2, 3, 4, 5, 6))}
	for i := range n {
		docs = append(docs, c.delivery(fmt.Sprintf("LS-%05d", 31*i+7), items(quantity(i), i%7), citedOrder))
	}
	return docs
}

func upToFive(i int) int { return i%5 + 1 }

func ten(int) int { return 10 }

// arrive inserts documents and matches them, one after the other.
func (f *fixture) arrive(docs ...postgres.Imported) {
	f.T.Helper()
	for _, d := range docs {
		f.Put(d.ID, tenant, d.Type, string(d.Data))
		f.match(d.ID)
	}
}

// However many plain pairs a document has, what is decided with a few of them is what
// the rules decide with all.
func TestFewPlainPairsDecide(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testenv.Size(4, 40)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			f, c := newFixture(t), &citers{seed: seed}
			random := rand.New(rand.NewPCG(seed, 34))
			arrive := func(docs ...postgres.Imported) {
				t.Helper()
				random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
				for i, d := range docs {
					f.Put(d.ID, tenant, d.Type, string(d.Data))
					if f.match(d.ID); i%8 == 7 || len(docs) < 8 {
						f.wantDecidedByAll(fmt.Sprintf("after %s, document %d of %d", d.Data, i, len(docs)))
					}
				}
			}
			change := func(id uuid.UUID, data string) {
				t.Helper()
				f.Exec("UPDATE document SET structured_data = "+data+" WHERE id = $1", id)
				f.match(id)
				f.wantDecidedByAll("after " + data)
			}
			number := func(d postgres.Imported, n string) { change(d.ID, `structured_data || '{"number":"`+n+`"}'`) }
			first := append(c.many(20, upToFive), c.delivery("LS-80001", items(30, 0, 1, 2, 3, 4, 5, 6), citedOrder)) // it fits best
			order, best := first[0].ID, first[len(first)-1].ID
			arrive(first[:1]...)
			arrive(slices.Clone(first[1:])...)

			asGood := c.delivery("LS-80002", items(30, 0, 1, 2, 3, 4, 5, 6), citedOrder)
			copies := []postgres.Imported{c.delivery("LS-00007", items(1, 0), citedOrder), c.delivery("LS-00007", items(9, 5), citedOrder),
				c.delivery("LS-00038", items(2, 2), citedOrder), c.delivery("LS-00069", items(3, 2), citedOrder)}
			arrive(append(copies, asGood)...)
			for i, n := range []int{1, 2, 3} { // one of two copies has another number, then the other
				number(copies[i+1], fmt.Sprintf("LS-7000%d", i))
				number(copies[i+1], fmt.Sprintf("LS-%05d", 31*n+7))
				number(first[n+1], fmt.Sprintf("LS-7100%d", i))
			}
			change(asGood.ID, `structured_data - 'references'`)
			change(asGood.ID, `structured_data || '{"references":[{"type":"purchase-order","number":"`+citedOrder+`"}]}'`)
			change(best, `structured_data || '{"currency":"CHF"}'`)
			change(best, `structured_data || '{"currency":"EUR"}'`)

			must.OK(t, f.says(order, asGood.ID, rules.Rejected))
			f.wantDecidedByAll("after a rejection")
			f.match(asGood.ID)
			arrive(c.delivery("LS-90002", items(1, 1), "45OOO1OO46"), c.delivery("LS-90003", items(1, 9), citedOrder),
				c.delivery("LS-90004", items(8, 3), citedOrder, "4500010099"),
				c.document(document.PurchaseOrder, "4500010099", items(8, 3)),
				c.document(document.Invoice, "RE-1", items(30, 0, 1, 2, 3, 4, 5, 6), citedOrder))
			f.match(order)
			f.wantDecidedByAll("matched again")
		})
	}
}

// A pair that is not plain depends on all others: the last plain delivery leaves no room
// for one whose citation may be misread.
func TestNonPlainReadsAll(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testenv.Size(5, 40)) { // in the fifth, the order's id is the smaller one
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			f, c := newFixture(t), &citers{seed: seed}
			docs := c.many(20, ten)
			f.arrive(docs[:20]...)
			f.arrive(c.delivery("LS-90005", items(15, 6), "45OOO1OO46"))
			f.wantDecidedByAll("after a delivery with a misread citation")
			f.arrive(docs[20])
			f.wantDecidedByAll("after a plain delivery")
		})
	}
}

// Of documents that are written together one may have a few pairs of an order read, and
// another have a pair of that order decided, a copy's.
func TestFewPlainPairsOfGroup(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testenv.Size(4, 40)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			f, c := newFixture(t), &citers{seed: seed}
			f.arrive(c.many(20, upToFive)...)
			// Both are dated before the order and have fewer points than others; the second one
			// is the copy.
			c.day = 8
			f.arrive(c.delivery("LS-60001", items(2, 2), citedOrder))
			c.day = 3
			f.arrive(c.delivery("LS-60001", items(2, 2), citedOrder, "4500010099"))
			group := []postgres.Imported{c.delivery("LS-60002", items(2, 3), citedOrder)}
			c.day = 2
			group = append(group, c.document(document.PurchaseOrder, "4500010099", items(2, 2)))
			for _, d := range group {
				f.Put(d.ID, tenant, d.Type, string(d.Data))
			}
			f.matchBatch(group, nil)
			f.wantDecidedByAll("after a group")
		})
	}
}

// meddler changes the database between reading candidates and writing.
type meddler struct {
	match.Store
	meddle func()
}

func (m *meddler) Candidates(ctx context.Context, drafts []*match.Draft) (map[job.Attempt]match.Block, error) {
	blocks, err := m.Store.Candidates(ctx, drafts)
	m.meddle()
	return blocks, err
}

// A pair that is plain when the candidates are read may not be so when it is written.
func TestPairStopsBeingPlain(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testenv.Size(3, 30)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			f, c := newFixture(t), &citers{seed: seed}
			docs := c.many(20, ten)
			f.arrive(docs...)
			last := c.delivery("LS-60001", items(15, 2), citedOrder)
			f.Put(last.ID, tenant, last.Type, string(last.Data))
			m := f.matcher()
			m.Store = &meddler{f.Store, func() {
				f.Exec(`UPDATE document SET structured_data = structured_data || '{"number":"45OOO10046"}' WHERE id = $1`, docs[0].ID)
			}}
			must.OK(t, job.Work(m.Match).One(t.Context(), f.Take(last.ID)))
			f.wantDecidedByAll("after the order has another number")
		})
	}
}

// wantDecidedByAll compares the stored matches and suggestions with those of the rules
// with all stored pairs.
func (f *fixture) wantDecidedByAll(when string) {
	f.T.Helper()
	ids := postgrestest.Values[uuid.UUID](f.T, f.Conn, "SELECT id FROM document")
	all := must.Get(f.Competition(f.T.Context(), ids...))(f.T)
	decided := must.Get(rules.Apply(f.T.Context(), all))(f.T)
	var want []string
	for kind, edges := range map[string][]rules.Edge{"match": decided.Matches, "suggestion": decided.Suggestions} {
		for _, e := range edges {
			want = append(want, fmt.Sprintf("%s %s %s %.6f %s %s", kind, e.A, e.B, e.Score, e.DecidedBy, e.Reasoning))
		}
	}
	got := postgrestest.Values[string](f.T, f.Conn, `SELECT format('match %s %s %s %s %s', document_a_id, document_b_id, to_char(score, 'FM0.000000'), decided_by, reasoning) FROM document_match
		UNION ALL SELECT format('suggestion %s %s %s %s %s', document_a_id, document_b_id, to_char(score, 'FM0.000000'), decided_by, reasoning) FROM match_suggestion`)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		f.T.Fatalf("%s, of %d pairs: %s", when, len(all.Pairs), firstDifference(strings.Join(got, "\n"), strings.Join(want, "\n")))
	}
}

// What is plain in SQL is plain in Go, by the whole evidence and in brief.
func TestPlainInSQL(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := &citers{}
	docs := append(c.many(7, upToFive), c.delivery("LS-90001", items(1, 9), citedOrder), c.delivery("LS-90002", items(1, 1), "45OOO1OO46"),
		c.delivery("LS-90005", items(5, 6)), c.delivery("LS-90007", items(5, 6), citedOrder))
	ids := make([]uuid.UUID, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
		f.Put(d.ID, tenant, d.Type, string(d.Data))
		f.match(d.ID)
	}
	must.OK(t, f.says(docs[0].ID, docs[len(docs)-1].ID, rules.Confirmed))
	all := must.Get(f.Competition(t.Context(), ids...))(t)
	var plain int
	for _, p := range all.Pairs {
		sql := postgrestest.Value[bool](t, f.Conn, "SELECT "+matches.PlainPair+" FROM match_pair WHERE document_a_id = $1 AND document_b_id = $2", p.A, p.B)
		brief := p
		brief.Evidence = p.Pair.Brief()
		if enough := p.Points >= score.MatchAt; p.Plain() != (sql && enough) || brief.Plain() != p.Plain() {
			t.Errorf("%s and %s, %d points: %v, in brief %v, in SQL %v; %+v", p.A, p.B, p.Points, p.Plain(), brief.Plain(), sql, p.Evidence)
		}
		if p.Plain() {
			plain++

		}
	}
	if plain < 5 || plain > len(all.Pairs)-4 {
		t.Errorf("%d of %d pairs are plain", plain, len(all.Pairs))
	}
}

// A delivery of an order that many deliveries cite reads as much as one of an order
// that a few cite.
func TestPlainPairsReadFew(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	w := listen(t, url, 0)
	f := with(&postgrestest.Fixture{DB: postgrestest.Open(t, w.url), Conn: postgrestest.Conn(t, url), T: t})
	f.Exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	var bytes []int64
	for _, d := range deliveries(160, true) {
		f.Put(d.ID, tenant, d.Type, string(d.Data))
		before := w.bytes.Load()
		f.match(d.ID)
		bytes = append(bytes, w.bytes.Load()-before)
	}
	few, many := slices.Max(bytes[58:64]), slices.Max(bytes[154:])
	if many > few+few/10 {
		t.Errorf("after 60 deliveries one costs %d bytes, after 155 %d", few, many)
	}
	// One that is a question, by its items, depends on all others, and they on it.
	for i, items := range []string{items(1, 9), `{"sku":"L-20","quantity":"2","unit_price":"50.00"}`} {
		d := (&citers{made: i}).delivery(fmt.Sprint("LS-9000", i), items, "4500010046")
		f.Put(d.ID, tenant, d.Type, strings.Replace(string(d.Data), `"supplier"`, `"currency":"EUR","supplier"`, 1))
		before := w.bytes.Load()
		f.match(d.ID)
		bytes = append(bytes, w.bytes.Load()-before)
	}
	if whole := bytes[len(bytes)-1]; whole < 2*many {
		t.Errorf("beside a question a delivery costs %d bytes, without %d", whole, many)
	}
}

// The few are read by the indexes of the expression.
func TestPlainPairIndexes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.arrive((&citers{}).many(24, upToFive)...)
	f.Exec("ANALYZE match_pair")
	f.Exec("SET enable_seqscan = off")
	p := f.Explain(`SELECT FROM match_pair WHERE document_a_id = $1 AND `+matches.PlainPair+` ORDER BY points DESC LIMIT 16`, num(1))
	p.WantIndexed(t, "match_pair_a_plain_idx")
	p = f.Explain(`SELECT FROM match_pair WHERE document_b_id = $1 AND NOT `+matches.PlainPair, num(1))
	p.WantIndexed(t, "match_pair_b_plain_idx")
}
