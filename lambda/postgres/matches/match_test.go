package matches_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	invoiceData = `{"number":"RE-7","supplier":{"name":"Müller GmbH","vat_id":"DE 1"},"references":[{"type":"purchase-order","number":"PO-45"}],"line_items":[{"description":"blue pen"}]}`
	orderData   = `{"number":"45","supplier":{"vat_id":"DE1"}}`
)

func TestNormalisedIsSaved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.Invoice, invoiceData)
	f.Exec("UPDATE document SET received_at = '2026-03-02T12:00:00Z'") // of its month, because it has no date
	f.match(num(1))
	var counterparty, references, text string
	var keys []string
	must.OK(t, f.Conn.QueryRow(t.Context(), "SELECT normalized_counterparty::text, normalized_references::text, searchable_text, match_keys FROM document").
		Scan(&counterparty, &references, &text, &keys))
	got := []string{counterparty, references, text, strings.Join(keys, " ")}
	want := []string{
		`{"supplier": {"name": "mueller", "vat_id": "DE1"}}`,
		`[{"raw": "PO-45", "type": "purchase-order", "canonical": "45"}]`,
		"RE-7 Müller GmbH blue pen",
		"00000000|cit|45 00000000|day|2026-03-02 00000000|item|DE1|blue pen|0 00000000|item|mnllcr|blue pen|0 " +
			"00000000|month|DE1|2026-03 00000000|month|mnllcr|2026-03 00000000|own|RE7 00000000|ref|45 00000000|ref|RE7 00000000|who|DE1 00000000|who|mnllcr",
	}
	postgrestest.EqualLists(t, "derived columns", got, want)
}

// Without references, the list is empty and not NULL.
func TestEmptyReferences(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.PurchaseOrder, "{}")
	f.match(num(1))
	var counterparty, references string
	must.OK(t, f.Conn.QueryRow(t.Context(), "SELECT normalized_counterparty::text, normalized_references::text FROM document").Scan(&counterparty, &references))
	if counterparty != "{}" || references != "[]" {
		t.Errorf("got %s and %s, want {} and []", counterparty, references)
	}
}

// An index entry is limited to about 2,700 bytes, a number is not.
func TestVeryLongNumber(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	random := rand.New(rand.NewPCG(1, 2)) // so that compression does not help
	number := make([]byte, 50_000)
	for i := range number {
		number[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[random.IntN(36)]
	}
	f.Put(num(1), tenant, document.PurchaseOrder, fmt.Sprintf(`{"number":"%s","supplier":{"vat_id":"DE1"}}`, number))
	f.Put(num(2), tenant, document.Invoice, fmt.Sprintf(`{"supplier":{"vat_id":"DE1"},"references":[{"type":"purchase-order","number":"%s"}]}`, number))
	f.match(num(1))
	f.match(num(2))
	postgrestest.Equal(t, "matches", f.edges("document_match"), "1-2 rules")
}

func TestLoad(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.Invoice, `{"total": "1.50"}`)
	f.Exec("UPDATE document SET received_at = now()")
	raw := must.Get(f.Load(t.Context(), f.Take(num(1))))(t)
	if raw.ID != num(1) || raw.TenantID != tenant || raw.Type != document.Invoice || raw.Data != `{"total": "1.50"}` || !raw.Received.Equal(start) {
		t.Errorf("got %+v", raw)
	}
	f.Exec(`UPDATE document SET structured_data = jsonb_build_object('notes', repeat('x', $1))`, document.MaxBytes)
	if raw, err := f.Load(t.Context(), f.Take(num(1))); err != nil || raw.Data != "" {
		t.Errorf("got %d bytes, %v; want data beyond the limit left out", len(raw.Data), err)
	}
}

func TestCandidatesShareKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	put := func(n int, tenant uuid.UUID, typ document.Type, keys ...string) {
		t.Helper()
		f.Put(num(n), tenant, typ, "{}")
		f.Exec("UPDATE document SET match_keys = $2 WHERE id = $1", num(n), keys)
	}
	put(9, tenant, document.Invoice, "k")
	put(2, tenant, document.PurchaseOrder, "a", "k")
	put(1, tenant, document.GoodsReceipt, "m", "z")
	put(3, tenant, document.PurchaseOrder, "a") // no common key
	put(4, otherTenant, document.PurchaseOrder, "k")
	put(5, tenant, document.Invoice, "k") // the same type
	put(6, tenant, document.PurchaseOrder, "k")
	f.Exec("UPDATE document SET structured_data = NULL WHERE id = $1", num(6))
	put(7, tenant, document.PurchaseOrder)
	n := score.Normalized{Tenant: tenant, Lookup: []string{"k", "m"}}
	b := must.Get(f.CandidatesOf(t.Context(), f.Take(num(9)), n, score.Matchable(document.Invoice)))(t)
	postgrestest.EqualLists(t, "candidates", candidates(b), []uuid.UUID{num(1), num(2)})
	if len(b.Candidates) > 0 && (b.Candidates[0].Type != document.GoodsReceipt || b.Candidates[0].TenantID != tenant || b.Candidates[0].Data != "{}") {
		t.Errorf("got %+v", b.Candidates[0])
	}
}

