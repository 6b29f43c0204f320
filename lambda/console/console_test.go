package console_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/browser"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func TestMain(m *testing.M) {
	postgrestest.Parallel("4")
	code := m.Run()
	browser.Quit()
	postgrestest.Quit()
	os.Exit(code)
}

func TestOverviewCounts(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.exec(`UPDATE document SET matching_status = 'failed', matching_failed_at = now(), received_at = now() - interval '2 hours',
		matching_error = 'out of time' WHERE structured_data ->> 'number' = '4500000101'`)
	s.exec(`UPDATE document SET matching_status = 'pending', matching_due_at = now() - interval '3 hours' WHERE structured_data ->> 'number' = '4500000102'`)
	s.exec(`INSERT INTO notification (tenant_id, document_id, kind, attempt, payload)
		SELECT tenant_id, id, 'transient', n, '{}' FROM document CROSS JOIN generate_series(1, 3) AS n WHERE structured_data ->> 'number' = '4500000101'`)
	s.exec(`INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens)
		SELECT $1, 'gpt-4o-mini', sha256(n::text::bytea), gen_random_uuid(), '', 500000, 500000 FROM generate_series(1, 2) AS n`, tenantA)
	c := s.as(everything(login.Viewer))
	c.page("/?tenant="+tenantA.String()).want(t, "1 failed 0 in progress 1 pending 0 not queued 32 succeeded",
		"has been due for 3h0m", "3 questions 0 warnings 1 failed 0 files", "1 document, by hour",
		"transient 3", "2 2,000,000 0.75")
	c.page("/?tenant="+tenantB.String()).want(t, "0 failed", "The backlog is empty.", "None.", "No model was used.")
	var parts []answer
	for _, tenant := range []uuid.UUID{tenantA, tenantB} {
		for _, section := range []string{"states", "people", "failures", "cost"} {
			parts = append(parts, c.page("/?tenant="+tenant.String()).part(t, `<section aria-labelledby="`+section+`">`, "</section>"))
		}
	}
	compare(t, "overview", parts...)
}

// next finds the link to the next page.
var next = regexp.MustCompile(`rel="next" href="([^"]+)"`)

// walk reads the ids of the documents of a list, page by page.
func (c *client) walk(path string) (ids []string) {
	c.t.Helper()
	row := regexp.MustCompile(`<th scope="row"><a href="/documents/([^"]+)"`)
	for {
		a := c.page(path)
		for _, found := range row.FindAllStringSubmatch(a.body, -1) {
			ids = append(ids, found[1])
		}
		link := next.FindStringSubmatch(a.body)
		if link == nil {
			return ids
		}
		path = strings.ReplaceAll(link[1], "&amp;", "&")
	}
}

// many inserts n documents, of which many were received at the same moment.
func (s *site) many(n int) {
	s.t.Helper()
	s.exec("INSERT INTO tenant VALUES ($1, 'A'), ($2, 'B')", tenantA, tenantB)
	s.exec(`INSERT INTO document (id, tenant_id, type, structured_data, received_at, matching_status, matching_failed_at, matching_lease_until)
		SELECT gen_random_uuid(), CASE WHEN i % 7 = 0 THEN $2 ELSE $1 END::uuid, CASE WHEN i % 11 > 0 THEN (enum_range(NULL::document_type))[1 + i % 7] END,
			jsonb_build_object('number', 'N ' || i, 'total', (i % 50)::text || '.00'), now() - i / 10 * interval '1 hour',
			(ARRAY['succeeded', 'failed', 'pending', NULL])[1 + i % 4], now(), now()
		FROM generate_series(1, $3::integer) AS i`, tenantA, tenantB, n)
}

