package console_test

import (
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/importer"
	"matchbook/lambda/console"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The tenants of the sample documents.
var (
	tenantA = uuid.MustParse("10000000-0000-4000-8000-000000000001")
	tenantB = uuid.MustParse("20000000-0000-4000-8000-000000000001")
)

// site is a console over a database of its own.
type site struct {
	*postgres.DB
	conn *pgx.Conn
	t    testing.TB
	logs logs
	sent *outbox // nil: the sweep sends the messages
	// With files, the console takes and shows them; their messages go to reads.
	files blob.Store
	reads *outbox
	said  *journal
}

// logs are the lines that the console logs.
type logs struct {
	mu sync.Mutex
	strings.Builder
}

// Write keeps a line.
func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(b)
}

func newSite(t testing.TB) *site {
	t.Helper()
	return siteOver(t, postgrestest.URL(t))
}

func siteOver(t testing.TB, url string) *site {
	t.Helper()
	s := &site{DB: postgrestest.Open(t, url), conn: postgrestest.Conn(t, url), t: t}
	s.said = newJournal(t, &s.logs)
	return s
}

// newSample is a site with the sample documents, matched by the rules.
func newSample(t testing.TB) *site {
	t.Helper()
	return siteOver(t, matchedSample(t))
}

var matchedSample = postgrestest.Once(func(t testing.TB, url string) {
	in := must.Get(corpus.ReadFolder("../../testdata/documents"))(t)
	s := siteOver(t, url)
	s.add(importer.Rows(in.Documents)...)
	s.Close()
	must.OK(t, s.conn.Close(t.Context()))
})

// add stores documents, and matches them.
func (s *site) add(docs ...postgres.Imported) {
	s.t.Helper()
	must.Get(s.Add(s.t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(s.t)
	for _, d := range docs {
		s.match(d.ID)
	}
}

func (s *site) match(id uuid.UUID) {
	s.t.Helper()
	claims := must.Get(s.Claim(s.t.Context(), []job.Delivery{{ID: id}}, time.Minute, false))(s.t)
	m := &match.Matcher{Store: matches.New(s.DB), Log: slog.New(slog.DiscardHandler)}
	if err := job.Work(m.Match).One(s.t.Context(), claims[0].Attempt); err != nil {
		s.t.Logf("%s: %v", id, err)
	}
}

func doc(id byte, tenant uuid.UUID, t document.Type, data string) postgres.Imported {
	return postgres.Imported{ID: uuid.UUID{0: 0xd0, 6: 0x40, 8: 0x80, 15: id}, TenantID: tenant, Type: t, Data: json.RawMessage(data)}
}

func (s *site) exec(sql string, args ...any) {
	s.t.Helper()
	postgrestest.Exec(s.t, s.conn, sql, args...)
}

// found reads a value.
func found[T any](s *site, sql string, args ...any) T {
	s.t.Helper()
	return postgrestest.Value[T](s.t, s.conn, sql, args...)
}

// numbered is the id of the document with a number.
func (s *site) numbered(number string) uuid.UUID {
	s.t.Helper()
	return found[uuid.UUID](s, "SELECT id FROM document WHERE structured_data ->> 'number' = $1", number)
}

// client is a browser of a person who is logged in.
type client struct {
	*http.Client
	t    testing.TB
	base string
	link string // that logs in
	said *journal
}

// serve starts a console of its own for a person.
func (s *site) serve(roles map[uuid.UUID]login.Role) *client {
	s.t.Helper()
	config := console.Config{DB: s.DB, Log: slog.New(slog.NewTextHandler(&s.logs, nil)), Time: time.Hour}
	if s.sent != nil {
		config.Sender = s.sent
	}
	if s.files != nil {
		config.Files, config.Reads, config.MaxUpload = s.files, s.reads, 1<<20
	}
	handler := must.Get(console.New(config))(s.t)
	local := login.NewLocal(login.Person{ID: "p", Name: "Paula", Roles: roles})
	server := httptest.NewServer(local.Handler(slog.New(slog.DiscardHandler), handler))
	s.t.Cleanup(server.Close)
	return &client{Client: server.Client(), t: s.t, base: server.URL, link: server.URL + local.Link(), said: s.said}
}

// as is a client of a person who is logged in.
func (s *site) as(roles map[uuid.UUID]login.Role) *client {
	s.t.Helper()
	c := s.serve(roles)
	jar := must.Get(cookiejar.New(nil))(s.t)
	c.Client = &http.Client{Jar: jar, Transport: c.Transport}
	if a := c.get(strings.TrimPrefix(c.link, c.base)); a.code != http.StatusOK {
		s.t.Fatalf("the login: %d %s", a.code, a.body)
	}
	return c
}

func everything(r login.Role) map[uuid.UUID]login.Role { return map[uuid.UUID]login.Role{uuid.Nil: r} }

// answer is the last one of a request, after redirects.
type answer struct {
	code int
	path string
	body string
	kind string // its content type, the name of a file, when to try again, and the place in the page
}

func answered(t testing.TB, r *http.Response) answer {
	t.Helper()
	defer r.Body.Close()
	kind := []string{r.Header.Get("Content-Type"), r.Header.Get("Content-Disposition"), r.Header.Get("Retry-After"), r.Request.URL.Fragment}
	return answer{r.StatusCode, r.Request.URL.RequestURI(), string(must.Get(io.ReadAll(r.Body))(t)), strings.Join(slices.DeleteFunc(kind, func(s string) bool { return s == "" }), " ")}
}

// text is the page without its tags, in one line.
func (a answer) text() string {
	text, tag := strings.Builder{}, false
	for _, r := range a.body {
		switch {
		case r == '<':
			tag = true
			text.WriteByte(' ')
		case r == '>':
			tag = false
		case !tag:
			text.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(html.UnescapeString(text.String())), " ")
}

func (c *client) get(path string) answer {
	c.t.Helper()
	return c.do(http.MethodGet, path, nil)
}

func (c *client) do(method, path string, form url.Values) answer {
	c.t.Helper()
	r := must.Get(http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(form.Encode())))(c.t)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return c.answer(r, path)
}

// answer sends a request, and notes the answer.
func (c *client) answer(r *http.Request, path string) answer {
	c.t.Helper()
	response, err := c.Do(r)
	must.OK(c.t, err)
	a := answered(c.t, response)
	c.said.note(r.Method, path, a)
	return a
}

// page is a page that must be there.
func (c *client) page(path string) answer {
	c.t.Helper()
	a := c.get(path)
	if a.code != http.StatusOK {
		c.t.Fatalf("%s: %d %s", path, a.code, a.text())
	}
	return a
}

// want fails the test unless a page has these texts, without tags.
func (a answer) want(t testing.TB, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(a.text(), want) {
			t.Errorf("%s: %q is missing in\n%s", a.path, want, a.text())
		}
	}
}
