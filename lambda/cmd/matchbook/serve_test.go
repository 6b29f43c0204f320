package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// serving is a serve command under way.
type serving struct {
	t         *testing.T
	conn      *pgx.Conn
	url, data string
	interrupt context.CancelFunc
	ended     chan int
	out       lockedBuffer
	errors    lockedBuffer
}

// lockedBuffer is written by the command and read by the test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

var servedAt = regexp.MustCompile(`Matchbook serves (http://\S+)`)

// startServe runs serve on an empty database until the test ends.
func startServe(t *testing.T, args ...string) *serving {
	t.Helper()
	return startServeIn(t, map[string]string{variable.DatabaseURL: postgrestest.EmptyURL(t)}, args...)
}

func startServeIn(t *testing.T, env map[string]string, args ...string) *serving {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	data := t.TempDir()
	s := &serving{t: t, data: data, interrupt: interrupt, ended: make(chan int, 1)}
	args = append([]string{"serve", "--data", data, "--addr", "127.0.0.1:0", "--every", "100ms"}, args...)
	go func() { s.ended <- run(ctx, args, func(name string) string { return env[name] }, &s.out, &s.errors) }()
	t.Cleanup(func() { s.stop() })
	eventually(t, "serve starts", func() bool {
		found := servedAt.FindStringSubmatch(s.out.String())
		if found != nil {
			s.url = found[1]
		}
		return found != nil || s.over()
	})
	s.conn = postgrestest.Conn(t, env[variable.DatabaseURL])
	return s
}

func (s *serving) over() bool {
	select {
	case code := <-s.ended:
		s.t.Fatalf("serve ended with %d\n%s", code, s.errors.String())
	default:
	}
	return false
}

func (s *serving) stop() int {
	s.interrupt()
	code := <-s.ended
	s.ended <- code
	return code
}

// eventually polls, because what it waits for happens in another program.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func (s *serving) get(client *http.Client, path string) (int, string) {
	s.t.Helper()
	response, err := client.Get(s.url + path)
	must.OK(s.t, err)
	defer response.Body.Close()
	return response.StatusCode, string(must.Get(io.ReadAll(response.Body))(s.t))
}

const orderAndInvoice = `
INSERT INTO tenant (id, name) VALUES ('10000000-0000-4000-8000-000000000001', 'Example') ON CONFLICT (id) DO NOTHING;
INSERT INTO document (id, tenant_id, type, structured_data, matching_status) VALUES
(gen_random_uuid(), '10000000-0000-4000-8000-000000000001', 'purchase-order',
 '{"number":"PO-7","supplier":{"name":"Acme GmbH"},"total":"119.00"}', 'pending'),
(gen_random_uuid(), '10000000-0000-4000-8000-000000000001', 'invoice',
 '{"number":"RE-1","supplier":{"name":"Acme GmbH"},"total":"119.00","references":[{"type":"purchase-order","number":"PO-7"}]}', 'pending')`

// twoOrders fit an invoice equally well, so that the model is asked.
const twoOrders = `
INSERT INTO document (id, tenant_id, type, structured_data, matching_status)
SELECT gen_random_uuid(), '10000000-0000-4000-8000-000000000001', kind::document_type, jsonb_build_object('number', kind || n, 'date', '2026-03-02',
	'supplier', '{"name":"Beta AG"}'::jsonb, 'line_items', '[{"sku":"L-1","quantity":"2"}]'::jsonb), 'pending'
FROM (VALUES ('purchase-order', 1), ('purchase-order', 2), ('invoice', 3)) AS two (kind, n)`

// Rows of another program are matched, health and metrics tell of it, and an interrupt lets
// running work finish.
func TestServe(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan bool, 9), make(chan bool)
	model := must.Get(scripted.Start(t.Context(), scripted.Options{Mind: func(scripted.Question) string {
		asked <- true
		<-answer
		return `{"matches":[]}`
	}}))(t)
	t.Cleanup(model.Close)
	s := startServeIn(t, map[string]string{variable.DatabaseURL: postgrestest.EmptyURL(t), variable.OpenAIBaseURL: model.URL(), variable.OpenAIKey: "key"})
	must.Get(s.conn.Exec(t.Context(), orderAndInvoice))(t)
	eventually(t, "the two documents match", func() bool {
		return postgrestest.Value[int](t, s.conn, "SELECT count(*) FROM matchbook_match") == 1
	})
	eventually(t, "it is healthy", func() bool { code, _ := s.get(http.DefaultClient, "/healthz"); return code == http.StatusOK })
	eventually(t, "the metrics count both", func() bool {
		_, text := s.get(http.DefaultClient, "/metrics")
		return strings.Contains(text, "matchbook_succeeded_total{function=\"match\"} 2\n")
	})
	for path, want := range map[string]string{"/reviews": `405 {"error":"unsupported method; use POST"}`, "/reviews/x": `404 {"error":"review not found, or`,
		"/healthz": "200 ok\n", "/metrics": "200 # TYPE matchbook_", "/nowhere": "401 <!doctype html>"} {
		if code, text := s.get(http.DefaultClient, path); !strings.HasPrefix(fmt.Sprint(code, " ", text), want) {
			t.Errorf("%s: %d %.100s, want %s", path, code, text, want)
		}
	}
	eventually(t, "the sweep and the schedule are counted, too", func() bool {
		_, text := s.get(http.DefaultClient, "/metrics")
		return strings.Contains(text, "matchbook_backlog{function=\"sweep\"} 0\n") && strings.Contains(text, "matchbook_queued_total{function=\"schedule\"} 0\n")
	})
	// The command needs no queue to publish: the process finds the row.
	must.Get(s.conn.Exec(t.Context(), "UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = 'broken'"))(t)
	if code, out, errOut := matchbook(t, s.conn.Config().ConnString(), "publish", "--failed"); code != cli.ExitOK {
		t.Errorf("publish: exit status %d\n%s%s", code, out, errOut)
	}
	eventually(t, "what was published is done again", func() bool {
		return postgrestest.Value[int](t, s.conn, "SELECT count(*) FROM document WHERE matching_status = 'succeeded' AND matching_attempts = 2") == 2
	})
	must.Get(s.conn.Exec(t.Context(), twoOrders))(t)
	eventually(t, "the model is asked", func() bool { return len(asked) > 0 || s.over() })
	s.interrupt()
	eventually(t, "the command waits", func() bool { return strings.Contains(s.errors.String(), "running work is finished first") })
	close(answer)
	if code := s.stop(); code != cli.ExitOK {
		t.Errorf("exit status %d\n%s", code, s.errors.String())
	}
	eventually(t, "its connections are closed", func() bool {
		return postgrestest.Value[int](t, s.conn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()") == 0
	})
	if n := postgrestest.Value[int](t, s.conn, `SELECT count(*) FROM document WHERE structured_data ->> 'number' = 'invoice3' AND matching_status = 'succeeded'`); n != 1 {
		t.Errorf("the work of an interrupted command was not finished\n%s", s.errors.String())
	}
	if strings.Contains(s.errors.String(), `"msg":"resumed"`) {
		t.Error("rows of its own queue were resumed")
	}
}

