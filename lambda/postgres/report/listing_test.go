package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// listed inserts n documents of two tenants, in all types and states, with a key.
func (f *fixture) listed(n int) {
	f.t.Helper()
	f.exec("INSERT INTO tenant VALUES ($1, 'Others')", otherTenant)
	f.exec(`INSERT INTO document (id, tenant_id, type, structured_data, received_at, matching_status, matching_failed_at, matching_lease_until, match_keys)
		SELECT gen_random_uuid(), CASE WHEN i % 4 = 0 THEN $2 ELSE $1 END::uuid, CASE WHEN i % 11 > 0 THEN (enum_range(NULL::document_type))[1 + i % 7] END,
			jsonb_build_object('number', 'N ' || i, 'total', i % 9 || '.00'), now() - i * interval '20 seconds',
			(ARRAY['succeeded', 'failed', 'pending', NULL, 'in-progress'])[1 + i % 5], now() - i * interval '1 ms', now(), ARRAY['00000000|who|acme', '00000000|day|2026-03-' || lpad((1 + i % 28)::text, 2, '0')]
		FROM generate_series(1, $3::integer) AS i`, tenant, otherTenant, n)
	f.exec("VACUUM ANALYZE document, document_key")
}

// waits lets n pairs, warnings, failed documents and files wait for people.
func (f *fixture) waits(n int) {
	f.t.Helper()
	f.exec("SET session_replication_role = replica") // no keys are looked up: all rows come from document
	f.exec(`CREATE TABLE pair AS SELECT a.tenant_id, a.id AS a, b.id AS b, now() - a.n * interval '1 second' AS at
		FROM (SELECT *, row_number() OVER (PARTITION BY tenant_id ORDER BY id) AS n FROM document) AS a
		JOIN (SELECT *, row_number() OVER (PARTITION BY tenant_id ORDER BY id) AS n FROM document) AS b
		ON b.tenant_id = a.tenant_id AND b.n = a.n + 1 LIMIT $1`, n)
	f.exec("INSERT INTO match_suggestion SELECT tenant_id, a, b, 0.5, 'rules', 'because', '[]', at FROM pair")
	f.exec(`INSERT INTO document_match (tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence)
		SELECT tenant_id, a, b, 0.9, 'high', 'rules', 'because', '[]' FROM pair WHERE at < now() - interval '2 hours'`) // before a page's questions
	f.exec("INSERT INTO document_warning SELECT tenant_id, a, 'billed-twice', b, 'because', at FROM pair")
	f.exec("INSERT INTO warning_settled SELECT tenant_id, a, 'account-changed', b, 'facts', 'anna', 'command', 'known', at FROM pair")
	f.exec("INSERT INTO ingestion (id, tenant_id, document_id, needs_human_review, created_at) SELECT a, tenant_id, a, true, at FROM pair")
	f.exec(`INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens, asked_at)
		SELECT tenant_id, 'm', uuid_send(a), a, '', 1, 1, at FROM pair`)
	f.exec(`INSERT INTO review_job (id, tenant_id, document_id, status, chunks, chunks_open, ended_at, waiting)
		SELECT a, tenant_id, a, 'completed', 1, 0, at, (get_byte(uuid_send(a), 0) % 4 = 0)::int FROM pair`)
	f.exec(`INSERT INTO three_way_match (document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, created_at, state, state_at)
		SELECT a, tenant_id, CASE WHEN n % 3 = 0 THEN 'price-variance' ELSE 'matched' END, '', '[]', '[]', '[]', '{}', at,
			(ARRAY['open', 'approved', 'on-hold', 'reopened'])[1 + n % 4], CASE WHEN n % 4 > 0 THEN at END
		FROM (SELECT *, row_number() OVER () AS n FROM pair) AS p`)
	f.exec(`INSERT INTO invoice_action (tenant_id, document_id, action, reason, facts, acted_by, origin, acted_at)
		SELECT tenant_id, a, 'approve', 'known', '', 'anna', 'console', at FROM pair`)
	f.exec("INSERT INTO model_embedding SELECT tenant_id, 'm', uuid_send(a), '', 1, at FROM pair")
	f.exec("INSERT INTO notification (tenant_id, document_id, kind, attempt, payload, created_at) SELECT tenant_id, a, 'transient', 1, '{}', at FROM pair")
	f.exec("INSERT INTO offer_user (id, tenant_id, timezone) SELECT a, tenant_id, 'UTC' FROM pair")
	f.exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, job_status, failed_at)
		SELECT a, tenant_id, '2026-03-02', 'UTC', a, at, at, 'failed', at FROM pair`)
	f.exec("RESET session_replication_role")
	f.exec("VACUUM ANALYZE")
}

// However many documents there are, a page reads by an index as many as it has, for
// each type and state.
func TestPagePlans(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "inserts 40,000 documents")
	f := newFixture(t)
	f.listed(20_000)
	f.waits(20_000)
	const size = 50
	for name, tc := range map[string]struct {
		sql   string
		index string
		most  float64 // documents that are read
		args  []any
	}{
		"list": {report.ListSQL, "document_listed_idx", 2 * 5 * 8 * size,
			[]any{tenant, report.Stages, document.Types, report.LastTime, uuid.Max, size, true}},
		"list of failed invoices": {report.ListSQL, "document_listed_idx", 2 * size,
			[]any{tenant, []string{"failed"}, []string{"invoice"}, report.LastTime, uuid.Max, size, false}},
		"total": {report.TotalledSQL, "document_total_idx", 4 * size,
			[]any{tenant, []string{"7", "7.0", "7.00"}, size, report.LastTime, uuid.Max}},
		"company": {report.KeyedSQL, "document_key_pkey", 2 * size,
			[]any{tenant, []string{"00000000|who|acme"}, size, 99999999, uuid.Max, ""}},
		"number": {report.KeyedSQL, "document_number_idx", 2 * size,
			[]any{tenant, []string{"00000000|own|x"}, size, 99999999, uuid.Max, "N 4711"}},
		"stages":                      {report.StagesSQL, "document_listed_idx", 5 * 8 * 100, []any{tenant, report.Stages, 100, document.Types}},
		"stages that no document has": {report.StagesSQL, "document_listed_idx", 0, []any{tenant, []string{"one", "another"}, 1000, document.Types}},
		"hours":                       {report.HoursSQL, "document_listed_idx", 5000, []any{tenant, report.Stages, 200, []time.Time{start.Add(-3 * time.Hour), start.Add(-2 * time.Hour)}, document.Types}},
		"waiting":                     {report.WaitingSQL, "match_suggestion_open_idx", 7 * size, []any{tenant, report.WaitingKinds, nil, nil, size, false, "", nil, "", 10, "", "0", time.Time{}, uuid.Nil, uuid.Nil}},
		"waiting, the next page": {report.WaitingSQL, "match_suggestion_open_idx", 7 * size,
			[]any{tenant, report.WaitingKinds, nil, nil, size, false, "", nil, "", 10, report.WaitingWarning, "1000000", start, uuid.Nil, uuid.Nil}},
		"to do": {report.ToDoSQL, "three_way_match_open_idx", 2 * 10,
			[]any{[]uuid.UUID{tenant}, report.ToDoKinds, time.Unix(0, 0), "", uuid.Nil, false, uuid.Nil, 10, ""}},
		"to do, the next page": {report.ToDoSQL, "match_suggestion_open_idx", 2 * 10,
			[]any{[]uuid.UUID{tenant}, report.ToDoKinds, start.Add(-time.Hour), report.WaitingQuestion, uuid.Nil, false, uuid.Nil, 10, ""}},
		"waiting since": {report.WaitingSQL, "document_failed_idx", 7 * size,
			[]any{tenant, report.WaitingKinds, start.Add(-time.Hour), nil, size, false, "", nil, "", 10, "", "0", time.Time{}, uuid.Nil, uuid.Nil}},
		"waiting counts": {report.WaitingCountsSQL, "document_failed_idx", size, []any{tenant, report.WaitingKinds, nil, nil, size, false, ""}},
		"invoices": {report.InvoicesSQL, "three_way_match_list_idx", size,
			[]any{tenant, threeway.States, threeway.Verdicts(false), report.LastTime, uuid.Max, size}},
		"invoice counts": {report.InvoiceCountsSQL, "three_way_match_list_idx", 0, []any{tenant, threeway.States, threeway.Verdicts(false), size}},
		"spent":          {report.SpentSQL, "model_embedding_tenant_idx", 0, []any{start.AddDate(0, 0, -7), tenant, size}},
		"failures":       {report.FailureKindsSQL, "notification_tenant_idx", 0, []any{tenant, 7 * 24 * time.Hour, size}},
		"sheet":          {report.SheetSQL, "ingestion_part_of_idx", 1, []any{postgrestest.Value[uuid.UUID](t, f.conn, "SELECT a FROM pair LIMIT 1")}},
		"oldest":         {report.OldestSQL, "document_matching_waiting_idx", 2, []any{tenant}},
	} {
		t.Run(name, func(t *testing.T) {
			p := postgrestest.Explain(t, f.conn, tc.sql, tc.args...)
			p.WantIndexed(t, tc.index)
			if n := p.Fetched("document"); n > tc.most {
				t.Errorf("%.0f documents were read, at most %.0f are needed", n, tc.most)
			}
			for _, table := range []string{"match_suggestion", "document_warning", "ingestion", "model_answer", "model_embedding", "notification", "three_way_match"} {
				most := float64(size)
				if table == "three_way_match" && (name == "invoices" || name == "invoice counts") { // of each state and verdict
					most *= 3 * 2
				}
				if table == "match_suggestion" { // with other questions about the same documents
					most *= 7
				}
				if n := p.Fetched(table); n > most {
					t.Errorf("%.0f rows of %s were read, at most %.0f are needed", n, table, most)
				}
			}
			t.Logf("%.0f documents and %.0f keys were read, in %.1f ms", p.Fetched("document"), p.Fetched("document_key"), p.Millis)
		})
	}
}

// Few are counted, of many the number is the planner's.
func TestManyAreEstimated(t *testing.T) {
	testenv.OnlyThorough(t, "inserts 40,000 documents")
	t.Parallel()
	f := newFixture(t)
	f.exec("SET session_replication_role = replica") // no triggers: the keys are not read
	f.listed(40_000)
	f.exec("UPDATE document SET matching_status = 'succeeded', matching_failed_at = NULL WHERE matching_status = 'failed' AND type IS DISTINCT FROM 'contract'")
	f.exec("VACUUM ANALYZE document")
	got := must.Get(f.read.Stages(t.Context(), tenant))(t)
	var failed, succeeded int
	must.OK(t, f.conn.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE matching_status = 'failed'), count(*) FILTER (WHERE matching_status = 'succeeded')
		FROM document WHERE tenant_id = $1`, tenant).Scan(&failed, &succeeded))
	if c := got["failed"]; c.N != failed || c.Estimate {
		t.Errorf("failed: %+v, want %d", c, failed)
	}
	if c := got["succeeded"]; !c.Estimate || c.N < succeeded*8/10 || c.N > succeeded*12/10 {
		t.Errorf("succeeded: %+v, want about %d", c, succeeded)
	}
}

// An invoice that agrees with its order needs nobody's attention, so the statement has the same
// verdicts as the package that gives them.
func TestToDoLeavesAgreeing(t *testing.T) {
	t.Parallel()
	var quoted []string
	for _, v := range slices.Backward(threeway.Verdicts(true)) { // the best first
		quoted = append(quoted, "'"+string(v)+"'")
	}
	if want := "verdict NOT IN (" + strings.Join(quoted, ", ") + ")"; !strings.Contains(report.ToDoSQL, want) {
		t.Errorf("want %s in %s", want, report.ToDoSQL)
	}
}