func TestListPagination(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.many(400)
	c := s.as(everything(login.Viewer))
	for path, where := range map[string]string{
		"/documents?":                           "true",
		"/documents?state=failed":               "matching_status = 'failed'",
		"/documents?state=none":                 "matching_status IS NULL",
		"/documents?type=invoice":               "type = 'invoice'",
		"/documents?type=invoice&state=pending": "type = 'invoice' AND matching_status = 'pending'",
		"/documents?q=7":                        "structured_data ->> 'total' = '7.00'",
		"/documents?q=7,00&by=amount":           "structured_data ->> 'total' = '7.00'",
	} {
		want := found[[]string](s, "SELECT coalesce(array_agg(id::text ORDER BY received_at DESC, id DESC), '{}') FROM document WHERE tenant_id = $1 AND "+where, tenantA)
		if got := c.walk(path + "&tenant=" + tenantA.String()); !slices.Equal(got, want) {
			t.Errorf("%s: got %d documents, want %d, or another order", path, len(got), len(want))
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	unmatched := doc(1, tenantA, document.Invoice, `{"number":"UN-0815","total":119}`)
	s.exec("INSERT INTO document (id, tenant_id, type, structured_data) VALUES ($1, $2, 'invoice', $3)", unmatched.ID, tenantA, unmatched.Data)
	c := s.as(everything(login.Viewer))
	at := "&tenant=" + tenantA.String()
	for q, want := range map[string]string{
		"RE-2026%2F0042":                       "Found by number",
		"re+2026+0042":                         "invoice RE-2026/0042", // as people write it
		"UN-0815":                              "invoice UN-0815",
		"1335.18":                              "Found by amount, the latest first. document supplier date total received state invoice RE-2026-1187",
		"1.335,18":                             "purchase order 4500000101",
		"119.00":                               "invoice UN-0815",
		"Polsterstoffe+Federleicht":            "Found by party, the latest first.",
		"DE999010115":                          "delivery note LS-88120",
		"no+such+thing":                        `No document found with number, amount or company "no such thing".`,
		"4500000101&by=amount":                 `No document found with amount "4500000101".`,
		"10000000-0000-4000-8000-000000000999": `No document found with id`,
	} {
		c.page("/documents?q="+q+at).want(t, want)
	}
	id := s.numbered("4500000101")
	if a := c.page("/documents?q=" + id.String() + at); a.path != "/documents/"+id.String() {
		t.Errorf("by id: %s", a.path)
	}
	all := found[int](s, "SELECT count(*) FROM document WHERE tenant_id = $1 AND structured_data #>> '{supplier,name}' LIKE 'Polsterstoffe Federleicht%'", tenantA)
	if got := c.walk("/documents?q=Polsterstoffe+Federleicht" + at); len(got) != all || all == 0 {
		t.Errorf("of a company: %d documents, want %d", len(got), all)
	}
	c.page("/documents?q=4500000101&tenant="+tenantB.String()).want(t, "No document found")
	for _, path := range []string{"/console.css", "/console.js"} {
		c.get(path)
	}
}

func TestDocumentPage(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	id := s.numbered("4500000101")
	s.exec(`INSERT INTO notification (tenant_id, document_id, kind, attempt, payload) VALUES ($1, $2, 'transient', 3, '{}')`, tenantA, id)
	c := s.as(everything(login.Viewer))
	a := c.page("/documents/" + id.String())
	a.want(t, "purchase order 4500000101 succeeded", "Matched by rules: 0.99, high confidence.",
		"+60 The invoice cites the purchase order 4500000101.", "Three-way match of invoice RE-2026-1187",
		"1122.00 net ordered", "supplier VAT id DE999010115", "notification about attempt 3, transient: not sent yet",
		"2026-03-02 08:12 received", "5 documents and", "invoice RE-2026-1187: high confidence by rules")
	order, invoice := s.numbered("4500000136"), s.numbered("26-0418")
	c.page("/documents/"+order.String()).want(t, "Undecided: it needs 7 more points to be a match.", "-15 Other purchase orders")
	c.page("/pairs/"+order.String()+"/"+invoice.String()).want(t, "Undecided: it needs", "Both state the amount 684.50.",
		"Other purchase orders fit the invoice as well", "total (equal) 814.56 814.56")
	compare(t, "document", s.as(everything(login.Operator)).page("/documents?q=4500000101"), c.page("/documents?q=4500000101&by=amount"), a, c.page("/pairs/"+order.String()+"/"+invoice.String()))
	c.page("/open?all=1&tenant="+tenantA.String()).want(t, "all question 7", "hide")
	c.page("/open?tenant="+tenantA.String()).want(t, "all question 3", "show all", "814.56 question 0.61",
		"purchase order 4500000136 of Absaugtechnik Windhauch GmbH invoice 26-0418 of Absaugtechnik Windhauch GmbH")
}

// A document of another tenant and one that does not exist have one answer.
func TestOtherTenantIsNotFound(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	mine, theirs, nowhere := s.numbered("4500000101"), found[uuid.UUID](s, "SELECT min(id::text)::uuid FROM document WHERE tenant_id = $1", tenantB), uuid.New()
	c := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator})
	missing := c.get("/documents/" + nowhere.String())
	if missing.code != http.StatusNotFound {
		t.Fatalf("a document that does not exist: %d", missing.code)
	}
	for _, path := range []string{
		"/documents/" + theirs.String(), "/documents/x", "/documents/" + strings.ToUpper(mine.String()) + "x",
		"/pairs/" + mine.String() + "/" + theirs.String(), "/pairs/" + theirs.String() + "/" + mine.String(), "/pairs/" + theirs.String() + "/" + theirs.String(),
		"/pairs/" + mine.String() + "/" + nowhere.String(), "/pairs/" + mine.String() + "/" + mine.String(),
		"/?tenant=" + tenantB.String(), "/documents?tenant=" + tenantB.String(), "/open?tenant=" + tenantB.String(),
		"/?tenant=" + uuid.Nil.String(), "/?tenant=x", "/documents?state=x", "/documents?type=x", "/documents?by=x&q=1", "/documents?after=x",
		"/documents?after=9999999999999999999_" + mine.String(), "/documents?q=%ff", "/documents?q=%00", "/open?kind=x", "/nowhere",
	} {
		if a := c.get(path); a.code != http.StatusNotFound || a.body != missing.body {
			t.Errorf("%s: %d %s", path, a.code, a.text())
		}
	}
	if a := s.as(everything(login.Operator)).get("/pairs/" + mine.String() + "/" + theirs.String()); a.code != http.StatusNotFound {
		t.Errorf("a pair of two tenants: %d", a.code)
	}
	c.page("/documents?q="+theirs.String()).want(t, "No document found with id")
	for _, path := range []string{"/", "/documents", "/open"} {
		if a := c.page(path); strings.Contains(a.body, tenantB.String()) {
			t.Errorf("%s names the other tenant", path)
		}
	}
	if logged := s.logs.String(); logged != "" {
		t.Errorf("logged: %s", logged)
	}
}

