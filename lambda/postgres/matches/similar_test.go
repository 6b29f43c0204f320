package matches_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// oneVector embeds every text alike, and counts.
type oneVector struct{ texts int }

func (e *oneVector) Name() string { return "one" }

func (e *oneVector) Embed(_ context.Context, texts []string) ([]llm.Vector, llm.Usage, error) {
	e.texts += len(texts)
	vectors := make([]llm.Vector, len(texts))
	for i := range vectors {
		vectors[i] = llm.Vector{0.5, 0.5, 0.5, 0.5}
	}
	return vectors, llm.Usage{PromptTokens: 7 * len(texts)}, nil
}

// crashing is a store that loses its first write.
type crashing struct {
	match.Store
	crashed bool
}

var errCrash = errors.New("the process is gone")

func (s *crashing) Write(ctx context.Context, t match.Turn) (match.Written, error) {
	if !s.crashed {
		s.crashed = true
		return match.Written{}, errCrash
	}
	return s.Store.Write(ctx, t)
}

// I16: what was embedded before a crash is not embedded again after it, and
// documents that share nothing but the company find each other by it.
func TestEmbeddingBoughtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const supplier = `"supplier":{"vat_id":"DE136695976"}`
	f.Put(num(1), tenant, document.PurchaseOrder, `{"number":"4500000107","date":"2025-11-20",`+supplier+`,"line_items":[{"sku":"L-20","quantity":"3","unit_price":"10"}]}`)
	f.Put(num(2), tenant, document.Invoice, `{"number":"RE-1","date":"2026-03-02",`+supplier+`,"line_items":[{"sku":"L-20","quantity":"2","unit_price":"10"}]}`)
	f.Put(num(3), otherTenant, document.Invoice, `{"number":"RE-1","date":"2026-03-02",`+supplier+`,"line_items":[{"sku":"L-20","quantity":"2","unit_price":"10"}]}`)
	embedder := &oneVector{}
	for n := 1; n <= 3; n++ {
		m := &match.Matcher{Store: &crashing{Store: f.Store}, Log: slog.New(slog.DiscardHandler),
			Embeddings: &llm.Embeddings{Embedder: embedder, Vault: f.DB}}
		if err := job.Work(m.Match).One(t.Context(), f.Take(num(n))); !errors.Is(err, errCrash) {
			t.Fatalf("document %d: got %v", n, err)
		}
		must.OK(t, job.Work(m.Match).One(t.Context(), f.Take(num(n))), "document", n)
	}
	if embedder.texts != 3 { // the other tenant's is its own
		t.Errorf("%d texts were embedded, want 3", embedder.texts)
	}
	c, err := f.Competition(t.Context(), num(1))
	if err != nil || len(c.Pairs) != 1 || !slices.ContainsFunc(c.Pairs[0].Evidence, func(ev score.Evidence) bool { return ev.Name == "alike" }) {
		t.Errorf("got %+v, %v; want the pair that is alike", c.Pairs, err)
	}
	var documents, vectors int
	must.OK(t, f.Conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM document WHERE length(embedding) = 4 + 16), (SELECT count(*) FROM model_embedding)").Scan(&documents, &vectors))
	if documents != 3 || vectors != 3 {
		t.Errorf("%d documents and %d rows have a vector, want 3 and 3", documents, vectors)
	}
}

func TestNearFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	put := func(n int, of uuid.UUID, typ document.Type, key string, vector any) {
		t.Helper()
		f.Put(num(n), of, typ, "{}")
		f.Exec("UPDATE document SET match_keys = ARRAY[$2], embedding = $3 WHERE id = $1", num(n), key, vector)
	}
	put(1, tenant, document.Invoice, "w", []byte{1})
	put(2, tenant, document.PurchaseOrder, "w", []byte{2})
	put(3, tenant, document.PurchaseOrder, "w", nil)
	put(4, tenant, document.PurchaseOrder, "x", []byte{4})
	put(5, otherTenant, document.PurchaseOrder, "w", []byte{5})
	put(6, tenant, document.Invoice, "w", []byte{6})
	got, err := f.Near(t.Context(), num(1), score.Normalized{Tenant: tenant, Window: score.Window{Company: []string{"w"}}}, score.Matchable(document.Invoice))
	if want := []match.Near{{ID: num(2), Vector: "02"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// Of a company with many documents the nearest by date are read, as many on either
// side. A document without a date has its place before all dates.
func TestNearIsNearestByDate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.Invoice, "{}")
	f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, embedding, match_keys)
		SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(1000 + i), 12, '0'))::uuid, $1, 'purchase-order', '{}', '\x01',
			ARRAY['00000000|who|w'] || CASE WHEN i < 700 THEN ARRAY['00000000|day|' || date '2025-01-01' + i] ELSE '{}' END
		FROM generate_series(0, 702) AS i`, tenant)
	for _, tc := range []struct {
		days              []int32
		want, first, last int
	}{
		{[]int32{20251217}, 500, 100, 599}, // day 350, before the order of that day
		{[]int32{20250101}, 253, 0, 702},
		{nil, 250, 0, 702},
	} {
		near := must.Get(f.Near(t.Context(), num(1), score.Normalized{Tenant: tenant, Window: score.Window{Company: []string{"00000000|who|w"}, Days: tc.days}}, score.Matchable(document.Invoice)))(t)
		var ids []int
		for _, n := range near {
			ids = append(ids, int(n.ID[14])<<8+int(n.ID[15])-1000)
		}
		if len(ids) != tc.want || slices.Min(ids) != tc.first || slices.Max(ids) != tc.last {
			t.Errorf("on %v: got %d from %d to %d, want %+v", tc.days, len(ids), slices.Min(ids), slices.Max(ids), tc)
		}
	}
}
