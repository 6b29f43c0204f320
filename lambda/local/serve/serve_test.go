package serve

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/telemetry"
	"matchbook/lambda/telemetry/prometheus"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// folder is a watched folder. Its ingestions end by end.
type folder struct {
	*watcher
	t    *testing.T
	conn *pgx.Conn
	sent int // messages
	logs bytes.Buffer
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	url := postgrestest.URL(t)
	f := &folder{t: t, conn: postgrestest.Conn(t, url)}
	log := slog.New(slog.NewTextHandler(&f.logs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	f.watcher = &watcher{Watch: Watch{t.TempDir(), uuid.New()}, Server: &Server{db: postgrestest.Open(t, url), log: log},
		files: must.Get(blob.Open(t.Context(), "file://"+t.TempDir(), nil))(t), queue: f, seen: map[string]stamp{}, waiting: map[string][]uuid.UUID{}}
	for _, name := range []string{doneFolder, failedFolder} {
		must.OK(t, os.Mkdir(filepath.Join(f.Dir, name), 0o700))
	}
	postgrestest.Exec(t, f.conn, "INSERT INTO tenant (id, name) VALUES ($1, 'A')", f.Tenant)
	return f
}

// Send implements job.Sender.
func (f *folder) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	f.sent += len(messages)
	return nil, nil
}

func (f *folder) lay(name, text string) {
	f.t.Helper()
	must.OK(f.t, os.WriteFile(filepath.Join(f.Dir, name), []byte(text), 0o600))
}

// end ends the rows with a condition; an empty reason is success.
func (f *folder) end(condition, reason string) {
	f.t.Helper()
	postgrestest.Exec(f.t, f.conn, `UPDATE ingestion SET job_status = CASE $1 WHEN '' THEN 'succeeded' ELSE 'failed' END,
		failed_at = CASE WHEN $1 <> '' THEN now() END, error = nullif($1, '') WHERE `+condition, reason)
}

// wantLook looks n times; then these files are there, so many messages were sent, and nothing went
// wrong.
func (f *folder) wantLook(n, sent int, files ...string) {
	f.t.Helper()
	for range n {
		f.look(f.t.Context())
	}
	var got []string
	must.OK(f.t, filepath.WalkDir(f.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, strings.TrimPrefix(path, f.Dir+"/"))
		}
		return err
	}))
	if slices.Sort(files); !slices.Equal(got, files) || f.sent != sent || f.logs.Len() > 0 {
		f.t.Errorf("%q, %d sent; want %q, %d sent\n%s", got, f.sent, files, sent, &f.logs)
	}
}

// A file is taken once it stands still, and moved once all that was in it has ended. A failed one
// that is laid there again is read again, and no other.
func TestWatch(t *testing.T) {
	t.Parallel()
	const name, again = "Müller + 50% a.txt", "Müller + 50% a (2).txt"
	f := newFolder(t)
	must.OK(t, os.Mkdir(filepath.Join(f.Dir, "folder.pdf"), 0o700))
	f.lay(name, "Invoice 1")
	f.wantLook(1, 0, name)
	f.lay(name, "Invoice 1 over 7.00")
	f.wantLook(1, 0, name)
	f.wantLook(2, 1, name)
	f.end("true", "broken")
	f.wantLook(1, 1, "failed/"+name, "failed/"+name+".reason.txt")
	if reason := string(must.Get(os.ReadFile(filepath.Join(f.Dir, "failed/"+name+".reason.txt")))(t)); reason != "broken\n" {
		t.Errorf("the reason is %q", reason)
	}
	f.lay(name, "Invoice 1 over 7.00")
	f.wantLook(2, 2, name, "failed/"+name, "failed/"+name+".reason.txt")
	f.end("true", "")
	f.wantLook(1, 2, "done/"+name, "failed/"+name, "failed/"+name+".reason.txt")
	f.lay(name, "Invoice 1 over 7.00")
	f.wantLook(2, 2, "done/"+again, "done/"+name, "failed/"+name, "failed/"+name+".reason.txt")
	if got := postgrestest.Value[string](t, f.conn, "SELECT string_agg(file_name, ', ') FROM document"); got != name {
		t.Errorf("the file's name is %q", got)
	}
}

