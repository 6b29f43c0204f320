package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// box is an outbox of parcels that are all due, whatever was returned.
type box struct {
	mu        sync.Mutex
	left      int
	claims    []int // limits
	delivered int
	accepted  []uuid.UUID
	returned  []Return
	hold      time.Duration
	broken    error // of recording
}

func (b *box) Claim(ctx context.Context, limit int, hold time.Duration) (list []Parcel, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hold = hold
	b.claims = append(b.claims, limit)
	for ; limit > 0 && b.left > 0; limit-- {
		b.left--
		list = append(list, Parcel{ID: uuid.New(), Tries: 1})
	}
	return list, ctx.Err()
}

func (b *box) Delivered(ctx context.Context, jobs []uuid.UUID) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.delivered += len(jobs)
	b.accepted = append(b.accepted, jobs...)
	return b.broken
}

func (b *box) Release(ctx context.Context, returned []Return) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() == nil {
		b.returned = append(b.returned, returned...)
	}
	return errors.Join(ctx.Err(), b.broken)
}

func (b *box) is(t *testing.T, when string, claims string, delivered, returned int) {
	t.Helper()
	if got := fmt.Sprint(b.claims); got != claims || b.delivered != delivered || len(b.returned) != returned {
		t.Errorf("%s: claims %s, %d delivered, %d returned, want %s, %d, %d",
			when, got, b.delivered, len(b.returned), claims, delivered, returned)
	}
	b.claims = nil
}

// sender is a Receiver.
type sender func(ctx context.Context, p Parcel) error

func (d sender) Send(ctx context.Context, p Parcel) error { return d(ctx, p) }

var (
	errBusy    = &failure.Error{Kind: failure.Transient, Sentence: "busy", RetryAfter: 10 * time.Minute}
	errDown    = &failure.Error{Kind: failure.Transient, Sentence: "down"}
	errRefused = &failure.Error{Kind: failure.Permanent, Sentence: "refused"}
	errDenied  = &failure.Error{Kind: failure.Permanent, Sentence: "denied", Refused: true}
)

// answering returns a relay of a receiver that answers err, as long as it is not nil.
func answering(b *box, err *error) *Relay {
	return &Relay{Outbox: b, Log: slog.New(slog.DiscardHandler), Receiver: sender(func(context.Context, Parcel) error {
		return *err
	})}
}

// A receiver that is down gets one round of parcels, nothing for a while, then one parcel
// at a time until it accepts one; a receiver that asks for a wait gets it.
func TestReceiverDown(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		wait time.Duration
	}{"down": {errDown, 50 * time.Second}, "denied": {errDenied, 50 * time.Second}, "busy": {errBusy, 10 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			b, err := &box{left: 100}, tc.err
			c := answering(b, &err)
			c.Run(t.Context())
			b.is(t, name, "[16]", 0, 16)
			if b.returned[0].Refused {
				t.Errorf("%s: returned as refused", name)
			}
			<-time.After(tc.wait - time.Nanosecond)
			c.Run(t.Context())
			b.is(t, name+", too early", "[]", 0, 16)
			<-time.After(time.Nanosecond)
			c.Run(t.Context())
			b.is(t, name+", still", "[1]", 0, 17)
			<-time.After(tc.wait)
			err = nil
			c.Run(t.Context())
			b.is(t, name+", no more", "[1 16 16 16 16 16 16 16]", 83, 17)
		})
	}
}

