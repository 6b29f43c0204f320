package acceptance_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// A worker dies at every fourth question, with calls in flight. No answer that was
// in storage is asked for again, and the review is complete; with -thorough, a
// chunk may die on each of its deliveries, and is a gap that has its reason.
func TestKilledReview(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := newReviewLine(t, seed)
	id := r.review(testenv.Size(3, 16))
	r.finish()
	job := must.Get(r.reviews.Job(t.Context(), id))(t)
	check(t, "gaps that have a reason", query[int](r.line,
		"SELECT count(*) FROM review_chunk WHERE status = 'failed' AND error <> ''"), job.Gaps)
	if !testenv.Thorough() { // two kills spare the third delivery of each chunk
		check(t, "status", job.Status, record.Completed)
	}
	// A worker that dies may have sent an answer to the database, which stores it a moment after
	// the next worker has looked for it, and asked: of the two, one is used.
	answers := query[int](r.line, "SELECT count(*) FROM model_answer WHERE unusable = ''")
	calls := query[int](r.line, "SELECT count(*) FROM review_checkpoint WHERE outcome = 'done' AND stage IN ('card', 'categories', 'contract')")
	if job.Gaps == 0 {
		check(t, "answers", answers, calls) // the tasks about a chunk share one
	}
	check(t, "questions that have one", query[int](r.line, "SELECT count(DISTINCT question) FROM model_answer"), answers)
	check(t, "answers to what was asked", r.bought.kept(), answers)
	check(t, "answers in storage that were asked for again", r.bought.again, 0)
	made, lost := len(r.model.Calls()), len(r.model.Calls())-answers
	if r.kills < 2 || lost > r.kills*manifest.Review.CallsInFlight {
		t.Errorf("%d kills have lost %d of %d calls", r.kills, lost, made)
	}
	t.Logf("%d chunks, %d questions, %d calls, %d kills, %d calls in flight when killed", job.Chunks, calls, made, r.kills, lost)
}

// reviewLine is a stack of the review function, whose model is scripted.
type reviewLine struct {
	*modelLine
	reviews *reviews.Store

	mu     sync.Mutex
	random *rand.Rand
	bought *purchases
	kills  int
}

func newReviewLine(t *testing.T, seed uint64) *reviewLine {
	t.Helper()
	r := &reviewLine{random: rand.New(rand.NewPCG(seed, 0))}
	answer := scripted.ReviewByRules()
	r.modelLine = newModelLine(t, 0, scripted.Options{
		Latency: scripted.Latency{Min: 10 * time.Millisecond, Max: 60 * time.Millisecond, Seed: seed},
		Mind: func(q scripted.Question) string {
			r.note(q)
			return answer(q)
		},
	}, func(c *local.FunctionConfig) {
		c.Row = manifest.Review
	})
	r.bought, r.reviews = newPurchases(t, r.url()), reviews.New(r.DB)
	return r
}

// review starts a review of a contract that is so many times as long as the
// sample.
func (r *reviewLine) review(times int) uuid.UUID {
	r.t.Helper()
	sample := testdata(r.t, "contracts/software-licence.md")
	var long strings.Builder
	for n := range times {
		fmt.Fprintf(&long, "%s\n\n", strings.ReplaceAll(sample, "shall", fmt.Sprintf("shall (%d)", n)))
	}
	text := must.Get(chunk.Clean([]byte(long.String())))(r.t)
	s := review.Starter{Store: r.reviews, Sender: r.Queue, Model: "scripted", Log: slog.New(slog.DiscardHandler)}
	return must.Get(s.Start(r.t.Context(), review.Request{TenantID: testTenant, Name: "software-licence.md", Text: text}))(r.t)
}

// note kills at every fourth question.
func (r *reviewLine) note(q scripted.Question) {
	n := r.bought.note(q)
	r.mu.Lock()
	defer r.mu.Unlock()
	if n%4 == 0 && r.kills < testenv.Size(2, 10) && r.Function.Kill(r.random.IntN) {
		r.kills++
	}
}