func TestWatchContainer(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	var file bytes.Buffer
	container := zip.NewWriter(&file)
	for _, name := range []string{"b.txt", "c.txt"} {
		must.Get(must.Get(container.Create(name))(t).Write([]byte("Invoice " + name)))(t)
	}
	must.OK(t, container.Close())
	f.lay("both.zip", file.String())
	f.wantLook(2, 2, "both.zip")
	f.end("id = (SELECT min(id::text)::uuid FROM ingestion)", "")
	f.wantLook(1, 2, "both.zip")
	f.end("true", "broken")
	f.wantLook(1, 2, "failed/both.zip", "failed/both.zip.reason.txt")
	if reason := string(must.Get(os.ReadFile(filepath.Join(f.Dir, "failed/both.zip.reason.txt")))(t)); reason != "broken\n" {
		t.Errorf("the reason of both is %q", reason)
	}
	f.lay("both.zip", file.String())
	f.wantLook(2, 4, "both.zip", "failed/both.zip", "failed/both.zip.reason.txt") // both failed, and are read again
	f.end("id = (SELECT min(id::text)::uuid FROM ingestion)", "broken")
	f.end("id = (SELECT max(id::text)::uuid FROM ingestion)", "empty")
	f.wantLook(1, 4, "failed/both (2).zip", "failed/both (2).zip.reason.txt", "failed/both.zip", "failed/both.zip.reason.txt")
	if reason := string(must.Get(os.ReadFile(filepath.Join(f.Dir, "failed/both (2).zip.reason.txt")))(t)); reason != "broken\nempty\n" {
		t.Errorf("the reasons are %q", reason)
	}
	if got := must.Get(free(filepath.Join(f.Dir, "failed/both.zip")))(t); got != filepath.Join(f.Dir, "failed/both (3).zip") {
		t.Errorf("the third name is %s", got)
	}
	f.Dir = "/nowhere/Müller"
	f.look(t.Context())
	if got := f.logs.String(); !strings.Contains(got, `level=ERROR msg="watch failed" reason="open: no such file or directory"`) || strings.Contains(got, "Müller") {
		t.Errorf("without a folder: %s", got)
	}
}

// The queues of a new process get what was published before, up to their bound.
func TestResume(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	postgrestest.Exec(t, f.conn, `INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_published_at, matching_due_at)
		SELECT gen_random_uuid(), $1, 'invoice', '{}', 'pending', now() - n * interval '1 minute', now() - n * interval '1 minute' FROM generate_series(-1, 2) AS n`, f.Tenant)
	var logs bytes.Buffer
	f.log = slog.New(slog.NewTextHandler(&logs, nil))
	q := &backlogged{folder: f}
	f.since = postgrestest.Value[time.Time](t, f.conn, "SELECT now() - interval '30 seconds'")
	f.feeds = []feed{{"match", f.db.JobsOf(postgres.Tables[manifest.Match.Name]), q}}
	for _, step := range []struct{ waiting, sent int }{{1000, 0}, {1001, 0}, {999, 2}, {0, 2}} {
		q.n = step.waiting
		if err := f.resume(t.Context()); err != nil || f.sent != step.sent {
			t.Errorf("%d wait: %v, %d sent, want %d", step.waiting, err, f.sent, step.sent)
		}
	}
	if got := logs.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=INFO msg=resumed workload=match rows=2") {
		t.Errorf("logged: %s", got)
	}
}

// backlogged is a queue with n messages.
type backlogged struct {
	*folder
	n int
}

func (b *backlogged) Backlog(context.Context) (int, error) { return b.n, nil }

