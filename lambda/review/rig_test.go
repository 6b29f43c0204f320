package review_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// call is a call of the model, in the test's time.
type call struct {
	stages []record.Stage
	at     time.Duration
}

// model answers by the stage that asks.
type model struct {
	answer func(ctx context.Context, stage record.Stage, n int) (string, error) // n counts the stage's calls from 1
	card   func() (string, error)                                               // nil: an empty card
	see    func(llm.Question)                                                   // may be nil

	mu       sync.Mutex
	began    time.Time
	calls    []call
	inFlight int
	most     int // calls in flight at once
}

func (m *model) Name() string { return "test" }

func (m *model) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	stages, _, ok := analyst.Asked(q.Name, q.User)
	switch {
	case q.Name == card.SchemaName && m.card == nil:
		return llm.Answer{Text: emptyCard}, nil // not counted: most tests are about the other questions
	case q.Name == card.SchemaName:
		text, err := m.card()
		return llm.Answer{Text: text}, err
	case !ok:
		stages = []record.Stage{record.Contract}
	}
	if m.see != nil {
		m.see(q)
	}
	counts := m.enter(stages)
	defer m.leave()
	text, err := m.together(ctx, stages, counts)
	if err != nil {
		return llm.Answer{}, err
	}
	return llm.Answer{Text: text, Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 10}}, nil
}

// errLeftOut is the error of a task that a shared answer leaves out.
var errLeftOut = errors.New("left out")

// together joins the answers to the tasks of a call. An error of one is the call's.
func (m *model) together(ctx context.Context, stages []record.Stage, counts []int) (string, error) {
	if len(stages) == 1 {
		return m.answer(ctx, stages[0], counts[0])
	}
	all := struct {
		Tasks    []record.Stage   `json:"tasks"`
		Clauses  []map[string]any `json:"clauses"`
		Findings []map[string]any `json:"findings"`
	}{[]record.Stage{}, []map[string]any{}, []map[string]any{}}
	for i, s := range stages {
		text, err := m.answer(ctx, s, counts[i])
		if errors.Is(err, errLeftOut) {
			continue
		}
		if err != nil {
			return "", err
		}
		one := all
		one.Findings = nil
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			return "", err
		}
		for _, f := range one.Findings {
			f["task"] = s
		}
		all.Tasks, all.Clauses, all.Findings = append(all.Tasks, s), one.Clauses, append(all.Findings, one.Findings...)
	}
	raw, err := json.Marshal(all)
	return string(raw), err
}

func (m *model) enter(stages []record.Stage) (counts []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, call{stages, time.Since(m.began)})
	m.inFlight++
	m.most = max(m.most, m.inFlight)
	for _, s := range stages {
		counts = append(counts, m.count(s))
	}
	return counts
}

func (m *model) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
}

func (m *model) count(stage record.Stage) (n int) {
	for _, c := range m.calls {
		if slices.Contains(c.stages, stage) {
			n++
		}
	}
	return n
}

// asked returns the number of calls of a stage.
func (m *model) asked(stage record.Stage) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count(stage)
}

// took passes a time of the test, unless the call is stopped.
func took(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rig reviews one contract in memory.
type rig struct {
	*testing.T
	*review.Reviewer
	store *memory
	model *model
	id    uuid.UUID // of the review

	mu   sync.Mutex
	sent []job.Stamped
}

// Send implements job.Sender.
func (r *rig) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, messages...)
	return nil, nil
}

// newRig returns a rig with all chunks published: most tests don't wait for the card.
func newRig(t *testing.T, request review.Request) *rig {
	t.Helper()
	r := newWaitingRig(t, request)
	r.sent = append(r.sent, r.store.open(r.id)...)
	return r
}

// newWaitingRig returns a rig with the first chunk published.
func newWaitingRig(t *testing.T, request review.Request) *rig {
	t.Helper()
	r := &rig{T: t, store: newMemory(), model: &model{began: time.Now(), answer: answer}}
	r.Reviewer = &review.Reviewer{Store: r.store, Model: &llm.Asker{Model: r.model, Vault: r.store}, Sender: r,
		Price: llm.Price{Prompt: 1, Completion: 10}, Slots: make(chan struct{}, 16), Log: slog.New(slog.DiscardHandler)}
	s := review.Starter{Store: r.store, Sender: r, Model: "test", Price: r.Price, Log: r.Log}
	id := must.Get(s.Start(t.Context(), request))(t)
	r.id = id
	return r
}

// deliver delivers the messages that were sent until now, as one batch, and returns
// the settlements.
func (r *rig) deliver(count int) []job.Settlement {
	r.Helper()
	var batch []job.Delivery
	for _, s := range r.sent {
		batch = append(batch, job.Delivery{ID: s.ID, Count: count, SentAt: time.Now(), PublishedAt: s.PublishedAt})
	}
	r.sent = nil
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Minute)
	defer cancel()
	return r.runtime().Run(ctx, batch, quiet{})
}

func (r *rig) runtime() *job.Runtime {
	return &job.Runtime{Store: r.store, Work: job.Each(r.Review), Backoff: job.Backoff{5 * time.Minute, 5 * time.Minute},
		Lease: 5 * time.Minute, Log: r.Log}
}

// quiet carries out no settlement.
type quiet struct{}

func (quiet) Settle(context.Context, []job.Settled)        {}
func (quiet) Extend(context.Context, []int, time.Duration) {}

var unavailable = &failure.Error{Kind: failure.Transient, Sentence: "HTTP 503"}

func rateLimit(d time.Duration) error {
	return &failure.Error{Kind: failure.Transient, Sentence: "HTTP 429", RetryAfter: d}
}

// answer marks the three clauses of the contract, and has a finding about the renewal.
func answer(_ context.Context, s record.Stage, _ int) (string, error) {
	switch s {
	case record.Categories:
		return `{"clauses": [
			{"quote": "Either party may terminate this agreement", "category": "termination", "score": 90},
			{"quote": "It renews for further terms of one year", "category": "renewal", "score": 80},
			{"quote": "Liability is not limited in any way", "category": "uncapped-liability", "score": 99}]}`, nil
	case "renewal":
		return `{"findings": [{"quote": "It renews for further terms of one year", "category": "renewal", "title": "It renews",
			"explanation": "By itself, year after year.", "severity": "high", "fallback": ""}]}`, nil
	}
	if s == record.Contract {
		return `{"together": [], "same": [], "weights": [], "absent": []}`, nil
	}
	return `{"findings": []}`, nil
}
