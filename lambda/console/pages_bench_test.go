package console_test

import (
	"fmt"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/testenv"
)

// Every page of a tenant with 100,000 documents, with -thorough also of a million: the
// time until the client has it, and its bytes.
//
//	go test ./lambda/console -run '^$' -bench BenchmarkPages -benchtime 20x -thorough -timeout 1h
func BenchmarkPages(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			if size > 100_000 {
				testenv.OnlyThorough(b, "inserts a million documents")
			}
			s := newSite(b)
			s.fill(size)
			c := s.as(everything(login.Operator))
			paths := []string{"/", "/documents", "/documents?state=failed", "/documents?type=invoice", "/documents?q=N" + fmt.Sprint(size/2),
				"/documents?q=77.00",
				"/documents?q=DE999010500", "/documents?q=DE999010500&by=party", "/open", "/open?kind=question",
				"/documents/" + s.numbered("N4711").String(), "/todo", "/invoices", "/invoices?state=approved", "/offers", "/tolerances",
				"/open?assigned=Paula"}
			paths = append(paths, c.page("/documents").link(b, nextPage), c.page("/open").link(b, nextPage), c.page("/todo").link(b, nextPage), c.questions()[0])
			for _, path := range paths {
				b.Run(path, func(b *testing.B) {
					c.t = b
					bytes := len(c.page(path).body) // warm
					for b.Loop() {
						c.page(path)
					}
					b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms/page")
					b.ReportMetric(float64(bytes)/1000, "kB/page")
					b.ReportMetric(0, "ns/op")
				})
			}
		})
	}
}

// fill inserts n documents of a tenant, of which a tenth has failed, and a question, a
// warning, a file and calls of models for every tenth. Triggers are left out, which
// would take an hour for a million.
func (s *site) fill(n int) {
	s.t.Helper()
	s.exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenantA)
	s.exec("SET session_replication_role = replica")
	s.exec(`INSERT INTO document (id, tenant_id, type, structured_data, received_at, match_keys, matching_status, matching_failed_at)
		SELECT md5(i::text)::uuid, $1, (enum_range(NULL::document_type))[1 + i % 7],
			jsonb_build_object('number', 'N' || i, 'date', '2026-03-02', 'currency', 'EUR', 'total', i % 5000 || '.00',
				'supplier', jsonb_build_object('name', 'Supplier ' || i % 1000, 'vat_id', 'DE999' || lpad((10000 + i % 1000)::text, 6, '0'))),
			now() - i * interval '2 seconds', ARRAY[left($1::uuid::text, 8) || '|who|DE999' || lpad((10000 + i % 1000)::text, 6, '0'), left($1::uuid::text, 8) || '|day|2026-03-02',
			left($1::uuid::text, 8) || '|own|N' || i],
			CASE WHEN i % 10 = 3 THEN 'failed' ELSE 'succeeded' END, CASE WHEN i % 10 = 3 THEN now() - i * interval '1 second' END
		FROM generate_series(1, $2::integer) AS i`, tenantA, n)
	s.exec("INSERT INTO document_key SELECT key, day, id FROM document, match_key_rows(tenant_id, match_keys)")
	s.exec(`CREATE TABLE pair AS SELECT least(a, b) AS a, greatest(a, b) AS b, at FROM (
		SELECT md5(i::text)::uuid AS a, md5((i + 1)::text)::uuid AS b, now() - i * interval '1 second' AS at
		FROM generate_series(10, $1::integer - 1, 10) AS i) AS ends`, n)
	s.exec("INSERT INTO match_suggestion SELECT $1, a, b, 0.5, 'rules', 'because', '[]', at FROM pair", tenantA)
	s.exec("INSERT INTO document_warning SELECT $1, a, 'billed-twice', b, 'billed twice', at FROM pair", tenantA)
	s.exec("INSERT INTO ingestion (id, tenant_id, document_id, needs_human_review, created_at) SELECT a, $1, a, true, at FROM pair", tenantA)
	s.exec(`INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens, asked_at)
		SELECT $1, 'm', uuid_send(a), a, '', 1, 1, at FROM pair`, tenantA)
	s.exec("INSERT INTO model_embedding SELECT $1, 'm', uuid_send(a), '', 1, at FROM pair", tenantA)
	s.exec(`INSERT INTO three_way_match (document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, created_at, state, state_at)
		SELECT a, $1, CASE WHEN n % 3 = 0 THEN 'price-variance' ELSE 'matched' END, '', '[]', '[]', '[]', '{}', at,
			(ARRAY['open', 'approved', 'on-hold', 'reopened'])[1 + n % 4], CASE WHEN n % 4 > 0 THEN at END
		FROM (SELECT *, row_number() OVER () AS n FROM pair) AS p`, tenantA)
	s.exec(`INSERT INTO invoice_action (tenant_id, document_id, action, reason, facts, acted_by, origin, acted_at)
		SELECT $1, a, 'approve', 'known', '', 'Paula', 'console', at FROM pair`, tenantA)
	s.exec("INSERT INTO desk_assignment SELECT a, $1, CASE WHEN random() < 0.001 THEN 'Paula' ELSE 'Ben' END FROM pair", tenantA)
	s.exec("INSERT INTO offer_user (id, tenant_id, timezone) SELECT a, $1, 'UTC' FROM pair", tenantA)
	s.exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, job_status, failed_at)
		SELECT a, $1, '2026-03-02', 'UTC', a, at, at, CASE WHEN random() < 0.1 THEN 'failed' ELSE 'succeeded' END, at FROM pair`, tenantA)
	s.exec("RESET ALL")
	s.exec("VACUUM ANALYZE")
}