func TestClose(t *testing.T) {
	t.Parallel()
	var got []string
	s := &Server{stop: func() { got = append(got, "stop") }}
	for _, name := range []string{"database", "pages"} {
		s.onClose(func() { got = append(got, name) })
	}
	if err := s.Close(); err != nil || fmt.Sprint(got) != "[stop pages database]" {
		t.Errorf("closed %v: %v", got, err)
	}
	if s.period() != 5*time.Second {
		t.Errorf("the period is %s", s.period())
	}
	if s.config.Every = time.Second; s.period() != time.Second {
		t.Errorf("the period is %s, want that of --every", s.period())
	}
}

// Work that outlives the grace period is left to its leases; all is closed nevertheless.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopped, closed, end := false, false, make(chan bool)
		s := &Server{stop: func() { stopped = true }}
		s.onClose(func() { closed = true })
		s.running.Go(func() { <-end })
		began := time.Now()
		err := s.Close()
		if took := time.Since(began); took != 30*time.Second || !stopped || !closed ||
			fmt.Sprint(err) != "work still running after 30s: it is taken up again once its leases end" {
			t.Errorf("after %s: %v; stopped %t, closed %t", took, err, stopped, closed)
		}
		close(end)
	})
}

func TestEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, began := &Server{}, time.Now()
		ctx, stop := context.WithCancel(t.Context())
		var at []time.Duration
		s.every(ctx, time.Minute, func(given context.Context) {
			if given != ctx {
				t.Error("another context")
			}
			at = append(at, time.Since(began))
		})
		<-time.After(150 * time.Second)
		stop()
		s.running.Wait()
		if want := []time.Duration{0, time.Minute, 2 * time.Minute}; !slices.Equal(at, want) {
			t.Errorf("at %v, want %v", at, want)
		}
	})
}

// The pages are served until the process closes.
func TestPagesClose(t *testing.T) {
	t.Parallel()
	s := &Server{config: Config{Addr: "127.0.0.1:0"}, stop: func() {}}
	must.OK(t, s.handle(http.HandlerFunc(s.healthz)))
	status := func() (int, error) {
		response, err := http.Get(s.URL)
		if err != nil {
			return 0, err
		}
		return response.StatusCode, response.Body.Close()
	}
	if got := must.Get(status())(t); got != http.StatusServiceUnavailable {
		t.Errorf("status %d", got)
	}
	must.OK(t, s.Close())
	if got, err := status(); err == nil {
		t.Errorf("after the end: status %d", got)
	}
	if s = (&Server{config: Config{Addr: "nowhere"}}); s.handle(nil) == nil {
		t.Error("an invalid address is served")
	}
}

// Each workload has a function, which is the deployed one but for these.
func TestAllWorkloads(t *testing.T) {
	t.Parallel()
	s := must.Get(Start(t.Context(), Config{Data: t.TempDir(), DatabaseURL: postgrestest.URL(t), Env: func(string) string { return "" }, Log: io.Discard, Addr: "127.0.0.1:0"}))(t)
	var got []string
	for _, f := range s.feeds {
		got = append(got, f.name)
	}
	for i, f := range manifest.Workloads() {
		f.MaxConcurrency, f.Lease, f.PoolSize, f.CallsInFlight = []int{2, 2, 4, 1}[i], time.Minute, []int{2, 2, 4, 1}[i]*f.PoolSize, []int{2, 2, 4, 1}[i]*f.CallsInFlight
		if w := inOneProcess(manifest.Workloads()[i]); got[i] != f.Name || !reflect.DeepEqual(w.Function, f) || w.Table != postgres.Tables[f.Name] {
			t.Errorf("%s: %+v, want %+v", got[i], w, f)
		}
	}
	must.OK(t, s.Close())
}

