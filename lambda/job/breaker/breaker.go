package breaker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Store keeps the breakers' rows. Each method is one statement; see postgres/breaker.go.
type Store interface {
	// Look returns the state; Closed for an unknown service.
	Look(ctx context.Context, service string) (State, error)
	// Count adds a failed call of a row's work, and returns the state after it. An open breaker has
	// no probe before the wait.
	Count(ctx context.Context, service string, c FailedCall) (State, error)
	// Open opens a closed breaker, and begins an outage with its notification unless there is one.
	Open(ctx context.Context, service string, wait time.Duration) (State, error)
	// Probe takes the lease of a due probe. Only one caller gets it.
	Probe(ctx context.Context, service string, lease time.Duration) (taken bool, err error)
	// Reopen ends a failed probe. It counts the call unless the sentence is empty.
	Reopen(ctx context.Context, service string, c FailedCall) (State, error)
	// Close closes the breaker after a call of a row's work, and ends the succession of failed
	// calls.
	Close(ctx context.Context, service string, row uuid.UUID) (State, error)
}

// FailedCall is a call that failed away.
type FailedCall struct {
	Row      uuid.UUID // with the work
	Sentence string
	Wait     time.Duration // until the next probe
}

// Breaker guards the calls of one service. You must set Service, Store and Log. It is safe for
// concurrent use.
type Breaker struct {
	Service string
	Store   Store
	Log     *slog.Logger

	mu    sync.Mutex
	known State     // as far as this process has heard
	heard time.Time // zero: never
}

const (
	// fresh is the time that a process trusts a healthy state. It always asks again about any
	// other, so that it makes no call to a service that another process found away.
	fresh = 5 * time.Second
	// statementFor limits a statement. It also applies after the deadline of the work.
	statementFor = 3 * time.Second
)

// Do makes the call if the breaker allows it. The returned error is the call's, or a
// failure.Parked if the work has to wait for the service.
func (b *Breaker) Do(ctx context.Context, call func(context.Context) error) error {
	state, err := b.look(ctx)
	move, probe := state.Before(), false
	if err == nil && move == Probe {
		probe, err = b.Store.Probe(ctx, b.Service, Lease)
	}
	switch {
	case err != nil:
		b.unguarded(err)
		return call(ctx)
	case probe:
		b.Log.Info("probing a service", "service", b.Service)
	case move != Call:
		return b.parked(state, 0)
	}
	done := false
	defer func() { // a panic must not keep the probe's lease
		if !done && probe {
			_ = b.conclude(ctx, state, errPanic, true)
		}
	}()
	err = call(ctx)
	done = true
	if parked := b.conclude(ctx, state, err, probe); parked != nil {
		return parked
	}
	return err
}

var errPanic error = &failure.Error{Sentence: "panic"}

func resultOf(err error) (Result, failure.Failure) {
	if err == nil {
		return Succeeded, failure.Failure{}
	}
	if why := failure.Of(err); why.Away {
		return Away, why
	}
	return Neither, failure.Failure{}
}

// conclude writes what a call's result changes. It returns an error if the work has to wait.
func (b *Breaker) conclude(ctx context.Context, before State, err error, probe bool) error {
	r, why := resultOf(err)
	move := before.After(r, probe)
	if move == Pass {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statementFor)
	defer cancel()
	state, err := b.write(ctx, move, before, why)
	if err != nil {
		b.unguarded(err)
		return nil
	}
	b.learn(state)
	if r == Away && (state.Phase != Closed || !state.Since.IsZero()) {
		return b.parked(state, why.RetryAfter)
	}
	return nil
}

func (b *Breaker) write(ctx context.Context, move Move, before State, why failure.Failure) (State, error) {
	c := FailedCall{Row: job.AttemptOf(ctx).ID, Sentence: why.Text, Wait: Wait(before.Probes, why.RetryAfter)}
	switch move {
	case Close:
		if before.Phase != Closed {
			b.Log.Info("service is back", "service", b.Service)
		}
		return b.Store.Close(ctx, b.Service, c.Row)
	case Reopen:
		c.Wait = Wait(before.Probes+1, why.RetryAfter)
		return b.Store.Reopen(ctx, b.Service, c)
	}
	state, err := b.Store.Count(ctx, b.Service, c)
	if err != nil || !state.Trips(why.RetryAfter) {
		return state, err
	}
	b.Log.Error("service is away; its work is parked", "service", b.Service, "failures", state.Failures, "reason", why.Text)
	return b.Store.Open(ctx, b.Service, c.Wait)
}

// look returns the state, from memory if that is healthy and fresh.
func (b *Breaker) look(ctx context.Context) (State, error) {
	b.mu.Lock()
	known, heard := b.known, b.heard
	b.mu.Unlock()
	if known.Phase == Closed && known.Failures == 0 && known.Since.IsZero() && time.Since(heard) < fresh {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, statementFor)
	defer cancel()
	state, err := b.Store.Look(ctx, b.Service)
	if err == nil {
		b.learn(state)
	}
	return state, err
}

func (b *Breaker) learn(s State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known, b.heard = s, time.Now()
}

func (b *Breaker) unguarded(err error) {
	b.Log.Warn("breaker failed; calling without it", "service", b.Service, "reason", failure.Of(err).Text)
}

// parked returns the error for work that waits for the service, and at least as long as its own
// call was asked to.
func (b *Breaker) parked(s State, retryAfter time.Duration) error {
	sentence := "waiting for " + b.Service
	if !s.Since.IsZero() {
		sentence += ", away since " + s.Since.UTC().Format("2006-01-02 15:04 UTC")
	}
	if s.Error != "" {
		sentence += fmt.Sprintf(" (%s)", s.Error)
	}
	return &failure.Error{Kind: failure.Parked, Sentence: sentence, Service: b.Service, RetryAfter: retryAfter}
}