// hostile is a text as no honest document has it.
const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>` + "\u202e\u0007" + `{{.}}javascript:alert(1)`

func TestHostileTextIsEscaped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	text := fmt.Sprintf("%q", hostile)
	text = strings.ReplaceAll(text, `\a`, `\u0007`)
	big := strings.Repeat("A", 900_000)
	data := func(number string) string {
		return fmt.Sprintf(`{"number":%s,"currency":%s,"supplier":{"name":%s,"vat_id":%s,"iban":%s,"address":%s},"buyer":{"name":%s},"references":[{"type":%s,"number":"4711-08"}],
			"total":"119.00","line_items":[{"sku":"L-20","description":%s,"quantity":"2","unit":%s,"unit_price":"50"}],"notes":"%s"}`,
			number, text, text, text, text, text, text, text, text, text, big)
	}
	order, invoice := doc(1, tenantA, document.PurchaseOrder, data(text)), doc(2, tenantA, document.Invoice, data(text))
	s.add(order, invoice)
	s.exec("UPDATE tenant SET name = $1", hostile)
	s.exec(`INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status, failed_at, error, review_reasons)
		VALUES (gen_random_uuid(), $1, $2, $3, 'failed', now(), $3, ARRAY[$3])`, tenantA, order.ID, hostile)
	s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = $2, embedding_error = $2 WHERE id = $1", order.ID, hostile)
	s.exec(`INSERT INTO document_warning VALUES ($1, $2, $4, $3, $4)`, tenantA, invoice.ID, order.ID, hostile)
	c := s.as(everything(login.Operator))
	for _, path := range []string{"/", "/documents", "/open", "/documents/" + order.ID.String(), "/documents/" + invoice.ID.String(),
		"/pairs/" + order.ID.String() + "/" + invoice.ID.String(), "/documents?q=%3Cscript%3Ealert(1)%3C/script%3E"} {
		a := c.page(path)
		a.body = strings.Replace(a.body, `<script src="/console.js" defer></script>`, "", 1)
		for _, bad := range []string{"<script", "<img", "\u202e", "\u0007", `onerror=alert(1)>"`} {
			if strings.Contains(a.body, bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
		if !strings.Contains(a.body, "script&gt;alert(1)") {
			t.Errorf("%s has no text of the document", path)
		}
		if len(a.body) > 100_000 {
			t.Errorf("%s has %d bytes", path, len(a.body))
		}
	}
	if logged := s.logs.String(); logged != "" {
		t.Errorf("logged: %s", logged)
	}
}