// A task has its deadline; its error is logged, unless the process ends.
func TestTask(t *testing.T) {
	t.Parallel()
	var logs bytes.Buffer
	none := func(string) string { return "" }
	s := &Server{metrics: &prometheus.Collector{}}
	tel := telemetry.New(none, "sweep", s.metrics, &logs)
	ctx, end := context.WithCancel(t.Context())
	failing := s.task(tel, manifest.Task{Timeout: time.Hour}, func(ctx context.Context) error {
		if at, ok := ctx.Deadline(); !ok || time.Until(at) > time.Hour || time.Until(at) < 30*time.Minute {
			t.Errorf("a deadline at %v", at)
		}
		return failure.Permanently("no disk")
	})
	failing(ctx)
	end()
	failing(ctx)
	if got := logs.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"level":"ERROR","msg":"run failed","function":"sweep","stage":"local","reason":"no disk"`) {
		t.Errorf("logged %s", got)
	}
}

// What can't be opened or stored is told with its purpose.
func TestErrors(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	file := filepath.Join(data, "file")
	must.OK(t, os.WriteFile(file, nil, 0o600))
	must.OK(t, os.Mkdir(filepath.Join(data, tokenFile), 0o700))
	none := func(string) string { return "" }
	for want, c := range map[string]Config{
		"data folder: mkdir": {Data: file}, "key of reviews: read ": {Data: data},
		"--watch: mkdir " + file: {Data: t.TempDir(), DatabaseURL: postgrestest.URL(t), Watch: []Watch{{Dir: file}}},
	} {
		c.Env, c.Log, c.Addr = none, io.Discard, "127.0.0.1:0"
		if _, err := Start(t.Context(), c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if name, err := free(filepath.Join(file, "a.txt")); name != "" || err == nil {
		t.Errorf("in a folder that is none, %s is free: %v", name, err)
	}
	f := newFolder(t)
	f.config.Data = file
	f.writeLink("/login")
	f.db.Close()
	f.feeds = []feed{{"match", f.db.JobsOf(postgres.Tables[manifest.Match.Name]), &backlogged{folder: f}}}
	if err := f.resume(t.Context()); err == nil || !strings.HasPrefix(failure.Of(err).Text, "resume match: ") {
		t.Errorf("resume: %v", err)
	}
	f.lay("a.txt", "Invoice 1")
	f.look(t.Context())
	ended, end := context.WithCancel(t.Context())
	end()
	f.look(ended)
	f.look(t.Context())
	lines := strings.Split(strings.TrimSpace(f.logs.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `level=ERROR msg="link not written" reason="open `) || !strings.Contains(lines[1], `level=ERROR msg="file not taken; it is tried again" reason=`) {
		t.Errorf("logged %q", lines)
	}
}

// The link is for the owner of the folder.
func TestWriteLink(t *testing.T) {
	t.Parallel()
	s := &Server{URL: "http://127.0.0.1:8377", config: Config{Data: t.TempDir()}}
	s.writeLink("/login?key=k")
	text, info := must.Get(os.ReadFile(filepath.Join(s.config.Data, "console-link")))(t), must.Get(os.Stat(s.LinkFile()))(t)
	if string(text) != "http://127.0.0.1:8377/login?key=k\n" || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, mode %v", text, info.Mode())
	}
}

func TestFailedBatchIsLogged(t *testing.T) {
	t.Parallel()
	var logs bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logs, nil))
	logFailed(log, eventsource.Invocation{MessageIDs: []string{"a", "b"}})
	logFailed(log, eventsource.Invocation{MessageIDs: []string{"a", "b"}, Err: errors.New("one"), DeleteErr: errors.New("two")})
	logFailed(log, eventsource.Invocation{MessageIDs: []string{"c"}, DeleteErr: errors.New("three")})
	var got []string
	for line := range strings.Lines(logs.String()) {
		_, line, _ = strings.Cut(line, "level=")
		got = append(got, strings.TrimSpace(line))
	}
	if want := []string{`ERROR msg="batch failed" messages=2 reason=one`, `ERROR msg="batch failed" messages=2 reason=two`, `ERROR msg="batch failed" messages=1 reason=three`}; !slices.Equal(got, want) {
		t.Errorf("logged %q", got)
	}
}