// Documents that it cites are compared again, whatever keys they have now, and those
// that it reaches.
func TestPartnersAreCandidates(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(6)
	f.paired(1, 3)
	f.paired(3, 4)
	f.paired(2, 5) // of other documents
	f.Exec(`UPDATE match_pair SET evidence = '[{"name":"cites","cited":"45"}]'`)
	f.paired(3, 5)
	f.Exec("UPDATE document SET match_keys = '{k}' WHERE id IN ($1, $2)", num(4), num(6))
	b := f.block(f.Take(num(3)), key("k"))
	want := []uuid.UUID{num(1), num(4), num(6)}
	if got := candidates(b); !slices.Equal(got, want) || !slices.Equal(b.Partners, want) {
		t.Errorf("got candidates %v, partners %v, want %v", got, b.Partners, want)
	}
}

func candidates(b match.Block) (ids []uuid.UUID) {
	for _, c := range b.Candidates {
		ids = append(ids, c.ID)
	}
	return ids
}

// I7: an attempt that lost the document changes no row in any table.
func TestWriteIsFenced(t *testing.T) {
	t.Parallel()
	for name, takeOver := range map[string]func(f *fixture, id uuid.UUID){
		"another attempt": func(f *fixture, id uuid.UUID) {
			f.Advance(2 * time.Minute)
			f.Deliver(job.Delivery{ID: id}, true)
		},
		"a publish": func(f *fixture, id uuid.UUID) {
			must.Get(f.Publish(f.T.Context(), []uuid.UUID{id}))(f.T)
		},
		"the same attempt, settled": func(f *fixture, id uuid.UUID) {
			f.Exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE id = $1", id)
		},
		"a settled attempt and another": func(f *fixture, id uuid.UUID) { f.Take(id) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Invoices(4)
			f.decided(num(1), num(2), num(4))
			fence := f.Take(num(1))
			block := f.block(fence, key("k"))
			takeOver(f, num(1))
			before := f.Dump(postgrestest.Tables...)
			_, load := f.Load(t.Context(), fence)
			_, candidates := f.CandidatesOf(t.Context(), fence, key("other"), document.Types)
			d := matchesOf(num(1), num(3))
			d.Suggestions = []rules.Edge{edge(num(1), num(4))}
			fresh, write := f.writeOnce(t.Context(), fence, key("k"), block, d)
			for op, err := range map[string]error{"load": load, "candidates": candidates, "write": write} {
				if !errors.Is(err, job.ErrFenceLost) {
					t.Errorf("%s: got %v, want fence lost", op, err)
				}
			}
			if after := f.Dump(postgrestest.Tables...); fresh != nil || after != before {
				t.Errorf("fresh block %+v; changed from\n%s\nto\n%s", fresh, before, after)
			}
		})
	}
}

func TestWriteSettles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(1)
	f.Exec("UPDATE document SET matching_error = 'busy', matching_failed_at = now(), matching_due_at = now()")
	f.decided(num(1))
	postgrestest.Equal(t, "state", f.State(num(1)), postgrestest.State{Status: "succeeded", Attempts: 1})
}

func TestWriteReplacesEdges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(6)
	f.decided(num(5), num(6))
	f.decided(num(2), num(1), num(3))
	fence := f.Take(num(2))
	block := f.block(fence, key("k"))
	d := matchesOf(num(2), num(3), num(4)) // 1 goes, 3 stays, 4 comes
	d.Suggestions = []rules.Edge{edge(num(2), num(5))}
	f.write(fence, key("k"), block, d)
	postgrestest.Equal(t, "matches", f.edges("document_match"), "2-3 rules, 2-4 rules, 5-6 rules")
	postgrestest.Equal(t, "suggestions", f.edges("match_suggestion"), "2-5 rules")
	postgrestest.Equal(t, "clusters", f.clusters(), "0 2 2 2 5 5")
	// What was a suggestion becomes a match and the other way round.
	fence = f.Take(num(2))
	block = f.block(fence, key("k"))
	d = matchesOf(num(2), num(5))
	d.Suggestions = []rules.Edge{edge(num(2), num(3))}
	f.write(fence, key("k"), block, d)
	postgrestest.Equal(t, "then", f.edges("document_match")+"; "+f.edges("match_suggestion"), "2-5 rules, 5-6 rules; 2-3 rules")
	postgrestest.Equal(t, "then clusters", f.clusters(), "0 2 0 0 2 2")
}

