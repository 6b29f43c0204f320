package matches_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// I11: whatever the order in which documents arrive, and however their
// matching overlaps, the matches, suggestions and clusters are the same;
// and matching them again changes no row.
func TestAnyOrderOfArrival(t *testing.T) {
	t.Parallel()
	for name, docs := range map[string][]corpus.Document{
		"sample": sampleDocuments(t), "corpus": corpusPart(t, testenv.Size(60, 300)), "names": renamedDocuments(), "bounds": beyondReach(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(docs) == 0 {
				t.Skip("without corpora: set MATCHBOOK_SHARED to the folder that holds them")
			}
			if name == "bounds" {
				testenv.OnlyThorough(t, "matches hundreds of look-alikes")
			}
			shuffles := uint64(testenv.Size(2, 20))
			if name == "names" {
				shuffles *= 2
			}
			var mu sync.Mutex
			var first string
			for seed := range shuffles {
				t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
					t.Parallel()
					w := newWorkshop(t, docs)
					random := rand.New(rand.NewPCG(seed, 1))
					w.matchAll(random, 3)
					if name == "names" {
						w.confirm(random, docs)
					}
					outcome := w.dump(false)
					mu.Lock()
					if first == "" {
						first = outcome
					}
					same := first == outcome
					mu.Unlock()
					if !same {
						t.Errorf("another order, another outcome: %s", firstDifference(first, outcome))
					}
					if name == "names" && !strings.Contains(outcome, "known-name") {
						t.Error("no name is known in the outcome")
					}
					rows := w.dump(true)
					w.matchAll(rand.New(rand.NewPCG(seed, 2)), 3)
					if again := w.dump(true); again != rows {
						t.Errorf("matching again changed rows: %s", firstDifference(rows, again))
					}
					if strings.Count(outcome, "\n") < len(docs)/2 {
						t.Errorf("the outcome of %d documents proves little:\n%s", len(docs), outcome)
					}
				})
			}
		})
	}
}

// beyondReach are documents of one supplier of which some have more like them between
// them than a search reaches: orders and invoices that fit each other, with
// confirmations among them, the first and the last of which cite each other in a form
// that is no key; and an order with deliveries that cite it.
func beyondReach() (docs []corpus.Document) {
	equal := alike(28)
	for i := range equal {
		if i%10 != 2 && i%10 != 7 {
			equal[i].Type = document.OrderConfirmation
		}
	}
	ends := alike(1)
	for i, as := range []struct{ id, from, to string }{
		{"00000000-0000-4000-8000-000000000001", `"PO-00000"`, `"BC-0141"`},
		{"ffffffff-ffff-4fff-bfff-ffffffffffff", `"RE-00003"`, `"RE-1","references":[{"type":"purchase-order","number":"0141"}]`},
	} {
		ends[i].ID = uuid.MustParse(as.id)
		ends[i].Data = bytes.Replace(ends[i].Data, []byte(as.from), []byte(as.to), 1)
	}
	for _, d := range slices.Concat(equal, ends, deliveries(54, true)) {
		docs = append(docs, corpus.Document{ID: d.ID, TenantID: d.TenantID, Type: d.Type, Received: start, Data: d.Data})
	}
	return docs
}

// Many documents of one company that arrive at once are each other's
// candidates, and there is a new one each time that it is read. None of
// them gives up over it.
func TestManyArriveAtOnce(t *testing.T) {
	t.Parallel()
	var docs []corpus.Document
	for n := range 120 {
		typ, number := document.PurchaseOrder, fmt.Sprintf("45%05d", n/2)
		references := ""
		if n%2 == 1 {
			typ, references = document.Invoice, `,"references":[{"type":"purchase-order","number":"`+number+`"}]`
		}
		docs = append(docs, corpus.Document{ID: num(n + 1), TenantID: tenant, Type: typ,
			Data: json.RawMessage(fmt.Sprintf(`{"number":"%s","date":"2026-03-02","supplier":{"name":"Lampenhaus Wittmann"}%s,"line_items":[{"sku":"L-20","quantity":"%d"}]}`, number, references, n/2+1))})
	}
	w := newWorkshop(t, docs)
	w.matchAll(rand.New(rand.NewPCG(1, 1)), 10)
	if got := strings.Count(w.dump(false), `"decided_by": "rules"`); got < 60 {
		t.Errorf("%d matches and suggestions, want at least the 60 that are cited", got)
	}
}

// workshop is a database with documents that are matched by several workers.
type workshop struct {
	*fixture
	ids []uuid.UUID
}

func newWorkshop(t *testing.T, docs []corpus.Document) *workshop {
	t.Helper()
	url := postgrestest.URL(t)
	w := &workshop{fixture: with(&postgrestest.Fixture{DB: postgrestest.Open(t, url), Conn: postgrestest.Conn(t, url), T: t})}
	imported := make([]postgres.Imported, len(docs))
	for i, d := range docs {
		imported[i] = postgres.Imported{ID: d.ID, TenantID: d.TenantID, Type: d.Type, Received: d.Received, Data: d.Data}
		w.ids = append(w.ids, d.ID)
	}
	must.Get(w.Add(t.Context(), imported, postgres.AddOptions{Replace: true, Send: true}))(t)
	return w
}

