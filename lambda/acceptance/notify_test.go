package acceptance_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// sweepFunction runs the sweep function once, in its own bootstrap.
func (l *line) sweepFunction() {
	l.t.Helper()
	f := l.function(manifest.Sweep)
	defer f.Close()
	must.Get(f.Invoke(l.t.Context(), []byte(`{}`)))(l.t)
}

// badSlack is a Slack that misbehaves until it is repaired. While it is asked it
// looks what the database and the queue know by then.
type badSlack struct {
	webhook.Receiver
	misbehave http.HandlerFunc
	line      *line
	document  uuid.UUID

	mu    sync.Mutex
	works bool
	seen  []string
}

func (s *badSlack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	works := s.works
	if !works {
		acknowledged := slices.ContainsFunc(s.line.events(s.document, sqs.Deleted), func(string) bool { return true })
		s.seen = append(s.seen, map[bool]string{false: "not acknowledged, ",
			true: "acknowledged, "}[acknowledged]+s.committed())
	}
	s.mu.Unlock()
	if works {
		s.Receiver.ServeHTTP(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	s.misbehave(w, r)
}

// committed is the state of the document, on a connection of its own: the
// test's may be in use.
func (s *badSlack) committed() (status string) {
	rows, err := report.From(s.line.DB).Progress(s.line.t.Context(), []uuid.UUID{s.document})
	if err != nil {
		return err.Error()
	}
	for state := range rows {
		status += state
	}
	return status
}

// watch sets the document and the line that requests are checked against.
func (s *badSlack) watch(l *line, id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line, s.document = l, id
}

// asked lists the states that it has returned, call by call.
func (s *badSlack) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, "; ")
}

func (s *badSlack) repair() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.works = true
}

// A permanent failure is acknowledged once its row is committed and Slack was
// tried, for a bounded time. Whatever Slack does, the batch is no worse for it,
// and the failure is sent when Slack works again: once.
func TestSlackDown(t *testing.T) {
	t.Parallel()
	for name, misbehave := range map[string]http.HandlerFunc{
		"does not answer": func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		},
		"answers 500": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "SLACK BODY", http.StatusInternalServerError)
		},
		"answers garbage": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html>SLACK BODY"+strings.Repeat("x", 1<<20))
		},
		"closes the connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"breaks off": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "2")
			_, _ = io.WriteString(w, "o")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &badSlack{misbehave: misbehave}
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			var mu sync.Mutex
			var batches []eventsource.Invocation
			l := newLine(t, 1, func(c *local.FunctionConfig) {
				c.Env = append(c.Env, variable.SlackWebhookURL+"="+server.URL+webhook.Path)
				c.OnInvocation = func(i eventsource.Invocation) {
					mu.Lock()
					defer mu.Unlock()
					batches = append(batches, i)
				}
			})
			ids := l.store(3)
			l.exec(`UPDATE document SET structured_data = '{"total":"x"}' WHERE id = $1`, ids[1])
			s.watch(l, ids[1])
			l.publish(ids...)
			l.drain(ids)
			l.wantAtOnce(ids[0])
			if got := l.status(ids[1]); !strings.HasPrefix(got, "failed, 1 attempts, 1 notifications") {
				t.Errorf("the document: %s", got)
			}
			check(t, "its message", l.lastLife(ids[1]), "received at 0, deleted at 0")
			check(t, "Slack was asked when it was", s.asked(), "not acknowledged, failed")
			mu.Lock()
			seen := slices.Clone(batches)
			mu.Unlock()
			for _, b := range seen {
				if b.Err != nil || len(b.Failed) > 0 { // a batch that waits for ever ends with its function's time
					t.Errorf("a batch took %s: %v, failed %q", b.Took, b.Err, b.Failed)
				}
			}
			s.repair()
			for range 2 {
				must.OK(t, l.Advance(t.Context(), notify.Window))
				l.sweepFunction()
			}
			if taken := s.Taken(); len(taken) != 1 || !strings.Contains(string(taken[0].Payload), ids[1].String()) {
				t.Errorf("Slack took %d messages: %s", len(taken), taken)
			}
			for _, secret := range []string{webhook.Path, "SLACK BODY", server.URL} {
				if strings.Contains(l.text.String(), secret) {
					t.Errorf("the log shows %q", secret)
				}
			}
		})
	}
}
