package llm_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"
)

// narrow is a provider that refuses calls beyond a number at once.
type narrow struct {
	llm.Model
	most, running, peak, refusals, answered atomic.Int32
}

func (n *narrow) Answer(context.Context, llm.Question) (llm.Answer, error) {
	defer n.running.Add(-1)
	running := n.running.Add(1)
	if running > n.most.Load() {
		n.refusals.Add(1)
		return llm.Answer{}, &failure.Error{Kind: failure.Transient, Sentence: "too many", Busy: true}
	}
	n.peak.Store(max(n.peak.Load(), running))
	<-time.After(time.Second)
	n.answered.Add(1)
	return llm.Answer{Text: "{}"}, nil
}

// askAll asks until n questions are answered, callers at once; each waits a second after a refusal.
func askAll(m llm.Model, callers, n int) (took time.Duration) {
	began := time.Now()
	var all sync.WaitGroup
	var next atomic.Int32
	for range callers {
		all.Go(func() {
			for int(next.Add(1)) <= n {
				for {
					if _, err := m.Answer(context.Background(), llm.Question{}); err == nil {
						break
					}
					<-time.After(time.Second)
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

// Forty callers share a provider that takes five calls at once, then forty.
func TestPaceFollowsProvider(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := func(paced bool) (refusals int32, took time.Duration) {
			n := &narrow{}
			n.most.Store(5)
			m := llm.Model(n)
			if paced {
				m = llm.Paced(n)
			}
			took = askAll(m, 40, 1000)
			if n.answered.Load() != 1000 {
				t.Errorf("%d answered, want 1000", n.answered.Load())
			}
			refusals = n.refusals.Load()
			n.most.Store(40)
			askAll(m, 40, 2000)
			if n.peak.Load() != 40 {
				t.Errorf("%d calls at once after the provider accepts 40", n.peak.Load())
			}
			return refusals, took
		}
		with, took := ask(true)
		without, control := ask(false)
		t.Logf("1,000 answers by a provider that takes five calls at once: %d refusals in %s, without a pace %d in %s", with, took, without, control)
		if with > 300 || without < 10*with {
			t.Errorf("%d refusals, %d without a pace", with, without)
		}
		if took > control*3/2 {
			t.Errorf("took %s, without a pace %s", took, control)
		}
	})
}

// A caller that gives up or panics, during its call or while it waits, gives its turn back.
func TestPaceGivesTurnsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running int32
		var end func(context.Context) error
		m := llm.Paced(answering(func(ctx context.Context) error {
			atomic.AddInt32(&running, 1)
			defer atomic.AddInt32(&running, -1)
			return end(ctx)
		}))
		wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		for i, next := range []func(context.Context) error{
			func(context.Context) error { return &failure.Error{Busy: true} },
			wait,
			func(ctx context.Context) error { panic(wait(ctx)) },
			wait,
		} {
			end = next
			ctx, cancel := context.WithCancel(t.Context())
			for range 3 {
				go func() {
					defer func() { _ = recover() }()
					_, _ = m.Answer(ctx, llm.Question{})
				}()
			}
			synctest.Wait()
			if n := atomic.LoadInt32(&running); i > 0 && n != 2 {
				t.Errorf("round %d: %d calls at once, want 2", i, n)
			}
			cancel()
			synctest.Wait()
		}
		if running != 0 {
			t.Errorf("%d calls are left", running)
		}
	})
}

// A batch of refusals halves the bound once, and failures of other kinds leave it alone.
func TestPaceCountsRefusalsOnce(t *testing.T) {
	t.Parallel()
	busy, away := &failure.Error{Busy: true}, &failure.Error{Away: true}
	for _, tc := range []struct {
		err  error
		want int32
	}{{busy, 4}, {away, 8}, {errors.New("other"), 8}} {
		synctest.Test(t, func(t *testing.T) {
			var running, peak atomic.Int32
			err := tc.err
			m := llm.Paced(answering(func(context.Context) error {
				peak.Store(max(peak.Load(), running.Add(1)))
				defer running.Add(-1)
				<-time.After(time.Second)
				return err
			}))
			for range 2 {
				peak.Store(0)
				var calls sync.WaitGroup
				for range 8 {
					calls.Go(func() { _, _ = m.Answer(t.Context(), llm.Question{}) })
				}
				calls.Wait()
				err = away // leaves the bound alone
			}
			if peak.Load() != tc.want {
				t.Errorf("%d calls at once after 8 ended with %v, want %d", peak.Load(), tc.err, tc.want)
			}
		})
	}
}

type answering func(context.Context) error

func (answering) Name() string { return "model" }

func (a answering) Answer(ctx context.Context, _ llm.Question) (llm.Answer, error) {
	return llm.Answer{}, a(ctx)
}