// claim claims a document as soon as no other writer has its row.
func (w *workshop) claim(id uuid.UUID) (job.Claim, error) {
	for {
		claims, err := w.Claim(w.T.Context(), []job.Delivery{{ID: id}}, time.Minute, false)
		if err != nil || claims[0].Found != job.Busy {
			return append(claims, job.Claim{})[0], err
		}
	}
}

// matchAll matches all documents in a random order, some at a time, and then the ones that
// were published meanwhile.
func (w *workshop) matchAll(random *rand.Rand, atOnce int) {
	w.T.Helper()
	w.matchSome(w.ids, random, atOnce)
	w.matchPending(random, atOnce)
	// So that they can be claimed again.
	must.Get(w.Conn.Exec(w.T.Context(), "UPDATE document SET matching_status = NULL"))(w.T)
}

func (w *workshop) matchPending(random *rand.Rand, atOnce int) {
	w.T.Helper()
	for round := 0; ; round++ {
		ids := postgrestest.Values[uuid.UUID](w.T, w.Conn, "SELECT id FROM document WHERE matching_status = 'pending' ORDER BY id")
		if round > 20 {
			w.T.Fatalf("round %d: %d documents are pending", round, len(ids))
		}
		if len(ids) == 0 {
			return
		}
		w.matchSome(ids, random, atOnce)
	}
}

func (w *workshop) matchSome(ids []uuid.UUID, random *rand.Rand, atOnce int) {
	w.T.Helper()
	order := make(chan uuid.UUID, len(ids))
	for _, i := range random.Perm(len(ids)) {
		order <- ids[i]
	}
	close(order)
	m := &match.Matcher{Store: w.Store, Log: slog.New(slog.DiscardHandler)}
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for id := range order {
				claim, err := w.claim(id)
				if err == nil {
					err = job.Work(m.Match).One(w.T.Context(), claim.Attempt)
				}
				if err != nil {
					w.T.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	workers.Wait()
	if w.T.Failed() {
		w.T.FailNow()
	}
}

// dump lists what was decided, without times, or with the transactions that
// wrote it: a row written again with the same values is another row.
func (w *workshop) dump(rows bool) string {
	w.T.Helper()
	var out strings.Builder
	for _, sql := range []string{
		"SELECT CASE WHEN $1 THEN xmin::text ELSE '' END || (to_jsonb(m) - 'created_at')::text FROM document_match AS m ORDER BY document_a_id, document_b_id",
		"SELECT CASE WHEN $1 THEN xmin::text ELSE '' END || (to_jsonb(s) - 'created_at')::text FROM match_suggestion AS s ORDER BY document_a_id, document_b_id",
		"SELECT CASE WHEN $1 THEN xmin::text ELSE '' END || to_jsonb(p)::text FROM match_pair AS p ORDER BY document_a_id, document_b_id",
		"SELECT CASE WHEN $1 THEN xmin::text ELSE '' END || to_jsonb(n)::text FROM party_name AS n ORDER BY document_id",
		"SELECT CASE WHEN $1 THEN '' ELSE '' END || id || ' ' || cluster_id FROM document WHERE cluster_id IS NOT NULL ORDER BY id",
	} {
		list := postgrestest.Values[string](w.T, w.Conn, sql, rows)
		out.WriteString(strings.Join(list, "\n") + "\n")
	}
	return out.String()
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d is\n%s\nand\n%s", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// sampleDocuments are the documents of the repository's sample with separate files and ids.
func sampleDocuments(t *testing.T) (docs []corpus.Document) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "documents", "*", "*.json"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files in the sample, %v", len(files), err)
	}
	for _, name := range files {
		raw := must.Get(os.ReadFile(name))(t)
		if !strings.HasPrefix(string(raw), "{") || !strings.Contains(string(raw), `"id"`) {
			continue
		}
		d := must.Get(corpus.ReadDocuments(name, strings.NewReader(strings.ReplaceAll(string(raw), "\n", " "))))(t)
		docs = append(docs, d...)
	}
	return docs
}

// corpusPart is the documents of some suppliers, n or a few more, corrupted;
// nil where the corpora are not.
func corpusPart(t *testing.T, n int) (docs []corpus.Document) {
	t.Helper()
	shared := cmp.Or(os.Getenv("MATCHBOOK_SHARED"), filepath.Join("..", "..", "..", "shared"))
	name := filepath.Join(shared, "eval", "matching", "p2p", "documents.corrupted.jsonl")
	file, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	all := must.Get(corpus.ReadDocuments(name, file))(t)
	suppliers := map[string][]corpus.Document{}
	var names []string
	for _, d := range all {
		var data struct{ Supplier struct{ Name string } }
		must.OK(t, json.Unmarshal(d.Data, &data))
		key := d.TenantID.String() + data.Supplier.Name
		if suppliers[key] == nil {
			names = append(names, key)
		}
		suppliers[key] = append(suppliers[key], d)
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(suppliers[b]) - len(suppliers[a]) })
	for _, name := range names {
		if len(docs) < n {
			docs = append(docs, suppliers[name]...)
		}
	}
	return docs
}
