package web

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// shelf is a store with one review, jobA of tenantA, whose course the test decides.
type shelf struct {
	mu       sync.Mutex
	job      record.Job
	chunks   []record.Chunk
	text     string
	findings []record.Finding
	err      error // of every read
	stopping bool
	reads    int
	sent     []job.Stamped
	started  []review.Request
	reviews  int // of tenantA, not ended
	actions  []record.Action
	forms    map[uuid.UUID]bool
}

func newShelf() *shelf {
	return &shelf{forms: map[uuid.UUID]bool{}, text: "§ 1 Term\nThe term renews.\n", job: record.Job{ID: jobA, TenantID: tenantA, Name: "lease.txt",
		Status: record.Running, Chunks: 4, ChunksOpen: 4, Model: "scripted", Budget: 2_000_000}}
}

// find adds findings with these titles.
func (s *shelf) find(titles ...string) {
	s.change(func() {
		for _, title := range titles {
			s.job.Findings++
			s.findings = append(s.findings, record.Finding{Seq: s.job.Findings, Analyst: "renewal-trap",
				Category: record.Renewal, Severity: record.High, Title: title, Explanation: "Because.",
				Quote: "renews", Start: 19, End: 25, Fallback: "It ends."})
		}
	})
}

func (s *shelf) end(status record.Status) {
	s.change(func() { s.job.Status, s.job.ChunksOpen = status, 0 })
}

func (s *shelf) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *shelf) check(id uuid.UUID) error {
	s.reads++
	if s.err == nil && id != jobA {
		return job.ErrNotFound
	}
	return s.err
}

func (s *shelf) Job(_ context.Context, id uuid.UUID) (record.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.job, s.check(id)
}

func (s *shelf) Chunks(_ context.Context, id uuid.UUID) ([]record.Chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chunks, s.check(id)
}

func (s *shelf) Text(_ context.Context, id uuid.UUID) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text, s.check(id)
}

func (s *shelf) Findings(_ context.Context, id uuid.UUID, after, limit int) ([]record.Finding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.findings[min(after, len(s.findings)):]
	return append([]record.Finding(nil), list[:min(limit, len(list))]...), s.check(id)
}

func (s *shelf) Marks(_ context.Context, id uuid.UUID) ([]record.Mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nil, s.check(id)
}

func (s *shelf) Card(_ context.Context, id uuid.UUID) (*record.Card, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &record.Card{Effective: "2026-04-01"}, nil, s.check(id)
}

func (s *shelf) Questions(_ context.Context, id uuid.UUID) ([]record.Question, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nil, s.check(id)
}

func (s *shelf) Cancel(_ context.Context, id uuid.UUID) (record.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.job.Status.Over() {
		s.job.Status = record.Cancelling
	}
	return s.job.Status, s.check(id)
}

func (s *shelf) Actions(_ context.Context, id uuid.UUID) ([]record.Action, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]record.Action(nil), s.actions...), s.check(id)
}

// Act is that of the store, for the tests of the handler and the page. TestActOnPostgres has the store's.
func (s *shelf) Act(_ context.Context, _ uuid.UUID, f record.Ref, q record.Request) (d record.Disposition, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d = record.DispositionsOf(s.actions)[f.Seq]
	switch {
	case f.Seq < 1 || f.Seq > len(s.findings):
		return d, job.ErrNotFound
	case s.forms[q.Form] || d.Holds(q.Action):
		return d, nil
	case q.Seen != nil && *q.Seen != d.Version && q.Kind != record.Comment:
		return d, record.ErrChanged
	}
	q.ID, q.Seq, q.At = int64(len(s.actions)+1), f.Seq, time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	s.actions, s.forms[q.Form] = append(s.actions, q.Action), true
	return d, s.err
}

func (s *shelf) Retry(_ context.Context, id uuid.UUID) ([]job.Stamped, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return nil, record.ErrStopping
	}
	s.job.Status, s.job.ChunksOpen = record.Running, 1
	return []job.Stamped{{ID: uuid.UUID{9}}}, s.check(id)
}

func (s *shelf) OpenReviews(_ context.Context, tenant uuid.UUID) (int, error) {
	if tenant != tenantA {
		return 0, nil
	}
	return s.reviews, nil
}

func (s *shelf) Start(_ context.Context, q review.Request) (uuid.UUID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = append(s.started, q)
	return jobA, s.err
}

func (s *shelf) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, messages...)
	return nil, nil
}

// site is a handler over a shelf, behind a real server.
type site struct {
	*shelf
	t      *testing.T
	tokens *Tokens
	server *httptest.Server
	log    *strings.Builder
}

func newSite(t *testing.T, settings ...func(*Config)) *site {
	t.Helper()
	tokens := must.Get(NewTokens(secretA))(t)
	s := &site{shelf: newShelf(), t: t, tokens: tokens, log: &strings.Builder{}}
	c := Config{Reviews: s.shelf, Control: s.shelf, Starter: s.shelf, Sender: s.shelf, Tokens: tokens, Quota: s.shelf,
		Log:  slog.New(slog.NewTextHandler(s.log, nil)),
		Poll: time.Millisecond, Reconnect: time.Millisecond}
	for _, set := range settings {
		set(&c)
	}
	s.server = httptest.NewServer(New(c))
	t.Cleanup(s.server.Close)
	return s
}

// answer is a response that was read.
type answer struct {
	path   string
	status int
	header http.Header
	body   string
}

// do sends a request; the token is that of jobA.
func (s *site) do(method, path string, headers ...string) answer {
	s.t.Helper()
	return s.doAs(s.tokens.ForJob(tenantA, jobA), method, path, "", headers...)
}

func (s *site) doAs(token, method, path, body string, headers ...string) answer {
	s.t.Helper()
	r, err := http.DefaultClient.Do(s.request(token, method, path, body, headers...))
	must.OK(s.t, err)
	defer r.Body.Close()
	b := must.Get(io.ReadAll(r.Body))(s.t)
	return answer{method + " " + path, r.StatusCode, r.Header, string(b)}
}

func (s *site) request(token, method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	r := must.Get(http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, strings.NewReader(body)))(s.t)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// body returns the body of an answer, which must have this status.
func (s *site) body(a answer, status int) string {
	s.t.Helper()
	if a.status != status {
		s.t.Fatalf("%s: got %d, want %d: %s", a.path, a.status, status, a.body)
	}
	return a.body
}

// decoded reads an answer in JSON.
func decoded[T any](s *site, a answer, status int) (v T) {
	s.t.Helper()
	must.OK(s.t, json.Unmarshal([]byte(s.body(a, status)), &v))
	return v
}

const pathA = "/reviews/20000000-0000-4000-8000-00000000000a"
