package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/review/playbook"

	"github.com/google/uuid"
)

// post sends a request to start a review, with the token of tenantA.
func (s *site) post(body string, headers ...string) answer {
	s.t.Helper()
	return s.doAs(s.tokens.ForTenant(tenantA, time.Hour), "POST", "/reviews", body,
		append([]string{"Content-Type", "application/json"}, headers...)...)
}

func TestStart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.post(`{"tenant_id":"` + strings.ToUpper(tenantA.String()) + `","document_id":"` + jobB.String() +
		`","name":" lease.txt ","text":"§ 1\r\nText\u202e.","budget_usd":1.234567,"playbook":` + string(playbook.Default()) + `}`)
	got := decoded[started](s, a, 202)
	if len(s.started) != 1 {
		t.Fatalf("started %d", len(s.started))
	}
	q := s.started[0]
	if q.ID != uuid.Nil || q.TenantID != tenantA || q.DocumentID != jobB || q.Name != "lease.txt" || q.Text != "§ 1\nText." ||
		q.Budget != 1_234_567 || string(q.Playbook) != strings.TrimSpace(string(playbook.Default())) {
		q.Playbook = nil
		t.Errorf("asked for %+v", q)
	}
	if got.ID != jobA || got.Page != pathA+"/page?token="+got.Token || a.header.Get("Location") != pathA ||
		time.Until(got.Expires) > TokenLife || time.Until(got.Expires) < TokenLife-time.Hour {
		t.Errorf("got %+v, %v", got, a.header)
	}
	s.body(s.doAs("", "GET", got.Page, ""), 200)
	if granted, err := s.tokens.read(got.Token); err != nil || granted.tenant != tenantA || granted.job != jobA {
		t.Errorf("its token is for %v, %v", granted, err)
	}
}

// A tenant with a hundred reviews waits; another doesn't.
func TestReviewsPerTenant(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.reviews = 99
	s.body(s.post(`{"text":"x"}`), 202)
	s.reviews = 100
	a := s.post(`{"text":"x"}`)
	if body := s.body(a, 429); !strings.Contains(body, "at most 100 of a tenant") || a.header.Get("Retry-After") != "60" {
		t.Errorf("got %s, %v", body, a.header)
	}
	s.body(s.doAs(s.tokens.ForTenant(tenantB, time.Hour), "POST", "/reviews", `{"text":"x"}`, "Content-Type", "application/json"), 202)
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, key := range []string{"a", "a", "b"} {
		s.body(s.post(`{"text":"x"}`, "Idempotency-Key", key), 202)
	}
	other := s.doAs(s.tokens.ForTenant(tenantB, time.Hour), "POST", "/reviews", `{"text":"x"}`,
		"Content-Type", "application/json", "Idempotency-Key", "a")
	s.body(other, 202)
	a, again, b, others := s.started[0].ID, s.started[1].ID, s.started[2].ID, s.started[3].ID
	if a == uuid.Nil || a != again || a == b || a == others {
		t.Errorf("ids %v, %v, %v, of another tenant %v", a, again, b, others)
	}
}

func TestErrorsNameField(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for body, want := range map[string]string{
		``:                                   "400 invalid JSON body: EOF",
		`{"text":"x"`:                        "400 invalid JSON body: unexpected EOF",
		`{"text":"x"} {}`:                    "400 invalid JSON body: expected a single JSON value",
		`{"text":"x","txet":1}`:              `400 invalid JSON body: unknown field "txet"`,
		`{"text":1}`:                         "422 text: expected string, got number",
		`{"budget_usd":"1"}`:                 "422 budget_usd: expected number, got string",
		`{"text":"x","budget_usd":-0.01}`:    "422 budget_usd: must be between 0 and 10000",
		`{"text":"x","budget_usd":10001}`:    "422 budget_usd: must be between 0 and 10000",
		`{"text":"x","document_id":"7"}`:     "422 document_id: expected a UUID",
		`{"text":"x","tenant_id":"x"}`:       "422 tenant_id: token is for another tenant",
		`{"text":"x","playbook":{"side":1}}`: "422 playbook: ",
		`{"text":""}`:                        "422 text: ",
		`{}`:                                 "422 text: ",
		`{"document_id":"` + jobB.String() + `"}`:             "422 text: missing; to use the document's text, the server must have a BLOB_URL",
		`{"text":" \u0000 \u202e "}`:                          "422 text: ",
		`{"text":"` + strings.Repeat("a ", 5<<19+1) + `"}`:    "422 text: ",
		`{"text":"` + strings.Repeat("a ", 3<<20) + `"}`:      "413 request too large: at most 6 MB",
		`{"text":"x","tenant_id":"` + tenantB.String() + `"}`: "422 tenant_id: token is for another tenant",
	} {
		a := s.post(body)
		got := decoded[map[string]string](s, a, a.status)["error"]
		if !strings.HasPrefix(fmt.Sprint(a.status, " ", got), want) {
			t.Errorf("%.60s: got %d %s\nwant %s", body, a.status, got, want)
		}
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		s.body(s.post(`{"text":"x"}`, "Content-Type", kind), 415)
	}
	s.body(s.post(`{"text":"x"}`, "Sec-Fetch-Site", "cross-site"), 403)
	if len(s.started) > 0 {
		t.Errorf("started %v", s.started)
	}
	s.body(s.post(`{"text":"x"}`, "Content-Type", "application/json; charset=utf-8"), 202)
}

