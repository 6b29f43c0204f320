package reviewrun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

// rounds is a model of one latency on a schedule of its own: it answers all open calls at once, when
// no further one is permitted, or none has come for a while. A loaded machine doesn't change the
// number of rounds.
type rounds struct {
	*httptest.Server
	mu     sync.Mutex
	sizes  []int
	open   int
	answer chan struct{} // closed for the open calls
	quiet  *time.Timer
}

const (
	quiet     = 2 * time.Second // longer than a busy machine needs for the next call
	permitted = 12 * 5          // workers, and calls of each
)

func serveRounds(t *testing.T) *rounds {
	t.Helper()
	r := &rounds{answer: make(chan struct{})}
	r.quiet = time.AfterFunc(time.Hour, r.next)
	model := scripted.New(scripted.Options{Mind: scripted.ReviewByRules()})
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		<-r.enter()
		model.ServeHTTP(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *rounds) enter() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
	r.quiet.Reset(quiet)
	if r.open == permitted {
		r.quiet.Reset(0)
	}
	return r.answer
}

// next ends a round.
func (r *rounds) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open > 0 {
		r.sizes = append(r.sizes, r.open)
		close(r.answer)
		r.answer, r.open = make(chan struct{}), 0
	}
}

// copied returns a sample several times, with marks, since equal passages are answered once.
func copied(t *testing.T, name string, times int, mark string) string {
	t.Helper()
	text := string(must.Get(os.ReadFile(filepath.Join(samples, name)))(t))
	var long strings.Builder
	for i := range times {
		long.WriteString(strings.ReplaceAll(text, ". ", fmt.Sprintf(" [%s%d]. ", mark, i)) + "\n\n")
	}
	return long.String()
}

// Twenty contracts in one command keep the permitted calls in flight: they take at most 1.5
// times the rounds of calls that the order of cards, chunks and last steps needs.
func TestTwentyContracts(t *testing.T) {
	testenv.OnlyThorough(t, "reads 20 contracts in rounds")
	t.Parallel()
	model, url, folder := serveRounds(t), postgrestest.EmptyURL(t), t.TempDir()
	for i := range 20 {
		name := []string{"software-licence.md", "wartungsvertrag.txt"}[i%2]
		must.OK(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d.md", i)), []byte(copied(t, name, 4, fmt.Sprint(i, "/"))), 0o600))
	}
	env := func(name string) string {
		return map[string]string{variable.DatabaseURL: url, variable.OpenAIBaseURL: model.URL + "/v1", variable.OpenAIKey: "key"}[name]
	}
	o := Options{JSON: true, Database: database.Choice{Named: true}, Model: scripted.Flags{Mode: scripted.ModeOpenAI},
		Price: func(string) (llm.Price, bool) { return llm.Price{Prompt: 1, Completion: 4}, true }}
	m := term.NewMeter(t.Output())
	defer m.Close()
	var out bytes.Buffer
	complete, err := o.Review(context.WithoutCancel(t.Context()), []string{folder}, env, &out, m)
	var list []Listed
	must.OK(t, json.Unmarshal(out.Bytes(), &list))
	calls := 0
	for _, l := range list {
		calls += l.Calls
	}
	if permitted != manifest.Review.MaxConcurrency*5 {
		t.Errorf("%d calls in flight are permitted now", manifest.Review.MaxConcurrency*5)
	}
	t.Logf("%d calls in %d rounds of %v", calls, len(model.sizes), model.sizes)
	rounds := func(calls int) int { return (calls + permitted - 1) / permitted }
	ideal := rounds(len(list)) + rounds(calls-2*len(list)) + rounds(len(list)) // cards, then chunks, then last steps
	if err != nil || !complete || 2*len(model.sizes) > 3*ideal {
		t.Errorf("complete %v, %v: %d rounds, ideally %d", complete, err, len(model.sizes), ideal)
	}
}
