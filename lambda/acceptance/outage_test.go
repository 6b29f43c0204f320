package acceptance_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local"
	"matchbook/lambda/local/reviewrun"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/chunk"
	reviewreport "matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// provider is a scripted model behind a gateway that may answer 503.
type provider struct {
	*scripted.Server
	url    string
	away   atomic.Bool
	wasted atomic.Int32 // requests while it was away
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	reviews := scripted.ReviewByRules()
	p := &provider{Server: startModel(t, scripted.Options{Mind: func(q scripted.Question) string {
		switch q.Name {
		case "match_decision":
			return choosing("high")
		case "document_extraction":
			return newPrintedInvoice("4403").answer(t, "")
		}
		return reviews(q)
	}})}
	to := must.Get(url.Parse(p.URL()))(t)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, to.Host
	}}
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.away.Load() {
			p.wasted.Add(1)
			http.Error(w, "<html>503 Service Temporarily Unavailable</html>", http.StatusServiceUnavailable)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(gateway.Close)
	p.url = gateway.URL + to.Path
	return p
}

// pass lets time pass, a minute at a time, with a sweep each.
func (o *office) pass(d time.Duration) {
	o.t.Helper()
	for range int(d / time.Minute) {
		must.OK(o.t, o.WaitIdle(o.t.Context()))
		must.OK(o.t, o.Advance(o.t.Context(), time.Minute))
		must.Get(o.Sweep(o.t.Context()))(o.t)
	}
	must.OK(o.t, o.WaitIdle(o.t.Context()))
}

// outageState counts the rows by state, the parked ones apart, and lists the notifications.
func (o *office) outageState() string {
	o.t.Helper()
	return query[string](o.line, `SELECT string_agg(n || ' ' || state, ', ' ORDER BY state) || '; '
			|| coalesce((SELECT string_agg(kind, ', ' ORDER BY created_at) FROM notification WHERE subject = 'service'), 'nothing') || ' told'
		FROM (SELECT count(*) AS n, state FROM (
			SELECT 'document ' || matching_status || CASE WHEN matching_status = 'pending' AND matching_parked_for <> '' THEN ', parked' ELSE '' END
				AS state FROM document WHERE matching_status IS NOT NULL
			UNION ALL SELECT 'file ' || job_status || CASE WHEN job_status = 'pending' AND parked_for <> '' THEN ', parked' ELSE '' END FROM ingestion
			UNION ALL SELECT 'review ' || status FROM review_job) AS rows GROUP BY state) AS counts`)
}

// newOutageOffice is an office with match, ingest and review, all with the provider's model.
func newOutageOffice(t *testing.T, p *provider) *office {
	t.Helper()
	o := &office{files: t.TempDir(), line: newStage(t)}
	var functions []local.FunctionConfig
	for _, row := range []manifest.Function{manifest.Match, manifest.Ingest, manifest.Review} {
		functions = append(functions, local.FunctionConfig{Row: row, Bootstrap: bootstrap(t, row.Package), Concurrency: officeWorkers,
			Logs: o.output(), Env: append(asksModel(p.url), "BLOB_URL="+blob.FolderURL(o.files), "OCR=none")})
	}
	o.start(local.StackConfig{FrozenAt: testStart, OnEvent: o.event, Functions: functions})
	o.ingest = o.Consumers[1]
	return o
}

// The provider answers 503 for three quarters of an hour, for longer than all retries. Nothing
// fails, and nothing is bought twice.
func TestProviderOutage(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	o := newOutageOffice(t, p)
	groups := o.groups(3, rand.New(rand.NewPCG(1, 2)), nil) //nolint:gosec // the same words each time
	for _, g := range groups {
		o.publish(g.order, g.first)
	}
	o.finish()
	p.away.Store(true)
	for _, g := range groups {
		o.publish(g.second)
	}
	file := o.lay("invoice.txt", []byte(textPage))
	starter := review.Starter{Store: reviews.New(o.DB), Sender: o.Consumers[2].Queue, Log: slog.New(slog.DiscardHandler), Model: manifest.DefaultModel}
	contract := must.Get(chunk.Clean([]byte(testdata(t, "contracts/wartungsvertrag.txt"))))(t)
	id := must.Get(starter.Start(t.Context(), review.Request{TenantID: testTenant, Name: "contract", Text: contract}))(t)
	o.pass(45 * time.Minute)
	// The rules' matches of the second invoices may change the question of the others, or not.
	n := query[int](o.line, "SELECT count(*) FROM document WHERE matching_parked_for <> '' AND matching_due_at > $1", testStart.Add(45*time.Minute))
	check(t, "during the outage", o.outageState(), fmt.Sprintf("%d document pending, parked, %d document succeeded, "+
		"1 file pending, parked, 1 review running; outage told", n, 9-n))
	o.checkWords(t, p, n, groups[0].second, file.DocumentID, id)
	if n := p.wasted.Load(); n > 100 {
		t.Errorf("%d calls of a provider that was away", n)
	}
	p.away.Store(false)
	o.pass(20 * time.Minute)
	check(t, "after it", o.outageState(), "10 document succeeded, 1 file succeeded, 1 review completed; outage, outage over told")
	check(t, "answers bought twice", query[int](o.line, `SELECT count(*) FROM (SELECT FROM model_answer GROUP BY question HAVING count(*) > 1) AS q`), 0)
	for _, c := range o.Consumers {
		if _, dlq := c.Stats(); dlq.Visible > 0 {
			t.Errorf("%d dead letters", dlq.Visible)
		}
	}
}

// checkWords checks what people read during the outage.
func (o *office) checkWords(t *testing.T, p *provider, parked int, document, filed, id uuid.UUID) {
	t.Helper()
	name := manifest.DefaultModel + "@" + strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/v1")
	reader := explain.NewReader(t.Context(), o.DB)
	away := must.Get(postgres.ReadAway(t.Context(), o.DB))(t)
	contract := must.Get(reviewreport.Read(t.Context(), reviews.New(o.DB), id))(t)
	for what, said := range map[string]struct{ got, want string }{
		"document": {must.Get(reader.Explain([]string{document.String()}))(t).Text(), "for " + name + ", which is away; it goes on by itself"},
		"file":     {must.Get(reader.Explain([]string{filed.String()}))(t).Text(), "for " + name + ", which is away; it goes on by itself"},
		"error":    {query[string](o.line, "SELECT matching_error FROM document WHERE id = $1", document), "away since 2026-03-02 09:00 UTC (model provider failed (HTTP 503))"},
		"open": {must.Get(reader.Waiting(report.WaitingFilter{}, 10))(t).Text(), name + " is away since 2026-03-02 09:00 UTC (model provider failed (HTTP 503)): " + plural.Of(parked, "document") +
			", 1 file, 1 review waiting; the sweep goes on with them by itself"},
		"console": {fmt.Sprint(away), name + " is away since 2026-03-02 09:00 UTC"},
		"review":  {string(must.Get(reviewreport.HTML(contract))(t)), "It is waiting for " + name + ", away since 2026-03-02 09:00 UTC, and goes on by itself."},
		"status":  {reviewrun.ResultOf(contract).Text(), "waiting for " + name + ", away since 2026-03-02 09:00 UTC; it goes on by itself"},
	} {
		if !strings.Contains(strings.Join(strings.Fields(said.got), " "), said.want) {
			t.Errorf("%s: got %s\nwant %s", what, said.got, said.want)
		}
	}
}