func TestStartNeedsTenantToken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	expired := *s.tokens
	expired.now = func() time.Time { return time.Now().Add(-2 * time.Hour) }
	for name, tc := range map[string]struct {
		token string
		want  int
	}{
		"none":          {"", 401},
		"expired":       {expired.ForTenant(tenantA, time.Hour), 401},
		"of one review": {s.tokens.ForJob(tenantA, jobA), 403},
		"other secret":  {tokensAt(t, secretB, time.Now()).ForTenant(tenantA, time.Hour), 401},
	} {
		a := s.doAs(tc.token, "POST", "/reviews", `{"text":"x"}`, "Content-Type", "application/json")
		s.body(a, tc.want)
		if (tc.want == 401) != (a.header.Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("%s: %v", name, a.header)
		}
	}
	if len(s.started) > 0 {
		t.Errorf("started %v", s.started)
	}
}

func TestHandlerWithoutStarter(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *Config) { c.Starter = nil })
	for _, token := range []string{"", s.tokens.ForJob(tenantA, jobA), s.tokens.ForTenant(tenantA, time.Hour)} {
		a := s.doAs(token, "POST", "/reviews", `{"text":"x"}`, "Content-Type", "application/json")
		got := decoded[map[string]string](s, a, http.StatusForbidden)["error"]
		if want := "cannot start reviews here: this address only shows them"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s.body(s.do("GET", pathA), 200)
}

func TestStartFailures(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"422 a budget needs a price":          failure.Permanently("a budget needs a price"),
		"503 review unavailable; retry later": failure.At("store", errors.New("PLANTED")),
	} {
		s := newSite(t)
		s.change(func() { s.err = err })
		a := s.post(`{"text":"x"}`)
		if got := fmt.Sprint(a.status, " ", decoded[map[string]string](s, a, a.status)["error"]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if strings.Contains(s.log.String(), "PLANTED") {
			t.Errorf("logged %s", s.log)
		}
	}
}

// library is a store of the texts of documents.
type library struct {
	text string
	err  error
	t    *testing.T
}

func (l *library) ContractText(_ context.Context, tenant, document uuid.UUID) (string, error) {
	if tenant != tenantA || document != jobB {
		l.t.Errorf("asked for document %s of tenant %s", document, tenant)
	}
	return l.text, l.err
}

func TestDocumentText(t *testing.T) {
	t.Parallel()
	texts := &library{t: t, text: "1. Term"}
	s := newSite(t, func(c *Config) { c.Texts = texts })
	body := `{"document_id":"` + jobB.String() + `"}`
	s.body(s.post(body), 202)
	s.body(s.post(`{"document_id":"`+jobB.String()+`","text":"2. Price"}`), 202)
	if a, b := s.started[0], s.started[1]; a.Text != "1. Term" || a.DocumentID != jobB || b.Text != "2. Price" || b.DocumentID != jobB {
		t.Errorf("started %+v", s.started)
	}
	for want, err := range map[string]error{
		"404 document_id: document not found": failure.At("read", job.ErrNotFound),
		"422 document_id: it has no text":     failure.Permanently("it has no text"),
		"503 review unavailable; retry later": failure.At("read", errors.New("PLANTED")),
	} {
		texts.err = err
		a := s.post(body)
		if got := fmt.Sprint(a.status, " ", decoded[map[string]string](s, a, a.status)["error"]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if len(s.started) != 2 || strings.Contains(s.log.String(), "PLANTED") {
		t.Errorf("started %d, logged %s", len(s.started), s.log)
	}
}