// A log has no name of a person's file.
func TestLoggedErrors(t *testing.T) {
	t.Parallel()
	_, err := os.Open("/nowhere/Müller.pdf")
	if got := plain(fmt.Errorf("take: %w", err)); got != "open: no such file or directory" {
		t.Errorf("got %s", got)
	}
}

func TestUnfinished(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"a.pdf": false, "a~.pdf": false, "tmp": false, "part.txt": false, "~$a.docx": true, ".a.pdf": true,
		"a.pdf.part": true, "a.TMP": true, "a.crdownload": true, "a.download": true, "a.partial": true} {
		if got := unfinished(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := &Server{}
	h := &s.health
	for i, step := range []struct {
		swept func()
		want  string
	}{
		{func() {}, "503 first sweep not finished"},
		{func() { h.swept(nil) }, "200 ok"},
		{func() { h.swept(errors.New("of a document")) }, "503 unexpected error (*errors.errorString)"},
		{func() { h.swept(nil) }, "200 ok"},
		{func() { h.at = h.at.Add(-time.Minute - 50*time.Second) }, "200 ok"},
		{func() { h.at = h.at.Add(-time.Hour - 10*time.Second) }, "503 missing sweep for 1h2m0s"},
	} {
		step.swept()
		w := httptest.NewRecorder()
		s.healthz(w, nil)
		if got := fmt.Sprint(w.Code, " ", w.Body); got != step.want+"\n" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
}

// Nobody can log in from another machine without an issuer.
func TestAddressNeedsIssuer(t *testing.T) {
	t.Parallel()
	for addr, alone := range map[string]bool{"127.0.0.1:80": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true, ":80": true,
		"0.0.0.0:80": false, "[::]:80": false, "10.0.0.7:80": false, "192.168.1.7:80": false, "169.254.1.1:80": false, "[fe80::1]:80": false,
		"desk.example.com:80": false} {
		for issuer, want := range map[string]bool{"": alone, "https://login.example.com": true} {
			c := Config{Addr: addr, Env: func(name string) string { return map[string]string{variable.OIDCIssuer: issuer}[name] }}
			if err := c.Check(); (err == nil) != want || err != nil && err.Error() != "--addr "+addr+": people log in by a link on this machine only; "+
				"set OIDC_ISSUER, OIDC_CLIENT_ID and ADMIN_BASE_URL, or listen on 127.0.0.1" {
				t.Errorf("%s with issuer %q: %v", addr, issuer, err)
			}
		}
	}
}

// A model is asked once its key or its address is set. A secret's ARN leaves no default beside it.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	const tokenARN = variable.ReviewTokenSecret + variable.SecretSuffix
	const none = "rules only; set OPENAI_API_KEY to ask a model"
	tesseract := "none"
	if _, err := exec.LookPath("tesseract"); err == nil {
		tesseract = "tesseract"
	}
	for _, tc := range []struct {
		set   map[string]string
		mode  string
		token bool
		model string
	}{
		{nil, "rules", true, none},
		{map[string]string{variable.OpenAIKey: "k"}, "", true, manifest.DefaultModel},
		{map[string]string{variable.OpenAIKey + variable.SecretSuffix: "arn", manifest.Review.QueueEnv(): "theirs"}, "", true, manifest.DefaultModel},
		{map[string]string{variable.OpenAIBaseURL: "http://127.0.0.1:1/v1", variable.OpenAIModel: "m", "HOME": "/h"}, "", true, "m"},
		{map[string]string{variable.OpenAIKey: "k", variable.MatchMode: "rules", variable.OIDCIssuer: "https://login.example.com"}, "rules", true, none},
		{map[string]string{tokenARN: "arn", variable.OCR: "none"}, "rules", false, none},
	} {
		s := &Server{config: Config{Data: t.TempDir(), DatabaseURL: "ours", Env: func(name string) string { return tc.set[name] }}}
		env := must.Get(s.environment(map[string]string{variable.MatchQueueURL: "own"}))(t)
		if got := env(variable.MatchMode); got != tc.mode {
			t.Errorf("%v: mode %q", tc.set, got)
		}
		if got := env(variable.ReviewTokenSecret) != ""; got != tc.token {
			t.Errorf("%v: a token's key by default: %t", tc.set, got)
		}
		info := must.Get(os.Stat(filepath.Join(s.config.Data, tokenFile)))(t)
		again := must.Get(s.tokenSecret())(t)
		if own := env(variable.ReviewTokenSecret); info.Mode().Perm() != 0o600 || tc.token && own != again {
			t.Errorf("%v: the token's key is readable by others, or another one: %v", tc.set, info.Mode())
		}
		if got := env(manifest.Review.QueueEnv()) + env("HOME"); got != tc.set["HOME"] {
			t.Errorf("%v: a queue of another system, or no setting: %s", tc.set, got)
		}
		s.env = env
		s.config.Watch = []Watch{{"/in", uuid.UUID{1}}}
		want := []string{"model     " + tc.model, "files     " + blob.FolderURL(filepath.Join(s.config.Data, "files")) + ", OCR: " + cmp.Or(tc.set[variable.OCR], tesseract),
			"watching  /in for tenant 01000000-0000-0000-0000-000000000000"}
		if tc.set[variable.OIDCIssuer] == "" {
			want = append(want, "log in    with the link in "+filepath.Join(s.config.Data, "console-link"))
		}
		if got := s.Settings(); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", tc.set, got, want)
		}
		if got := env(variable.DatabaseURL) + " " + env(variable.MatchQueueURL); got != "ours own" {
			t.Errorf("%v: %s", tc.set, got)
		}
	}
}

