package matches_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// manyDocuments fills the database with n documents of four tenants, of 50
// suppliers and 24 months each, with keys like those of real documents, and
// pairs. The first half of the tenants use the same numbers.
const manyDocumentsSQL = `
INSERT INTO document (id, tenant_id, type, structured_data, match_keys)
SELECT gen_random_uuid(), tenant.id, (enum_range(NULL::document_type))[1 + i % 6], '{"number": "x"}',
	ARRAY[k || '|ref|RE' || i, k || '|ref|45' || i / 5]
	|| ARRAY(SELECT k || '|month|' || who || '|' || to_char(date '2024-01-01' + (i / 200 % 24) * interval '1 month', 'YYYY-MM') FROM unnest(names) AS who)
	|| ARRAY(SELECT k || '|who|' || who FROM unnest(names) AS who)
	|| ARRAY(SELECT k || '|amount|' || who || '|' || i % 997 || '.00' FROM unnest(names) AS who)
	|| ARRAY(SELECT k || '|item|' || who || '|' || 'SKU' || i % 11 || '|' || i % 40 FROM unnest(names) AS who)
FROM generate_series(0, $1 - 1) AS i
JOIN tenant ON tenant.name = 'Tenant ' || i % 4,
LATERAL (SELECT substr(tenant.id::text, 1, 8) AS k, ARRAY['DE' || i / 4 % 50, 'supplier' || i / 4 % 50, $2] AS names) AS known`

const manyPairsSQL = `
INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points, units_a, units_b, units_common, evidence, veto)
SELECT tenant_id, id, next, 'invoice', 'invoice', 60, 0, 0, 0, '[]', ''
FROM (SELECT tenant_id, id, lead(id) OVER (PARTITION BY tenant_id ORDER BY id) AS next FROM document) AS d
WHERE next IS NOT NULL`

const manyFactsSQL = `
INSERT INTO taught_fact (document_a_id, document_b_id, tenant_id, supplier, fact)
SELECT document_a_id, document_b_id, tenant_id, 'supplier ' || row_number() OVER (), 'fact' FROM match_pair LIMIT 20000`

const manyMatchesSQL = `
INSERT INTO document_match (tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence)
SELECT tenant_id, document_a_id, document_b_id, 1, 'high', 'rules', '', '[]' FROM match_pair`