// I12: the last of many edges is refused, and no row of any table changes.
func TestEdgesAllOrNone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(*rules.Edge)
		code  string
	}{
		"score beyond 1":  {func(e *rules.Edge) { e.Score = 1.5 }, "23514"},
		"ends in reverse": {func(e *rules.Edge) { e.A, e.B = e.B, e.A }, "23514"},
		"another tenant":  {func(e *rules.Edge) { e.B = num(9) }, "23503"}, // I14
		"no document":     {func(e *rules.Edge) { e.B = num(99) }, "23503"},
		"low confidence":  {func(e *rules.Edge) { e.Confidence = "low" }, "23514"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Invoices(4)
			f.Put(num(9), otherTenant, document.Invoice, "{}")
			f.decided(num(1), num(2))
			fence := f.Take(num(1))
			block := f.block(fence, key("k"))
			unchanged := f.Unchanged(postgrestest.Tables...)
			d := matchesOf(num(1), num(3), num(4))
			tc.spoil(&d.Matches[1])
			_, err := f.writeOnce(t.Context(), fence, key("k"), block, d)
			var pgErr *pgconn.PgError
			if !errors.As(err, &pgErr) || pgErr.Code != tc.code {
				t.Errorf("got %v, want SQLSTATE %s", err, tc.code)
			}
			unchanged("afterwards")
		})
	}
}

func TestWriteKeepsDecisions(t *testing.T) {
	t.Parallel()
	none, all := rules.Result{}, matchesOf(num(2), num(1), num(3))
	undecided := rules.Result{Suggestions: all.Matches}
	for _, tc := range []struct {
		name, table string
		result      rules.Result
		matches     string
		suggestions string
	}{
		{"confirmed, then not found", "document_match", none, "1-2 person, 2-3 person", ""},
		{"confirmed, then found", "document_match", all, "1-2 person, 2-3 person", ""},
		{"confirmed, then undecided", "document_match", undecided, "1-2 person, 2-3 person", ""},
		{"rejected, then not found", "match_suggestion", none, "", "1-2 person, 2-3 person"},
		{"rejected, then found", "match_suggestion", all, "", "1-2 person, 2-3 person"},
		{"rejected, then undecided", "match_suggestion", undecided, "", "1-2 person, 2-3 person"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Invoices(3)
			f.byPerson(tc.table, 1, 2)
			f.byPerson(tc.table, 2, 3)
			unchanged := f.Unchanged(tc.table)
			fence := f.Take(num(2))
			f.write(fence, key("k"), f.block(fence, key("k")), tc.result)
			if m, s := f.edges("document_match"), f.edges("match_suggestion"); m != tc.matches || s != tc.suggestions {
				t.Errorf("got matches %q, suggestions %q; want %q, %q", m, s, tc.matches, tc.suggestions)
			}
			unchanged("afterwards")
		})
	}
}

// A block that has changed is not overwritten: Write returns the new one.
func TestLatePairIsScored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(5)
	f.decided(num(2), num(1))
	fence := f.Take(num(2))
	block := f.block(fence, key("k"))
	f.decided(num(3), num(2))
	unchanged := f.Unchanged(postgrestest.Tables...)
	fresh, err := f.writeOnce(t.Context(), fence, key("k"), block, matchesOf(num(2), num(4)))
	if err != nil || fresh == nil {
		t.Fatalf("got %v, %v; want a fresh block", fresh, err)
	}
	if want := []uuid.UUID{num(1), num(3)}; !slices.Equal(fresh.Partners, want) || !slices.Equal(candidates(*fresh), want) {
		t.Errorf("got partners %v, candidates %v; want %v", fresh.Partners, candidates(*fresh), want)
	}
	unchanged("afterwards")
}

// I11: a second run writes no row again, not even with the same values.
func TestMatchIsIdempotent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.PurchaseOrder, orderData)
	f.Put(num(2), tenant, document.Invoice, invoiceData)
	f.Put(num(3), tenant, document.GoodsReceipt, `{"supplier":{"vat_id":"DE1"},"references":[{"type":"purchase-order","number":"45"}]}`)
	all := []uuid.UUID{num(1), num(2), num(3)}
	for _, id := range all {
		f.match(id)
	}
	edges, documents := f.Dump("document_match", "match_suggestion"), f.documents()
	if got := f.edges("document_match") + "; " + f.edges("match_suggestion"); got != "1-2 rules, 1-3 rules, 2-3 rules; " {
		t.Fatalf("got %s", got)
	}
	f.Advance(time.Hour)
	for _, id := range all {
		f.match(id)
		if now := f.Dump("document_match", "match_suggestion"); now != edges {
			t.Errorf("edges changed from\n%s\nto\n%s", edges, now)
		}
		if now := f.documents(); !maps.Equal(now, documents) {
			t.Errorf("documents changed from\n%v\nto\n%v", documents, now)
		}
	}
}