func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	c := newSite(t).as(everything(login.Viewer))
	for _, path := range []string{"/", "/documents", "/open"} {
		c.page(path).want(t, "Nothing here yet")
	}
}

// Every tenant sees which service is away, and how much waits for it.
// A person sees the failed and stuck rows of a tenant, and no others.
func TestStatusPage(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	failed, stuck := s.numbered("4500000101"), s.numbered("4500000102")
	s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = 'disk <full>' WHERE id = $1", failed)
	s.exec("UPDATE document SET matching_status = 'pending', matching_due_at = now() - interval '3 hours' WHERE id = $1", stuck)
	c := s.as(everything(login.Viewer))
	c.page("/status?tenant="+tenantA.String()).want(t, "match 1 0 0 1 1 3 h 0 min", "1 failed row: matchbook status --failed",
		failed.String()+" disk <full> It waits for a person", stuck.String(), "publish the documents again: matchbook publish --failed")
	c.page("/status?tenant="+tenantB.String()).want(t, "match 0 0 0 0 0 -", "Nothing needs an operator.")
	before := c.page("/status?tenant=" + tenantA.String())
	lapsed := s.numbered("RE-2026-1187")
	s.exec("UPDATE document SET matching_status = 'in-progress', matching_attempts = 7, matching_lease_until = now() - interval '1 minute' WHERE id = $1", lapsed)
	c.page("/status?tenant="+tenantA.String()).want(t, "2 stuck", lapsed.String()+" It waits for the next delivery or the sweep")
	compare(t, "status", before, c.page("/status?tenant="+tenantB.String()), c.page("/status?tenant="+tenantA.String()))
}

func TestOverviewNamesOutage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenantA)
	s.exec("INSERT INTO document (id, tenant_id, type, matching_due_at) VALUES ($1, $1, 'invoice', NULL)", tenantA)
	s.exec(`INSERT INTO service_breaker (service, state, changed_at, outage_id, outage_since, error)
		VALUES ('gpt-test', 'open', now(), gen_random_uuid(), '2026-03-02T10:00:00Z', 'model provider failed (HTTP 503)')`)
	c := s.as(everything(login.Viewer))
	c.page("/").want(t, "gpt-test is away since 2026-03-02 10:00 UTC (model provider failed (HTTP 503)): nothing waits for it.")
	compare(t, "outage", c.page("/").part(t, "<h1>", "<section"), c.page("/status").part(t, "<h1>", "<table"))
}

func TestDatabaseErrorOnlyInLog(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	c := s.as(everything(login.Viewer))
	s.Close()
	a := c.get("/")
	if a.code != http.StatusServiceUnavailable || strings.Contains(a.body, "pool") || !strings.Contains(s.logs.String(), "page failed") {
		t.Errorf("%d %s; logged %q", a.code, a.text(), s.logs.String())
	}
}