// Among 100,000 documents the statements of an attempt read what they need:
// no table is scanned, and only documents of the tenant are fetched.
func TestPlansStaySelective(t *testing.T) {
	testenv.OnlyThorough(t, "inserts 100,000 documents")
	t.Parallel()
	const documents = 100_000
	f := newFixture(t)
	for n := range 4 {
		f.Exec("INSERT INTO tenant VALUES ($1, $2)", uuid.MustParse(fmt.Sprintf("%08x-0000-4000-8000-000000000000", n+16)), fmt.Sprintf("Tenant %d", n))
	}
	f.Exec("ALTER TABLE document DISABLE TRIGGER document_key_insert")
	f.Exec(manyDocumentsSQL, documents, company.ParseName("Trading").Keys()[0])
	f.Exec("INSERT INTO document_key SELECT key, day, id FROM document, match_key_rows(tenant_id, match_keys)")
	f.Exec(manyPairsSQL)
	f.Exec(manyMatchesSQL)
	f.Exec("VACUUM ANALYZE document, document_key, match_pair, document_match, match_suggestion")
	f.Exec("SET matchbook.turn = 'true'")

	// Two are matched for comparison: one of a supplier with a few documents a
	// month, and one that shares the word "trading" with all.
	tenantID := uuid.MustParse("00000010-0000-4000-8000-000000000000")
	for name, data := range map[string]string{
		"cites an order":         `{"number":"RE 1","date":"2024-06-02","supplier":{"name":"Supplier7","vat_id":"DE7"},"total":"123.00","references":[{"type":"purchase-order","number":"4500"}]}`,
		"a name of common words": `{"number":"RE 2","date":"2024-06-02","supplier":{"name":"Trading"},"total":"124.00","line_items":[{"sku":"SKU3","quantity":"3"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			id := f.Put(uuid.New(), tenantID, document.Invoice, data)
			raws := must.Get(f.Raws(t.Context(), []uuid.UUID{id}))(t)
			d := must.Get(score.Read(raws[0]))(t)
			p := f.Explain(matches.BlockSQL, matches.BlockArgs(id, d.Normalized(), score.Matchable(document.Invoice))...)
			p.WantIndexed(t, "document_key_pkey")
			t.Logf("%.0f documents were fetched for their keys, %.1f ms", p.Fetched("document"), p.Millis)
			if n := p.Fetched("document"); n > float64(documents/4) {
				t.Errorf("%.0f documents were fetched, of a tenant that has %d", n, documents/4)
			}
		})
	}
	t.Run("competition", func(t *testing.T) {
		p := f.Explain(matches.CompetitionSQL, f.someDocuments(20), []uuid.UUID{}, []uuid.UUID{}, score.MatchAt,
			make([]string, 20), []uuid.UUID{}, []string{})
		p.WantIndexed(t, "match_pair_b_plain_idx")
		if n := p.Fetched("match_pair"); n > 500 {
			t.Errorf("%.0f pairs were fetched for 20 documents with two each", n)
		}
	})
	t.Run("separated pairs", func(t *testing.T) {
		p := f.Explain(matches.SeparatedSQL, f.someDocuments(500)[499])
		p.WantIndexed(t, "document_key_pkey", "document_pkey")
	})
	t.Run("locks", func(t *testing.T) {
		p := f.Explain(matches.LockRowsSQL, f.someDocuments(20), f.someDocuments(20))
		p.WantIndexed(t, "document_pkey", "document_cluster_type_idx")
	})
	t.Run("members", func(t *testing.T) {
		p := f.Explain(matches.MembersSQL, f.someDocuments(20))
		p.WantIndexed(t, "document_pkey", "document_cluster_type_idx")
	})
}

// However many documents a tenant has, a search reads of each key the nearest, by the
// index, and no other document.
func TestPlansStayBounded(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "inserts thousands of look-alikes")
	for _, size := range []int{10_000, 1_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			if size > 10_000 {
				testenv.OnlyThorough(t, "inserts a million documents")
			}
			url := postgrestest.URL(t)
			conn := postgrestest.Conn(t, url)
			insertSkewed(t, conn, size)
			for _, sql := range []string{manyPairsSQL + " LIMIT 20000", manyFactsSQL, skewedNamesSQL, "VACUUM ANALYZE match_pair, taught_fact, party_name", "SET matchbook.turn = 'true'"} {
				must.Get(conn.Exec(t.Context(), sql))(t)
			}
			for _, class := range skewed {
				t.Run(class.name, func(t *testing.T) {
					documents := skewedClass(size, class.has)
					raw := skewedDocument(documents[len(documents)/2])
					d := must.Get(score.Read(raw))(t)
					n, types := d.Normalized(), score.Matchable(raw.Type)
					search := postgrestest.Explain(t, conn, matches.BlockSQL, matches.BlockArgs(raw.ID, n, types)...)
					wantBounded(t, search, reach(n))
					near := postgrestest.Explain(t, conn, matches.NearSQL, matches.NearArgs(raw.ID, n, types)...)
					wantBounded(t, near, 500*len(n.Window.Company))
				})
			}
			t.Run("names", func(t *testing.T) {
				id := skewedDocument(99).ID
				confirmed := postgrestest.Explain(t, conn, matches.ConfirmedSQL, []uuid.UUID{id})
				confirmed.WantIndexed(t, "match_pair_b_plain_idx")
				renamed := postgrestest.Explain(t, conn, matches.RenamedSQL, tenant, []string{"DE999"}, []string{"DE999"}, []uuid.UUID{id})
				if n := renamed.Fetched("party_name"); n > 1000 {
					t.Errorf("%.0f names were read for a supplier with at most 200 documents", n)
				}
			})
		})
	}
}

// skewedNamesSQL names the suppliers of insertSkewed, which have none.
const skewedNamesSQL = `
UPDATE party_name AS p SET name = structured_data #>> '{supplier,vat_id}', vat_id = structured_data #>> '{supplier,vat_id}'
FROM document WHERE id = p.document_id`

// reach is the number of rows that a search may read for the keys of a document.
func reach(n score.Normalized) (rows int) {
	for _, key := range n.Lookup {
		switch {
		case strings.Contains(key, "|ref|"):
			rows += 200
		case !strings.Contains(key, "|month|"):
			rows += 100
		}
	}
	return rows + 100*len(n.Window.Company)*len(n.Window.Days)
}

// A connection plans its statements once, maybe when the tables are empty: with thousands
// of rows in them the plans read the rows of their pairs, and no table.
func TestEmptyDatabasePlans(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Exec("VACUUM ANALYZE match_pair, document_match, match_suggestion, document")
	f.Exec("BEGIN")
	f.Exec(matches.PlanOnceSQL)
	const n = 10
	values := map[string][]string{ // behind the ids of the pairs, for each the same
		"upsertPairs": {"invoice", "invoice", "60", "0", "0", "0", "[]", "own", "[]", "[]"},
		"asked":       {"about", "question", "high", "reason", "false"},
	}
	execute := func(name string, as, bs []string) string {
		if name == "upsertMatches" || name == "upsertSuggestions" {
			edges := make([]rules.Edge, n)
			for i := range edges {
				edges[i] = edge(uuid.MustParse(as[i]), uuid.MustParse(bs[i]))
			}
			return "EXECUTE " + name + " ('" + string(must.Get(json.Marshal(edges))(t)) + "')"
		}
		lists := [][]string{as, bs}
		for _, v := range values[name] {
			lists = append(lists, slices.Repeat([]string{v}, n))
		}
		args := make([]string, len(lists))
		for i, l := range lists {
			args[i] = "'{" + strings.Join(l, ",") + "}'"
		}
		if name == "upsertPairs" {
			args = slices.Insert(args, 0, "'"+as[0]+"'")
		}
		return "EXECUTE " + name + " (" + strings.Join(args, ", ") + ")"
	}
	unknown := slices.Repeat([]string{num(1).String()}, n)
	for name, sql := range matches.WritesOfPairs {
		f.Exec("PREPARE " + name + " AS " + sql)
		f.Exec("EXPLAIN " + execute(name, unknown, unknown))
	}
	f.Exec("INSERT INTO tenant VALUES ($1, 'Tenant 0')", uuid.MustParse("00000010-0000-4000-8000-000000000000"))
	f.Exec("ALTER TABLE document DISABLE TRIGGER document_key_insert")
	f.Exec(manyDocumentsSQL, 8000, company.ParseName("Trading").Keys()[0])
	f.Exec(manyPairsSQL)
	f.Exec(manyMatchesSQL)
	var as, bs []string
	must.OK(t, f.Conn.QueryRow(t.Context(), `SELECT array_agg(document_a_id::text), array_agg(document_b_id::text)
		FROM (SELECT * FROM match_pair ORDER BY document_a_id LIMIT $1) AS p`, n).Scan(&as, &bs))
	for _, name := range slices.Sorted(maps.Keys(matches.WritesOfPairs)) {
		p := f.Explain(execute(name, as, bs))
		for _, table := range []string{"match_pair", "document_match", "match_suggestion", "document"} {
			if rows := p.Fetched(table); rows > 2*n {
				t.Errorf("%s reads %.0f rows of %s for %d pairs", name, rows, table, n)
			}
		}
	}
}

func wantBounded(t *testing.T, p postgrestest.Plan, bound int) {
	t.Helper()
	p.WantIndexed(t, "document_key_pkey", "document_pkey")
	keys, documents := p.Fetched("document_key"), p.Fetched("document")
	t.Logf("%.0f keys and %.0f documents were read, of at most %d, in %.1f ms", keys, documents, bound, p.Millis)
	if keys > float64(bound) || documents > float64(bound+20) { // also the document itself, and partners
		t.Errorf("%.0f keys and %.0f documents were read, more than %d", keys, documents, bound)
	}
}

func (f *fixture) someDocuments(n int) []uuid.UUID {
	f.T.Helper()
	return postgrestest.Values[uuid.UUID](f.T, f.Conn, "SELECT id FROM document ORDER BY id LIMIT $1", n)
}