// documents is every document without its count of attempts.
func (f *fixture) documents() map[uuid.UUID]string {
	f.T.Helper()
	const sql = "SELECT id, (to_jsonb(d) - 'matching_attempts' - 'updated_at')::text FROM document AS d"
	return must.Get(postgres.Map[map[uuid.UUID]string](f.T.Context(), f.Conn, sql))(f.T)
}

func TestChangedEdgeIsWritten(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*rules.Edge){
		"score":      func(e *rules.Edge) { e.Score = 0.8 },
		"decided by": func(e *rules.Edge) { e.DecidedBy = "model" },
		"reasoning":  func(e *rules.Edge) { e.Reasoning = "because of that" },
		"evidence":   func(e *rules.Edge) { e.Evidence = []score.Evidence{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Invoices(3)
			d := matchesOf(num(1), num(2))
			d.Suggestions = []rules.Edge{edge(num(1), num(3))}
			fence := f.Take(num(1))
			f.write(fence, key("k"), f.block(fence, key("k")), d)
			f.Advance(time.Hour)
			change(&d.Matches[0])
			change(&d.Suggestions[0])
			fence = f.Take(num(1))
			f.write(fence, key("k"), f.block(fence, key("k")), d)
			for _, table := range []string{"document_match", "match_suggestion"} {
				var at time.Time
				var got rules.Edge
				err := f.Conn.QueryRow(t.Context(), "SELECT created_at, score, decided_by, reasoning, evidence FROM "+table).
					Scan(&at, &got.Score, &got.DecidedBy, &got.Reasoning, &got.Evidence)
				want := d.Matches[0]
				if err != nil || got.Score != want.Score || got.DecidedBy != want.DecidedBy || got.Reasoning != want.Reasoning ||
					!slices.Equal(got.Evidence, want.Evidence) || !at.Equal(start.Add(time.Hour)) {
					t.Errorf("%s: got %+v of %s, %v", table, got, at, err)
				}
			}
		})
	}
}

func TestChangedBlockReturns(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change string
		want   []uuid.UUID
	}{
		"a new one":                {"UPDATE document SET match_keys = '{k}' WHERE id = $1", []uuid.UUID{num(2), num(3), num(4)}},
		"one with other data":      {`UPDATE document SET structured_data = '{"total": "1"}' WHERE id <> $1`, []uuid.UUID{num(2), num(4)}},
		"one of another type":      {"UPDATE document SET type = 'contract' WHERE id <> $1", []uuid.UUID{num(2), num(4)}},
		"one that has left":        {"UPDATE document SET match_keys = '{}' WHERE id <> $1", []uuid.UUID{num(4)}},
		"one without its data now": {"UPDATE document SET structured_data = NULL WHERE id <> $1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Invoices(4)
			f.Exec("UPDATE document SET match_keys = '{k}' WHERE id = $1", num(2))
			f.decided(num(1), num(4))
			fence := f.Take(num(1))
			block := f.block(fence, key("k"))
			f.Exec(tc.change, num(3))
			unchanged := f.Unchanged(postgrestest.Tables...)
			fresh, err := f.writeOnce(t.Context(), fence, key("k"), block, matchesOf(num(1), num(2)))
			if err != nil || fresh == nil {
				t.Fatalf("got %v, %v; want a fresh block", fresh, err)
			}
			if got := candidates(*fresh); !slices.Equal(got, tc.want) || len(fresh.Partners) != len(tc.want) {
				t.Errorf("got candidates %v, partners %v", candidates(*fresh), fresh.Partners)
			}
			unchanged("afterwards")
			f.write(fence, key("k"), *fresh, matchesOf(num(1), num(3))) // what was scored again is taken
			// With Score, Write returns no fresh block: it scores what it finds.
			f.Exec("UPDATE document SET structured_data = '{}' WHERE structured_data IS NULL")
			fence = f.Take(num(1))
			var asked []uuid.UUID
			f.scores = func(found []score.Raw) []score.Pair {
				asked = candidates(match.Block{Candidates: found})
				pairs, _ := asPairs(matchesOf(num(1), num(3)))
				return pairs
			}
			if fresh, err := f.writeOnce(t.Context(), fence, key("k"), block, matchesOf(num(1), num(3))); err != nil || fresh != nil {
				t.Errorf("with Score: got %v, %v", fresh, err)
			}
			if len(asked) == 0 || f.edges("document_match") != "1-3 rules" {
				t.Errorf("with Score: asked about %v, matches %s", asked, f.edges("document_match"))
			}
		})
	}
}
