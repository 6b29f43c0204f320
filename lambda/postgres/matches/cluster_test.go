package matches_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

type pair struct{ A, B uuid.UUID }

// matched reads a tenant's edges and who decided them.
func matched(t *testing.T, conn *pgx.Conn, tenant uuid.UUID) map[pair]string {
	t.Helper()
	edges := map[pair]string{}
	var p pair
	var by string
	rows, _ := conn.Query(t.Context(), "SELECT document_a_id, document_b_id, decided_by FROM document_match WHERE tenant_id = $1", tenant)
	must.Get(pgx.ForEachRow(rows, []any{&p.A, &p.B, &by}, func() error { edges[p] = by; return nil }))(t)
	return edges
}

// checkClusters compares cluster_id of every document of a tenant with the
// edges, by walking from each document to all that it can reach.
func checkClusters(t *testing.T, conn *pgx.Conn, tenant uuid.UUID) {
	t.Helper()
	rows, _ := conn.Query(t.Context(), "SELECT id, type::text = 'contract', cluster_id FROM document WHERE tenant_id = $1", tenant)
	type row struct {
		ID       uuid.UUID
		Contract bool
		Cluster  *uuid.UUID
	}
	docs := must.Get(pgx.CollectRows(rows, pgx.RowToStructByPos[row]))(t)
	contract := map[uuid.UUID]bool{}
	for _, d := range docs {
		contract[d.ID] = d.Contract
	}
	neighbours := map[uuid.UUID][]uuid.UUID{}
	for p := range matched(t, conn, tenant) {
		if !contract[p.A] && !contract[p.B] {
			neighbours[p.A] = append(neighbours[p.A], p.B)
			neighbours[p.B] = append(neighbours[p.B], p.A)
		}
	}
	for _, d := range docs {
		seen := []uuid.UUID{d.ID}
		for i := 0; i < len(seen); i++ {
			for _, n := range neighbours[seen[i]] {
				if !slices.Contains(seen, n) {
					seen = append(seen, n)
				}
			}
		}
		want := uuid.Nil // NULL for a lone document
		if len(seen) > 1 {
			want = slices.MinFunc(seen, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		}
		got := uuid.Nil
		if d.Cluster != nil {
			got = *d.Cluster
		}
		if got != want {
			t.Errorf("document %s: cluster %s, want %s", d.ID, got, want)
		}
	}
}

func TestClusterIsSmallestID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(6)
	for _, step := range []struct {
		id       int
		partners []uuid.UUID
		want     string
	}{
		{4, []uuid.UUID{num(5)}, "0 0 0 4 4 0"},
		{2, []uuid.UUID{num(3)}, "0 2 2 4 4 0"},
		{3, []uuid.UUID{num(2), num(5)}, "0 2 2 2 2 0"}, // joins two
		{1, []uuid.UUID{num(4)}, "1 1 1 1 1 0"},         // a smaller one comes
		{5, []uuid.UUID{num(4)}, "1 2 2 1 1 0"},         // falls apart
		{2, nil, "1 0 0 1 1 0"},                         // the removed partner is alone
		{1, nil, "0 0 0 4 4 0"},
		{4, nil, "0 0 0 0 0 0"},
	} {
		f.decided(num(step.id), step.partners...)
		if got := f.clusters(); got != step.want {
			t.Errorf("after %d: got %s, want %s", step.id, got, step.want)
		}
	}
}

func TestContractsJoinNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(5)
	f.Exec("UPDATE document SET type = 'contract' WHERE id = $1", num(1))
	f.decided(num(1), num(2), num(3), num(4))
	postgrestest.Equal(t, "a contract and its documents", f.clusters(), "0 0 0 0 0")
	f.decided(num(2), num(1), num(5))
	postgrestest.Equal(t, "two of them", f.clusters(), "0 2 0 0 2")
	// What was taken for a contract, and then was none, and the other way round.
	f.Exec("UPDATE document SET type = 'invoice' WHERE id = $1", num(1))
	f.decided(num(1), num(2), num(3))
	postgrestest.Equal(t, "no contract after all", f.clusters(), "1 1 1 0 1")
	f.Exec("UPDATE document SET type = 'contract' WHERE id = $1", num(1))
	f.decided(num(1), num(2), num(3))
	postgrestest.Equal(t, "a contract again", f.clusters(), "0 2 0 0 2")
}

// An edge that stays counts although it was not decided again.
func TestFormerContractJoins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(3)
	f.Exec("UPDATE document SET type = 'contract' WHERE id = $1", num(2))
	f.byPerson("document_match", 2, 3)
	f.decided(num(2))
	postgrestest.Equal(t, "a contract", f.clusters(), "0 0 0")
	f.Exec("UPDATE document SET type = 'invoice' WHERE id = $1", num(2))
	f.decided(num(2))
	postgrestest.Equal(t, "no contract after all", f.clusters(), "0 2 2")
}

// I13, against a model: whatever is decided, about any documents and in any order, and however
// much happens between reading a block and writing the decision, the edges are the decided
// ones and the clusters follow them.
func TestClustersFollowEdges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testenv.Size(2, 6)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			random := rand.New(rand.NewPCG(seed, 0))
			const documents = 12
			for n := range documents {
				typ := document.Invoice
				if n%5 == 2 {
					typ = document.Contract
				}
				f.Put(num(n), tenant, typ, "{}")
			}
			type begun struct {
				fence job.Attempt
				block match.Block
			}
			atWork := map[uuid.UUID]begun{}
			want := map[pair]string{}
			for step := range 60 {
				id := num(random.IntN(documents))
				b, ok := atWork[id]
				if !ok {
					fence := f.Take(id)
					atWork[id] = begun{fence, f.block(fence, score.Normalized{})}
					continue
				}
				delete(atWork, id)
				d := decideAtRandom(random, id, documents)
				f.write(b.fence, score.Normalized{}, b.block, d)
				apply(want, id, d)
				if got := matched(t, f.Conn, tenant); !maps.Equal(got, want) {
					t.Fatalf("step %d: got edges %v, want %v", step, got, want)
				}
				if checkClusters(t, f.Conn, tenant); t.Failed() {
					t.Fatalf("step %d, with the edges %v", step, want)
				}
			}
		})
	}
}

func decideAtRandom(random *rand.Rand, id uuid.UUID, documents int) (d rules.Result) {
	for _, n := range random.Perm(documents)[:random.IntN(4)] {
		if num(n) == id {
			continue
		}
		e := edge(id, num(n))
		if random.IntN(10) == 0 {
			e.DecidedBy = "person"
		}
		d.Matches = append(d.Matches, e)
	}
	return d
}

// apply does to a set of edges what a write shall do.
func apply(edges map[pair]string, id uuid.UUID, d rules.Result) {
	for p, by := range edges {
		if (p.A == id || p.B == id) && by != "person" {
			delete(edges, p)
		}
	}
	for _, e := range d.Matches {
		if edges[pair{e.A, e.B}] != "person" {
			edges[pair{e.A, e.B}] = e.DecidedBy
		}
	}
}
