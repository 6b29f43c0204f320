package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/record"
)

// A failed call is retried in the worker after 1 s, 2 s and 4 s, within 30 s altogether. After
// that the queue redelivers the chunk, minutes later.
const (
	firstWait  = time.Second
	callTries  = 4
	callWithin = 30 * time.Second
)

// retry is the retry policy of calls. A configured base takes precedence.
func (w *work) retry() llm.Retry {
	r := w.Model.Retry
	r.Base, r.Tries, r.Within = cmp.Or(r.Base, firstWait), callTries, callWithin
	return r
}

func cost(p llm.Price, u llm.Usage) record.USD { return record.USD(p.Of(u) + 0.5) }

func largest(p llm.Price, q llm.Question) record.USD {
	prompt, completion := analyst.Estimate(q)
	return cost(p, llm.Usage{PromptTokens: prompt, CompletionTokens: completion})
}

func likely(p llm.Price, q llm.Question, tasks int) record.USD {
	prompt, completion := analyst.Likely(q, tasks)
	return cost(p, llm.Usage{PromptTokens: prompt, CompletionTokens: completion})
}

// meter counts the paid calls and cost of stages, and shares the provider's Retry-After.
type meter struct {
	llm.Model
	work        *work
	tries, paid int
	cost        record.USD
}

// Answer asks the model. A repeated call fails at once while the provider is paused.
func (m *meter) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	if wait := m.work.paused(); m.tries > 0 && wait > 0 {
		return llm.Answer{}, rateLimited(wait)
	}
	m.tries++
	answer, err := m.Model.Answer(ctx, q)
	if err == nil || answer.Usage != (llm.Usage{}) {
		m.paid++
		m.cost += cost(m.work.Price, answer.Usage)
	}
	if err != nil {
		if f := failure.Of(err); f.Kind == failure.Transient && f.RetryAfter > 0 {
			m.work.pause(ctx, f.RetryAfter)
		}
	}
	return answer, err
}

// share divides what the calls cost among the stages that they were made for. The calls count for
// the first, so that the sum is their number.
func (m *meter) share(rs []record.Result) {
	n := record.USD(len(rs))
	for i := range rs {
		rs[i].Cost = m.cost / n
	}
	rs[0].Calls, rs[0].Cost = m.paid, m.cost-m.cost/n*(n-1)
}

func rateLimited(wait time.Duration) error {
	return &failure.Error{Kind: failure.Transient, RetryAfter: wait,
		Sentence: "the model's provider is rate limiting; retry later"}
}

// enter waits for the provider's pause to end and for a slot of this process. The caller must
// call leave after the call.
func (w *work) enter(ctx context.Context, calls []record.Call) (leave func(), err error) {
	for {
		if err := w.sitOut(ctx); err != nil {
			return nil, err
		}
		leave, err := w.slot(ctx)
		if err != nil {
			return nil, err
		}
		standing, err := w.Store.Begin(ctx, w.fence, w.modelName(), calls)
		switch {
		case errors.Is(err, record.ErrBudget) && calls[0].Estimate <= standing.Unspent:
			leave()
			if err := w.awaitBudget(ctx); err != nil {
				return nil, err
			}
			continue
		case errors.Is(err, record.ErrBudget):
			err = beyond(standing.Unspent, calls[0].Estimate)
		case err != nil:
		case standing.Status != record.Running:
			err = errCancelled
		case w.Model == nil || !w.learn(standing):
			return leave, nil
		}
		leave()
		if err != nil {
			return nil, cmp.Or(cause(ctx), err)
		}
	}
}

// awaitBudget gives the calls in flight time to release what they reserved: they usually cost
// much less. A wait longer than this delivery is left to the queue.
func (w *work) awaitBudget(ctx context.Context) error {
	wait := watchEvery + rand.N(watchEvery)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline)-callReserve < wait {
		return &failure.Error{Kind: failure.Transient, RetryAfter: callReserve,
			Sentence: "the rest of the budget is reserved by calls in flight; retry later"}
	}
	if err := backoff.Sleep(ctx, wait); err != nil {
		return cmp.Or(cause(ctx), err)
	}
	return nil
}

// beyond is the error of a call that the rest of the budget will never cover.
func beyond(rest, most record.USD) error {
	why := failure.Permanently("the review's budget is spent")
	if rest > 0 {
		why = failure.Permanently("the call may cost USD %.4f, but USD %.4f of the review's budget are left",
			most.Dollars(), rest.Dollars())
	}
	return fmt.Errorf("%w: %w", record.ErrBudget, why)
}

func (w *work) slot(ctx context.Context) (leave func(), err error) {
	if w.Model == nil {
		return func() {}, nil
	}
	select {
	case w.Slots <- struct{}{}:
		return func() { <-w.Slots }, nil
	case <-ctx.Done():
		return nil, cmp.Or(cause(ctx), ctx.Err())
	}
}

// callReserve is the time kept free for a call after a pause.
const callReserve = time.Minute

// sitOut waits for a pause to end, plus jitter so that the workers don't all call at once. A
// pause longer than this delivery's remaining time is left to the queue.
func (w *work) sitOut(ctx context.Context) error {
	wait := w.paused()
	if wait <= 0 {
		return nil
	}
	wait += rand.N(wait/4 + 1)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline)-callReserve < wait {
		return rateLimited(wait)
	}
	if err := backoff.Sleep(ctx, wait); err != nil {
		return cmp.Or(cause(ctx), err)
	}
	if w.Paused != nil {
		w.Paused(wait)
	}
	return nil
}

// paused returns the remaining pause, as far as this worker has heard.
func (w *work) paused() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Until(w.pausedUntil)
}

// learn notes the pause in a standing, and reports whether one is set.
func (w *work) learn(s record.Standing) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.Paused > 0 {
		w.pausedUntil = time.Now().Add(s.Paused)
	}
	return s.Paused > 0
}

// pause keeps this worker and all others from calling the model for d.
func (w *work) pause(ctx context.Context, d time.Duration) {
	w.learn(record.Standing{Paused: d})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endFor)
	defer cancel()
	if err := w.Store.Pause(ctx, w.modelName(), d); err != nil {
		w.Log.Warn("record model pause failed", "reason", failure.Of(err).Text)
	}
}