// Each function has its own queue, and ingest the one of reviews only if contracts are reviewed.
func TestQueues(t *testing.T) {
	t.Parallel()
	for _, review := range []bool{false, true} {
		s := &Server{config: Config{Review: review}, env: func(name string) string { return "of " + name }}
		for _, f := range manifest.Workloads() {
			env := s.of(f)
			if got := env(variable.QueueURL); got != "of "+f.QueueEnv() {
				t.Errorf("%s listens to %s", f.Name, got)
			}
			if got := env(manifest.Review.QueueEnv()) != ""; got != (review || f.Name != manifest.Ingest.Name) {
				t.Errorf("%s, with reviews %t: %t", f.Name, review, got)
			}
		}
	}
}

type panics struct{}

// Invoke implements lambda.Handler.
func (panics) Invoke(context.Context, []byte) ([]byte, error) {
	panic(errors.New("text of a document"))
}

type echoes struct{}

// Invoke answers with its deadline.
func (echoes) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	at, _ := ctx.Deadline()
	if string(event) != "event" {
		return nil, errors.New("another event")
	}
	return []byte(at.Format(time.RFC3339Nano)), nil
}

func TestPanicFailsTheBatch(t *testing.T) {
	t.Parallel()
	began := time.Now()
	answer, err := invoke(t.Context(), time.Minute, echoes{}, []byte("event"))
	if until := time.Until(must.Get(time.Parse(time.RFC3339Nano, string(answer)))(t)); err != nil || until > time.Minute || until < time.Minute-time.Since(began)-time.Second {
		t.Errorf("a function has %s, %v", until, err)
	}
	_, err = invoke(t.Context(), time.Minute, panics{}, nil)
	if err == nil || !strings.Contains(err.Error(), "panic: *errors.errorString at") || strings.Contains(err.Error(), "document") {
		t.Errorf("got %v", err)
	}
}
