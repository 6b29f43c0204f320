package matches_test

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// keyRows lists the rows of a document's keys: the keys of texts by their text, any other as
// "?".
func (f *fixture) keyRows(id uuid.UUID, texts ...string) string {
	f.T.Helper()
	list := postgrestest.Values[string](f.T, f.Conn, `SELECT coalesce(k, '?') || ' ' || day FROM document_key
		LEFT JOIN unnest($2::text[]) AS k ON match_key((SELECT tenant_id FROM document WHERE id = $1), k) = key
		WHERE document_id = $1 ORDER BY 1`, id, texts)
	return strings.Join(list, ", ")
}

// The rows follow the keys, whatever program writes them: a key is at the document's first
// day, a company's key at each of its days.
func TestKeyRowsFollowTheKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(1)
	texts := []string{"00000000|ref|7", "00000000|who|DE1", "k", "l"}
	for _, tc := range []struct{ keys, want string }{
		{"{k,l}", "k 0, l 0"},
		{"{l}", "l 0"},
		{"{00000000|day|2026-01-31,00000000|ref|7,00000000|who|DE1,00000000|month|DE1|2026-01}",
			"00000000|ref|7 20260131, 00000000|who|DE1 20260131"},
		{"{00000000|day|2026-01-01,00000000|day|2026-02-01,00000000|ref|7,00000000|who|DE1}",
			"00000000|ref|7 20260101, 00000000|who|DE1 20260101, 00000000|who|DE1 20260201"},
		// As earlier versions wrote them.
		{"{00000000|ref|7,00000000|month|DE1|2026-02,00000000|month|DE1|2026-01,00000000|who|DE1}",
			"00000000|ref|7 20260101, 00000000|who|DE1 20260101, 00000000|who|DE1 20260201"},
		{"{}", ""},
	} {
		f.Exec("UPDATE document SET match_keys = $2 WHERE id = $1", num(1), tc.keys)
		postgrestest.Equal(t, tc.keys, f.keyRows(num(1), texts...), tc.want)
	}
	f.Exec("UPDATE document SET match_keys = '{k}'")
	f.Exec("DELETE FROM document")
	postgrestest.Equal(t, "rows of a deleted document", f.Count("SELECT count(*) FROM document_key"), 0)
	f.Exec("INSERT INTO document (id, tenant_id, match_keys) VALUES ($1, $2, '{k}')", num(1), tenant)
	postgrestest.Equal(t, "after an insert with keys", f.keyRows(num(1), texts...), "k 0")
}

// Of a key that many documents have, a search reads the nearest on both sides: by
// the day, and of one day by the id. Another tenant's do not count.
func TestNearestByKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const days, each = 40, 4
	f.Exec("INSERT INTO tenant VALUES ($1, 'Others')", otherTenant)
	f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, match_keys)
		SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(1000 + i), 12, '0'))::uuid, CASE WHEN i % 2 = 0 THEN $1 ELSE $2 END::uuid,
			'invoice', '{}', ARRAY['k', '00000000|day|' || date '2026-01-01' + i / 2 / $3::int]
		FROM generate_series(0, $4) AS i`, tenant, otherTenant, each, 2*days*each-1)
	f.Put(num(1), tenant, document.PurchaseOrder, "{}")
	at := func(day string) (found string) {
		n := score.Normalized{Keys: []string{"00000000|day|" + day}, Lookup: []string{"k"}}
		n.Window.Days = []int32{int32(20260000 + 100*int(day[6]-'0') + int(day[8]-'0')*10 + int(day[9]-'0'))}
		ids := candidates(f.block(f.Take(num(1)), n))
		if len(ids) == 0 {
			return ""
		}
		first := int(ids[0][14])<<8 + int(ids[0][15]) - 1000
		last := int(ids[len(ids)-1][14])<<8 + int(ids[len(ids)-1][15]) - 1000
		return fmt.Sprintf("%d from %d to %d", len(ids), first/2, last/2)
	}
	for day, want := range map[string]string{
		"2026-01-01": "50 from 0 to 49", // its own id is the smallest of all
		"2026-01-11": "90 from 0 to 89",
		"2026-01-21": "100 from 30 to 129",
		"2026-02-09": "54 from 106 to 159",
		"2026-03-01": "50 from 110 to 159",
	} {
		if got := at(day); got != want {
			t.Errorf("on %s: got %s, want %s", day, got, want)
		}
	}
}

// The documents of a company are candidates for some months only, a contract for
// all the months in which it runs.
func TestCompanyWindow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const supplier = `"supplier":{"vat_id":"DE1"}`
	for n, date := range []string{"2025-08-31", "2025-09-01", "2026-05-31", "2026-06-01", ""} {
		f.Put(num(n+2), tenant, document.Invoice, `{`+supplier+`,"date":"`+date+`"}`)
		f.Exec("UPDATE document SET received_at = '2029-01-15' WHERE id = $1", num(n+2))
		f.match(num(n + 2))
	}
	for _, tc := range []struct {
		typ  document.Type
		data string
		want []uuid.UUID
	}{
		{document.PurchaseOrder, `"date":"2026-01-15"`, []uuid.UUID{num(3), num(4)}},
		{document.Contract, `"period":{"from":"2026-01-20","to":"2026-02-20"}`, []uuid.UUID{num(3), num(4), num(5)}},
		{document.PurchaseOrder, `"date":""`, []uuid.UUID{num(6)}}, // when they were received
	} {
		f.Put(num(1), tenant, tc.typ, `{`+supplier+`,`+tc.data+`}`)
		f.Exec("UPDATE document SET received_at = '2029-01-15' WHERE id = $1", num(1))
		raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
		d := must.Get(score.Read(raws[0]))(t)
		postgrestest.EqualLists(t, tc.data, candidates(f.block(f.Take(num(1)), d.Normalized())), tc.want)
		f.Exec("DELETE FROM document WHERE id = $1", num(1))
	}
}

// Storing what matching derives from a document changes no index of the table: of
// the three updates of an attempt it is the one that stays within its page. The
// others change the state, by which indexes find work.
func TestDerivedUnindexed(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	db := must.Get(postgres.Open(t.Context(), url, 1))(t)
	t.Cleanup(db.Close)
	f := with(&postgrestest.Fixture{DB: db, Conn: postgrestest.Conn(t, url), T: t})
	f.Exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	const documents = 3
	m := &match.Matcher{Store: f.Store, Log: slog.New(slog.DiscardHandler)}
	for n := 1; n <= documents; n++ {
		f.Put(num(n), tenant, document.Invoice, `{"number":"`+strconv.Itoa(n)+`","date":"2026-01-05","supplier":{"vat_id":"DE1"},"total":"5"}`)
		claims := must.Get(db.Claim(t.Context(), []job.Delivery{{ID: num(n)}}, time.Minute, false))(t)
		must.OK(t, job.Work(m.Match).One(t.Context(), claims[0].Attempt))
	}
	must.OK(t, db.Steady().Exec(t.Context(), "SELECT pg_stat_force_next_flush()"))
	var updates, within int
	must.OK(t, postgres.Scan(t.Context(), db, []any{&updates, &within},
		"SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'document'"))
	if updates != 3*documents || within != documents {
		t.Errorf("%d of %d updates touch no index, want %d of %d", within, updates, documents, 3*documents)
	}
}