// A link logs one browser in; then the file has another one.
func TestServeLogin(t *testing.T) {
	t.Parallel()
	s := startServe(t)
	file := filepath.Join(s.data, "console-link")
	link := func() string {
		return strings.TrimPrefix(strings.TrimSpace(string(must.Get(os.ReadFile(file))(t))), s.url)
	}
	if info := must.Get(os.Stat(file))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the link's file has mode %v", info.Mode())
	}
	ocr := "none"
	if _, err := exec.LookPath("tesseract"); err == nil {
		ocr = "tesseract"
	}
	wantText(t, s.out.String(), "Matchbook serves "+s.url+"\n  model     rules only; set OPENAI_API_KEY to ask a model\n  files     "+
		blob.FolderURL(filepath.Join(s.data, "files"))+", OCR: "+ocr+"\n  log in    with the link in "+file+"\n")
	first := link()
	for i, want := range []int{http.StatusOK, http.StatusForbidden} {
		browser := &http.Client{Jar: must.Get(cookiejar.New(nil))(t)}
		if code, text := s.get(browser, first); code != want {
			t.Errorf("use %d of the link: status %d, want %d\n%.200s", i+1, code, want, text)
		}
	}
	if next := link(); next == first {
		t.Error("the file has the used link")
	} else if code, _ := s.get(&http.Client{Jar: must.Get(cookiejar.New(nil))(t)}, next); code != http.StatusOK {
		t.Errorf("the next link: status %d", code)
	}
}

// Files are ingested and matched, and end in done or failed with the reason; the same name
// twice keeps both.
func TestServeWatch(t *testing.T) {
	t.Parallel()
	testenv.Program(t, "tesseract", "apt-get install tesseract-ocr")
	inbox := t.TempDir()
	s := startServe(t, "--watch", inbox, "--tenant", oneTenant)
	lay := func(name, sample string) {
		must.OK(t, os.WriteFile(filepath.Join(inbox, name), must.Get(os.ReadFile("../../../testdata/files/"+sample))(t), 0o600))
	}
	lay("invoice.pdf", "invoice.pdf")
	lay("scan.pdf", "broken.pdf")
	lay("half.pdf.part", "invoice.pdf")
	gone := func(name string) func() bool {
		return func() bool { _, err := os.Stat(filepath.Join(inbox, name)); return os.IsNotExist(err) }
	}
	eventually(t, "the invoice is read", gone("invoice.pdf"))
	eventually(t, "the broken file is refused", gone("scan.pdf"))
	if got := string(must.Get(os.ReadFile(filepath.Join(inbox, "failed", "scan.pdf.reason.txt")))(t)); !strings.HasPrefix(got, "PDF is damaged") {
		t.Errorf("the reason is %q", got)
	}
	lay("invoice.pdf", "invoice.pdf")
	eventually(t, "the known file is moved", gone("invoice.pdf"))
	for _, name := range []string{"done/invoice.pdf", "done/invoice (2).pdf", "failed/scan.pdf", "half.pdf.part"} {
		must.Get(os.Stat(filepath.Join(inbox, filepath.FromSlash(name))))(t)
	}
	if got := postgrestest.Value[string](t, s.conn, "SELECT string_agg(tenant_id::text, ' ') FROM ingestion"); got != oneTenant+" "+oneTenant {
		t.Errorf("ingestions of the tenants %s", got)
	}
}

// People log in by a link on this machine only, so that nobody else can.
func TestServeRefusals(t *testing.T) {
	t.Parallel()
	wantRefused(t, postgrestest.EmptyURL(t), "serve --data "+t.TempDir(), clitest.Refusals{
		{[]string{"--addr", "0.0.0.0:0"}, "people log in by a link on this machine only; set OIDC_ISSUER"},
		{[]string{"--addr", "nonsense"}, "expected HOST:PORT"},
		{[]string{"--tenant", "acme"}, "invalid --tenant"},
		{[]string{"--every", "0s"}, "invalid --every 0s: must be at least 50ms"},
		{[]string{"--watch", "/dev/null/inbox"}, "--watch: "},
	})
}