// A refused parcel is about itself: the others go on.
func TestRefusedParcel(t *testing.T) {
	t.Parallel()
	b, err := &box{left: 20}, error(errRefused)
	answering(b, &err).Run(t.Context())
	b.is(t, "refused", "[16 16 16]", 0, 20)
	for _, r := range b.returned {
		if r.Wait != time.Hour || r.Error != "refused" || r.Tries != 1 || !r.Refused {
			t.Fatalf("returned %+v", r)
		}
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	down := failure.Failure{Kind: failure.Transient}
	for tries, want := range map[int]time.Duration{1: 30 * time.Second, 2: time.Minute, 3: 2 * time.Minute,
		7: 32 * time.Minute, 8: time.Hour, 9: time.Hour, 1 << 30: time.Hour} {
		if got := wait(tries, down); got != want {
			t.Errorf("after try %d: %s, want %s", tries, got, want)
		}
	}
	if got := wait(1, failure.Of(errBusy)); got != 10*time.Minute {
		t.Errorf("asked for ten minutes: %s", got)
	}
	if got := wait(9, failure.Failure{Kind: failure.Permanent}); got != time.Hour {
		t.Errorf("refused: %s", got)
	}
}

// A send that has begun is not stopped when time is up, and it is recorded; none
// begins after that. A receiver that does not return is given up after five seconds.
func TestStartedSendsFinish(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		takes               time.Duration
		delivered, returned int
	}{"slow": {4 * time.Second, 16, 0}, "endless": {time.Hour, 0, 16}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			b := &box{left: 100}
			c := answering(b, nil)
			c.Receiver = sender(func(ctx context.Context, _ Parcel) error {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(tc.takes):
					return nil
				}
			})
			began := time.Now()
			c.Run(ctx)
			b.is(t, name, "[16]", tc.delivered, tc.returned)
			if took := time.Since(began); took > time.Second+Reserve {
				t.Errorf("%s: it took %s", name, took)
			}
			if b.hold <= Reserve {
				t.Errorf("%s: held for %s, while sending and recording may take %s", name, b.hold, Reserve)
			}
			c.Run(ctx)
			b.is(t, name+", when time is up", "[]", tc.delivered, tc.returned)
		})
	}
}

// A panic of a receiver returns its own parcel. Errors are logged once for each reason,
// without their texts.
func TestRelayReport(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := &box{left: 16}
	var mu sync.Mutex
	n := 0
	c := &Relay{Parcels: "sets", Outbox: b, Log: slog.New(slog.NewTextHandler(&log, nil))}
	c.Receiver = sender(func(context.Context, Parcel) error {
		mu.Lock()
		defer mu.Unlock()
		switch n++; {
		case n == 1:
			panic("HIDDEN")
		case n <= 3:
			return errors.New("HIDDEN")
		case n <= 8:
			return errRefused
		}
		return nil
	})
	c.Run(t.Context())
	b.is(t, "of sixteen", "[16]", 8, 8)
	text := log.String()
	for _, want := range []string{"count=1", "panic (string)", "count=2", "unexpected error", "count=5", "reason=refused"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "HIDDEN") || strings.Count(text, "\n") != 3 {
		t.Errorf("logged\n%s", text)
	}
}

// While the ends of sends cannot be recorded, no more are sent: they would be sent again.
func TestRecordFails(t *testing.T) {
	t.Parallel()
	b, end := &box{left: 100, broken: errors.New("away")}, error(nil)
	answering(b, &end).Run(t.Context())
	b.is(t, "accepted", "[16]", 16, 0)
	b, end = &box{left: 100, broken: errors.New("away")}, errRefused
	answering(b, &end).Run(t.Context())
	b.is(t, "refused", "[16]", 0, 16)
}

// Each parcel is sent once in its claim, and recorded by its own answer.
func TestParcelsAreIndependent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ends := map[uuid.UUID][]bool{} // whether it was accepted
	b := &box{left: 40}
	c := &Relay{Outbox: b, Log: slog.New(slog.DiscardHandler), Receiver: sender(func(_ context.Context, p Parcel) error {
		mu.Lock()
		defer mu.Unlock()
		accepted := len(ends)%3 != 0
		ends[p.ID] = append(ends[p.ID], accepted)
		if !accepted {
			return errRefused
		}
		return nil
	})}
	c.Run(t.Context())
	recorded := map[uuid.UUID][]bool{}
	for _, id := range b.accepted {
		recorded[id] = append(recorded[id], true)
	}
	for _, r := range b.returned {
		recorded[r.ID] = append(recorded[r.ID], false)
	}
	if len(ends) != 40 || !maps.EqualFunc(ends, recorded, slices.Equal) {
		t.Errorf("%d were sent with the answers\n%v, and recorded as\n%v", len(ends), ends, recorded)
	}
}

// ended is an outbox that is read when time is up.
type ended struct {
	*box
	end func()
}

func (e ended) Claim(ctx context.Context, limit int, hold time.Duration) ([]Parcel, error) {
	e.end()
	return e.box.Claim(ctx, limit, hold)
}

func TestDeadlineIsNoError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	c := &Relay{Outbox: ended{&box{}, cancel}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	c.Run(ctx)
	if log.Len() > 0 {
		t.Errorf("logged %s", &log)
	}
}
