package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// An id that does not exist, and one that the token is not for, have one answer.
func TestIDsCannotBeProbed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	unknown := "/reviews/20000000-0000-4000-8000-0000000000ff"
	expired := *s.tokens
	expired.now = func() time.Time { return time.Now().Add(-TokenLife) }
	want := s.body(s.doAs("", "GET", pathA, ""), 404)
	for _, tc := range []struct{ name, token, path string }{
		{"no token, unknown id", "", unknown},
		{"no token, no id", "", "/reviews/x"},
		{"expired", expired.ForJob(tenantA, jobA), pathA},
		{"other review", s.tokens.ForJob(tenantA, jobB), pathA},
		{"other tenant", s.tokens.ForJob(tenantB, jobA), pathA},
		{"all reviews of another tenant", s.tokens.ForTenant(tenantB, time.Hour), pathA},
		{"all reviews of the tenant, unknown id", s.tokens.ForTenant(tenantA, time.Hour), unknown},
		{"all reviews of another tenant, unknown id", s.tokens.ForTenant(tenantB, time.Hour), unknown},
	} {
		for _, method := range []string{"GET ", "GET /page", "GET /text", "GET /findings", "GET /events", "GET /report",
			"POST /cancel", "POST /retry", "POST /findings/1"} {
			method, rest, _ := strings.Cut(method, " ")
			if got := s.body(s.doAs(tc.token, method, tc.path+rest, ""), 404); got != want {
				t.Errorf("%s, %s %s: got %s, want %s", tc.name, method, rest, got, want)
			}
		}
	}
	if s.job.Status != record.Running || len(s.sent)+len(s.actions) > 0 {
		t.Errorf("the review changed: %s, sent %v", s.job.Status, s.sent)
	}
	for _, token := range []string{s.tokens.ForJob(tenantA, jobA), s.tokens.ForTenant(tenantA, time.Hour)} {
		s.body(s.doAs(token, "GET", pathA, ""), 200)
	}
	s.body(s.doAs("", "GET", pathA+"?token="+s.tokens.ForJob(tenantA, jobA), ""), 200)
	s.body(s.doAs("", "GET", pathA+"?token="+s.tokens.ForTenant(tenantA, time.Hour), ""), 404) // addresses stay in logs
}

func TestReviewShowsGaps(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.change(func() {
		s.job.Status, s.job.ChunksOpen, s.job.Gaps, s.job.Calls, s.job.Cost = record.CompletedWithGaps, 0, 2, 31, 123_456
		s.chunks = []record.Chunk{
			{Position: 0, Kind: record.Text, End: 9, Status: job.StatusSucceeded},
			{Position: 1, Kind: record.Text, Start: 9, End: 20, Heading: "Term > Renewal", Status: job.StatusFailed,
				Stage: "categories", Error: "HTTP 500"},
			{Position: 4, Kind: record.Whole, Status: job.StatusFailed, Stage: "contract", Error: "out of time"},
		}
	})
	got := decoded[map[string]any](s, s.do("GET", pathA), 200)
	want := map[string]any{"id": jobA.String(), "tenant_id": tenantA.String(), "name": "lease.txt",
		"status": "completed-with-gaps", "over": true, "chunks": 4.0, "chunks_open": 0.0, "gaps": 2.0, "calls": 31.0,
		"cost_usd": 0.123456, "budget_usd": 2.0, "model": "scripted"}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: got %v, want %v", name, got[name], value)
		}
	}
	if unread, want := fmt.Sprint(got["unread"]), "[map[chunk:1 end_offset:20 heading:Term > Renewal kind:text reason:HTTP 500 "+
		"stage:categories start_offset:9 status:failed] map[chunk:4 end_offset:0 heading:The contract as a whole: repetitions, missing clauses, contradictions kind:whole reason:out of time "+
		"stage:contract start_offset:0 status:failed]]"; unread != want {
		t.Errorf("unread: got %s\nwant %s", unread, want)
	}
	if card, _ := got["card"].(map[string]any); card["effective"] != "2026-04-01" {
		t.Errorf("the card is %v", got["card"])
	}
	brief, _ := got["certificate"].(map[string]any)
	if all := decoded[report.Certificate](s, s.do("GET", pathA+"/certificate"), 200); len(all.Questions) != 26 ||
		all.Summary != brief["summary"] || brief["questions"] != nil {
		t.Errorf("the certificate is %+v, in brief %v", all, brief)
	}
	if text := s.body(s.do("GET", pathA+"/text"), 200); text != s.text {
		t.Errorf("text: got %q", text)
	}
	if page := s.body(s.do("GET", pathA+"/report"), 200); !strings.HasPrefix(page, "<!doctype html>") ||
		!strings.Contains(page, "lease.txt") {
		t.Errorf("report: got %.200s", page)
	}
}

func TestFindingsPagination(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if got := s.body(s.do("GET", pathA+"/findings"), 200); !strings.Contains(got, `"findings":[],"more":false`) {
		t.Errorf("of none: got %s", got)
	}
	for i := range 450 {
		s.find(fmt.Sprint("finding ", i+1))
	}
	for after, want := range map[int]struct {
		n    int
		more bool
	}{0: {200, true}, 200: {200, true}, 400: {50, false}, 449: {1, false}, 450: {0, false}, 9999: {0, false}} {
		got := decoded[found](s, s.do("GET", fmt.Sprintf("%s/findings?after=%d", pathA, after)), 200)
		if len(got.Findings) != want.n || got.More != want.more || want.n > 0 && got.Findings[0].Seq != after+1 {
			t.Errorf("after %d: got %d, more %v", after, len(got.Findings), got.More)
		}
	}
	for _, after := range []string{"-1", "x", "1.5", "1e3", "99999999999999999999"} {
		for _, path := range []string{"/findings", "/events"} {
			got := s.body(s.do("GET", pathA+path+"?after="+after), 400)
			if !strings.Contains(got, `"error":"after: `) {
				t.Errorf("after=%s: got %s", after, got)
			}
		}
	}
}

