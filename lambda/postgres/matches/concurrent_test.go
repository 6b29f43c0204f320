package matches_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// paper is a document of a scenario. It cites orders by their names.
type paper struct {
	name  string
	typ   document.Type
	cites string
}

func (p paper) data() string {
	var references []string
	for cited := range strings.FieldsSeq(p.cites) {
		references = append(references, `{"type":"purchase-order","number":"`+cited+`"}`)
	}
	return `{"number":"` + p.name + `","supplier":{"vat_id":"DE1"},"references":[` + strings.Join(references, ",") + `]}`
}

// scenarios are documents that arrive at the same moment, among others that
// were matched before, and what must come out. Arriving first or last must
// make no difference.
var scenarios = []struct {
	name              string
	settled, arriving []paper
	matches           string
	suggestions       string
}{
	{
		name:     "both of a pair",
		arriving: []paper{{"o1", document.PurchaseOrder, ""}, {"i1", document.Invoice, "o1"}},
		matches:  "i1-o1",
	},
	{
		name: "four that join three clusters",
		settled: []paper{
			{"o1", document.PurchaseOrder, ""}, {"o2", document.PurchaseOrder, ""}, {"o3", document.PurchaseOrder, ""},
			{"c1", document.OrderConfirmation, "o1"}, {"c2", document.OrderConfirmation, "o2"}, {"c3", document.OrderConfirmation, "o3"},
		},
		arriving: []paper{
			{"i1", document.Invoice, "o1 o2"}, {"i2", document.Invoice, "o2 o3"},
			{"d1", document.DeliveryNote, "o3 o1"}, {"d2", document.DeliveryNote, "o2"},
		},
		matches: "c1-o1 c2-o2 c3-o3 i1-o1 i1-o2 i2-o2 i2-o3 d1-o3 d1-o1 d2-o2",
		// Each invoice fits both delivery notes equally well.
		suggestions: "d1-i1 d1-i2 d2-i1 d2-i2",
	},
}

// I13: the edges and clusters are exact however the matching of documents
// that belong together overlaps, and no worker sees an error of it.
func TestConcurrentMatches(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	db := postgrestest.Open(t, url)
	matchAtOnce(t, url, testenv.Size(2, 50), db)
}

// What a server has for a default changes nothing.
func TestMatchesAtAnyIsolation(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"serializable", "repeatable read"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			address := postgrestest.URL(t)
			conn := postgrestest.Conn(t, address)
			postgrestest.Exec(t, conn, fmt.Sprintf("ALTER DATABASE %q SET default_transaction_isolation = '%s'", conn.Config().Database, level))
			matchAtOnce(t, address, testenv.Size(1, 10), postgrestest.Open(t, address))
		})
	}
}

// matchAtOnce plays the scenarios, in separate tenants, with ids in another order, so many
// rounds each. The workers use the stores in turn.
func matchAtOnce(t *testing.T, url string, rounds int, dbs ...*postgres.DB) {
	var both []stores
	for _, db := range dbs {
		both = append(both, storesOf(db))
	}
	lanes := uint64(testenv.Size(len(meetings), 10))
	for i, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			for seed := range lanes {
				t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
					t.Parallel()
					l := &lane{t: t, stores: both, conn: postgrestest.Conn(t, url), ids: map[string]uuid.UUID{}}
					l.exec("SET default_transaction_isolation = 'read committed'") // what is tested names its own
					random := rand.New(rand.NewPCG(seed, uint64(i)))
					l.tenant = randomID(random)
					l.insert(random, slices.Concat(s.settled, s.arriving))
					for _, p := range s.settled {
						must.OK(t, l.work(both[0], l.ids[p.name], func(string) {}))
					}
					l.remember()
					for round := range rounds {
						l.reset(s.arriving)
						l.atOnce(s.arriving, meetings[(round+int(seed))%len(meetings)])
						l.check(s.matches, s.suggestions)
						if t.Failed() {
							t.Fatalf("in round %d", round)
						}
					}
				})
			}
		})
	}
}

// meetings are the points at which the workers of a round wait for each
// other, so that they overlap in different ways.
var meetings = []string{"claim", "claim load", "claim write", "claim load write"}

// lane is a tenant with documents that are matched again and again.
type lane struct {
	t       *testing.T
	stores  []stores
	conn    *pgx.Conn
	tenant  uuid.UUID
	ids     map[string]uuid.UUID
	cluster map[uuid.UUID]*uuid.UUID // before anybody arrives
}

func randomID(random *rand.Rand) (id uuid.UUID) {
	for i := range id {
		id[i] = byte(random.Uint32())
	}
	return id
}

func (l *lane) exec(sql string, args ...any) {
	l.t.Helper()
	must.Get(l.conn.Exec(l.t.Context(), sql, args...))(l.t)
}

