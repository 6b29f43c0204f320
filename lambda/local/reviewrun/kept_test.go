package reviewrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/record"
)

const samples = "../../../testdata/contracts"

// provider is a model over HTTP that counts what it answers.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	answered map[[32]byte]int
	down     bool
	most     int           // answers until the rest is held; no limit when held is nil
	held     chan struct{} // closed when the held calls fail
}

func serve(t *testing.T) *provider {
	t.Helper()
	p := &provider{answered: map[[32]byte]int{}}
	model := scripted.New(scripted.Options{Mind: scripted.ReviewByRules()})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		if !p.take(sha256.Sum256(body)) {
			http.Error(w, `{"error":{"message":"overloaded"}}`, http.StatusServiceUnavailable)
			return
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, q)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) take(question [32]byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if held := p.held; held != nil && len(p.answered) == p.most {
		p.mu.Unlock()
		<-held
		p.mu.Lock()
		return false
	}
	if p.down {
		return false
	}
	p.answered[question]++
	return true
}

// calls returns the numbers of answers and of those to a question answered before.
func (p *provider) calls() (all, again int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.answered {
		all, again = all+n, again+n-1
	}
	return all, again
}

func (p *provider) review(ctx context.Context, t *testing.T, url string, o Options) (Result, bool, error) {
	t.Helper()
	env := func(name string) string {
		return map[string]string{variable.DatabaseURL: url, variable.OpenAIBaseURL: p.URL + "/v1", variable.OpenAIKey: "key"}[name]
	}
	o.JSON, o.Database, o.Model.Mode = true, database.Choice{Named: true}, scripted.ModeOpenAI
	o.Price = func(string) (llm.Price, bool) { return llm.Price{Prompt: 1, Completion: 4}, true }
	m := term.NewMeter(t.Output())
	defer m.Close()
	var out bytes.Buffer
	complete, err := o.Review(ctx, []string{filepath.Join(samples, "software-licence.md")}, env, &out, m)
	var r Result
	if out.Len() > 0 {
		must.OK(t, json.Unmarshal(out.Bytes(), &r))
	}
	return r, complete, err
}

// Ctrl-C loses the calls in flight only; the next run begins at once and pays for the rest.
func TestRunContinues(t *testing.T) {
	t.Parallel()
	p, url := serve(t), postgrestest.EmptyURL(t)
	p.most, p.held = 3, make(chan struct{}) // the card, and two of four parts
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		conn := postgrestest.Conn(t, url)
		for stored := 0; stored < p.most && t.Context().Err() == nil; { // the table may not exist yet
			_ = conn.QueryRow(t.Context(), "SELECT count(*) FROM model_answer").Scan(&stored)
		}
		interrupt()
		close(p.held)
	}()
	if _, complete, err := p.review(ctx, t, url, Options{}); complete || err == nil {
		t.Fatalf("an interrupted run is complete: %v", err)
	}
	p.mu.Lock()
	p.held = nil
	p.mu.Unlock()
	r, complete, err := p.review(t.Context(), t, url, Options{})
	if err != nil || !complete || r.Status != record.Completed || len(r.Gaps) > 0 {
		t.Fatalf("complete %v, %v: %s, gaps %+v", complete, err, r.Status, r.Gaps)
	}
	if all, again := p.calls(); again > 0 || all < r.Calls {
		t.Errorf("%d calls, %d of them again; %d are recorded", all, again, r.Calls)
	}
}

// A deployed queue delivers after 5 minutes; so does a local one, or three deliveries would
// all meet the same outage.
func TestOutageIsWaited(t *testing.T) {
	testenv.OnlyThorough(t, "waits for the retries of each call")
	t.Parallel()
	p, url := serve(t), postgrestest.EmptyURL(t)
	p.down = true
	var waited time.Duration
	r, complete, err := p.review(t.Context(), t, url, Options{
		Wait: func(ctx context.Context, d time.Duration, advance func(context.Context, time.Duration) error) error {
			if waited += d; waited > 80*time.Second {
				p.mu.Lock()
				p.down = false
				p.mu.Unlock()
			}
			return advance(ctx, d)
		}})
	if err != nil || !complete || len(r.Gaps) > 0 || waited < 80*time.Second {
		t.Errorf("complete %v after %s, %v: gaps %+v", complete, waited, err, r.Gaps)
	}
	if _, again := p.calls(); again > 0 {
		t.Errorf("%d answers are paid again", again)
	}
}