func TestCancelAndRetry(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for range 2 {
		if got := decoded[changed](s, s.do("POST", pathA+"/cancel"), 202); got != (changed{jobA, record.Cancelling}) {
			t.Errorf("cancel: got %v", got)
		}
	}
	s.change(func() { s.stopping = true })
	if a := s.do("POST", pathA+"/retry"); a.header.Get("Retry-After") != "5" ||
		!strings.Contains(s.body(a, 409), "still stopping") {
		t.Errorf("while it stops: got %s", a.body)
	}
	s.change(func() { s.stopping = false })
	s.end(record.Cancelled)
	if got := decoded[changed](s, s.do("POST", pathA+"/retry"), 202); got != (changed{jobA, record.Running}) {
		t.Errorf("retry: got %v", got)
	}
	if len(s.sent) != 1 || s.sent[0].ID != (uuid.UUID{9}) {
		t.Errorf("sent %v", s.sent)
	}
}

func TestCrossSiteIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/cancel", "/retry"} {
		for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
			{"Origin", "https://example.org"}} {
			if got := s.body(s.do("POST", pathA+path, header...), 403); !strings.Contains(got, `"error":`) {
				t.Errorf("%v: got %s", header, got)
			}
		}
	}
	if s.job.Status != record.Running {
		t.Error("the review was changed")
	}
	s.body(s.do("POST", pathA+"/cancel", "Sec-Fetch-Site", "same-origin", "Origin", s.server.URL), 202)
}

func TestUnknownPathIsJSON(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for request, want := range map[string]int{"GET /": 404, "GET /reviews/a/b/c": 404, "DELETE " + pathA: 405,
		"PUT " + pathA + "/cancel": 405, "GET " + pathA + "/cancel": 405, "POST " + pathA + "/findings": 405,
		"GET /documents/x": 404} {
		method, path, _ := strings.Cut(request, " ")
		r := s.do(method, path)
		got := s.body(r, want)
		if !strings.HasPrefix(got, `{"error":"`) || r.header.Get("Content-Type") != "application/json; charset=utf-8" ||
			(want == 405) != (r.header.Get("Allow") != "") {
			t.Errorf("%s: got %s, %v", request, got, r.header)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{pathA, pathA + "/page", pathA + "/report", pathA + "/text", "/reviews/page.js",
		"/reviews/page.css", "/nowhere"} {
		h := s.do("GET", path).header
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script-src 'unsafe") ||
			!strings.Contains(csp, "frame-ancestors 'none'") || h.Get("Content-Type") == "" {
			t.Errorf("%s: policy %q, type %q", path, csp, h.Get("Content-Type"))
		}
	}
}

func TestContentNegotiation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.change(func() { s.job.Name = `<script>alert("x")</script>` })
	for _, page := range []string{s.body(s.do("GET", pathA, "Accept", "text/html,*/*;q=0.8"), 200),
		s.body(s.do("GET", pathA+"/page"), 200)} {
		if strings.Contains(page, "<script>") || !strings.Contains(page, `&lt;script&gt;alert(`) ||
			!strings.Contains(page, `data-review="`+pathA+`"`) {
			t.Errorf("got %s", page)
		}
	}
	if got := decoded[map[string]any](s, s.do("GET", pathA, "Accept", "*/*"), 200); got["name"] != s.job.Name {
		t.Errorf("got %v", got)
	}
	if got := s.body(s.doAs("", "GET", pathA, "", "Accept", "text/html"), 404); !strings.Contains(got, "Ask for a new link") {
		t.Errorf("without a token: got %s", got)
	}
}

// The log has what happened; the client, and the log, have no value of an error.
func TestStoreErrorsAreRedacted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.change(func() { s.err = errors.New("PLANTED password") })
	for _, request := range []string{"GET ", "GET /findings", "GET /events", "POST /cancel"} {
		method, rest, _ := strings.Cut(request, " ")
		r := s.do(method, pathA+rest)
		if got := s.body(r, 503); strings.Contains(got, "PLANTED") || r.header.Get("Retry-After") == "" {
			t.Errorf("%s: got %s", request, got)
		}
	}
	if log := s.log.String(); strings.Contains(log, "PLANTED") || !strings.Contains(log, "read a review") ||
		!strings.Contains(log, `route="GET /reviews/{id}/findings"`) {
		t.Errorf("logged %s", log)
	}
}

func TestPanicEndsOneRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *Config) { c.Control = nil })
	if got := s.body(s.do("POST", pathA+"/cancel"), 500); !strings.Contains(got, `"error":`) {
		t.Errorf("got %s", got)
	}
	if log := s.log.String(); !strings.Contains(log, "level=ERROR msg=panic") || strings.Contains(log, "token") {
		t.Errorf("logged %s", log)
	}
	s.body(s.do("GET", pathA), 200)
}

func TestHeadOfStream(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if r := s.do(http.MethodHead, pathA+"/events"); r.status != 200 {
		t.Errorf("got %d", r.status)
	}
}