func (l *lane) insert(random *rand.Rand, papers []paper) {
	l.t.Helper()
	l.exec("INSERT INTO tenant VALUES ($1, 'Testers')", l.tenant)
	for _, p := range papers {
		l.ids[p.name] = randomID(random)
		l.exec("INSERT INTO document (id, tenant_id, type, structured_data) VALUES ($1, $2, $3::text::document_type, $4)",
			l.ids[p.name], l.tenant, p.typ, p.data())
	}
}

func (l *lane) clusters() map[uuid.UUID]*uuid.UUID {
	l.t.Helper()
	clusters := map[uuid.UUID]*uuid.UUID{}
	rows, _ := l.conn.Query(l.t.Context(), "SELECT id, cluster_id FROM document WHERE tenant_id = $1", l.tenant)
	var id uuid.UUID
	var cluster *uuid.UUID
	must.Get(pgx.ForEachRow(rows, []any{&id, &cluster}, func() error { clusters[id] = cluster; return nil }))(l.t)
	return clusters
}

func (l *lane) remember() { l.cluster = l.clusters() }

// reset undoes what the arrival of these documents did.
func (l *lane) reset(arriving []paper) {
	l.t.Helper()
	var ids []uuid.UUID
	for _, p := range arriving {
		ids = append(ids, l.ids[p.name])
	}
	for _, table := range []string{"document_match", "match_pair", "match_suggestion"} {
		l.exec("DELETE FROM "+table+" WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1)", ids)
	}
	l.exec("UPDATE document SET matching_status = NULL, match_keys = NULL WHERE id = ANY ($1)", ids)
	for id, cluster := range l.cluster {
		l.exec("UPDATE document SET cluster_id = $2 WHERE id = $1", id, cluster)
	}
}

// work does what a worker does for one document. It calls meet before each
// of its steps.
func (l *lane) work(db stores, id uuid.UUID, meet func(point string)) error {
	ctx := context.Background()
	meet("claim")
	claims, err := db.Claim(ctx, []job.Delivery{{ID: id}}, time.Minute, false)
	if err != nil {
		return err
	}
	if claims[0].Found != 0 || claims[0].Suspect {
		return fmt.Errorf("claim found %+v", claims[0])
	}
	meet("load")
	m := &match.Matcher{Store: store{db, meet}, Log: slog.New(slog.DiscardHandler)}
	return job.Work(m.Match).One(ctx, claims[0].Attempt)
}

// store is the store with a meeting before its writes.
type store struct {
	match.Store
	meet func(point string)
}

func (s store) Write(ctx context.Context, t match.Turn) (match.Written, error) {
	s.meet("write")
	return s.Store.Write(ctx, t)
}

// atOnce matches the documents, each in a goroutine, which wait for each
// other once at each of the points.
func (l *lane) atOnce(papers []paper, points string) {
	l.t.Helper()
	arrived := map[string]*sync.WaitGroup{}
	for point := range strings.FieldsSeq(points) {
		arrived[point] = &sync.WaitGroup{}
		arrived[point].Add(len(papers))
	}
	var all sync.WaitGroup
	for i, p := range papers {
		all.Go(func() {
			missing := maps.Clone(arrived)
			meet := func(point string) {
				if here := missing[point]; here != nil {
					delete(missing, point)
					here.Done()
					here.Wait()
				}
			}
			if err := l.work(l.stores[i%len(l.stores)], l.ids[p.name], meet); err != nil {
				l.t.Errorf("%s: %v", p.name, err)
			}
			for _, here := range missing { // no worker waits for a failed one
				here.Done()
			}
		})
	}
	all.Wait()
}

func (l *lane) check(matches, suggestions string) {
	l.t.Helper()
	for table, want := range map[string]string{"document_match": matches, "match_suggestion": suggestions} {
		postgrestest.EqualLists(l.t, table, l.pairs(table), l.wanted(want))
	}
	checkClusters(l.t, l.conn, l.tenant)
	open := postgrestest.Value[int](l.t, l.conn, "SELECT count(*) FROM document WHERE tenant_id = $1 AND matching_status IS DISTINCT FROM 'succeeded'", l.tenant)
	if open > 0 {
		l.t.Errorf("%d documents did not succeed", open)
	}
}

// pairs lists the edges of a table by the names of the documents.
func (l *lane) pairs(table string) []string {
	l.t.Helper()
	names := map[uuid.UUID]string{}
	for name, id := range l.ids {
		names[id] = name
	}
	rows, _ := l.conn.Query(l.t.Context(), "SELECT document_a_id, document_b_id FROM "+table+" WHERE tenant_id = $1", l.tenant)
	edges := must.Get(pgx.CollectRows(rows, pgx.RowToStructByPos[pair]))(l.t)
	var list []string
	for _, e := range edges {
		list = append(list, inOrder(names[e.A], names[e.B]))
	}
	slices.Sort(list)
	return list
}

func (l *lane) wanted(pairs string) (list []string) {
	for p := range strings.FieldsSeq(pairs) {
		a, b, _ := strings.Cut(p, "-")
		list = append(list, inOrder(a, b))
	}
	slices.Sort(list)
	return list
}

func inOrder(a, b string) string { return min(a, b) + "-" + max(a, b) }
