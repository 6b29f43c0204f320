package notify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify"

	"github.com/google/uuid"
)

// outbox has these failures pending on each channel, and records the calls
// about them; hangs makes it hang until the context ends.
type outbox struct {
	pending []notify.Failure
	hangs   bool

	mu    sync.Mutex
	notes []string
}

func (o *outbox) ClaimNotifications(_ context.Context, _ string, _ time.Duration,
	plan func(time.Time, map[string]time.Time, []notify.Failure) []notify.Message) ([]notify.Message, error) {
	return plan(ten, nil, o.pending), nil
}

func (o *outbox) note(ctx context.Context, format string, args ...any) error {
	if o.hangs {
		<-ctx.Done()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, fmt.Sprintf(format, args...))
	return ctx.Err()
}

func (o *outbox) NotificationsSent(ctx context.Context, channel string, ids []uuid.UUID) error {
	return o.note(ctx, "%s got %s", channel, o.kinds(ids))
}

func (o *outbox) ReleaseNotifications(ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration,
	busy bool) error {
	return o.note(ctx, "%s released %s for %s, busy %t", channel, o.kinds(ids), wait, busy)
}

func (o *outbox) kinds(ids []uuid.UUID) string {
	var kinds []string
	for _, f := range o.pending {
		if slices.Contains(ids, f.ID) {
			kinds = append(kinds, f.Kind)
		}
	}
	return strings.Join(kinds, " ")
}

// answers is a channel that answers so about each kind.
func answers(name string, byKind map[string]error) *notify.Recorder {
	return &notify.Recorder{Name: name,
		Answer: func(m notify.Message) (bool, error) { return byKind[m.Kind] == nil, byKind[m.Kind] }}
}

func sendError(kind failure.Kind, wait time.Duration) error {
	return &failure.Error{Kind: kind, Sentence: "no", RetryAfter: wait}
}

// A failure that could not be sent waits as long as its error requires; a
// channel that asks for time gets nothing else meanwhile.
func TestUnsentAreReleased(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answers map[string]error
		want    []string
	}{
		"all arrive": {nil, []string{"chat got a", "chat got b", "chat got c"}},
		"it may pass": {map[string]error{"a": sendError(failure.Transient, 0)},
			[]string{"chat released a for 30s, busy false", "chat got b", "chat got c"}},
		"needs a person": {map[string]error{"b": sendError(failure.Permanent, 0)},
			[]string{"chat got a", "chat released b for 15m0s, busy false", "chat got c"}},
		"unknown": {map[string]error{"c": errors.New("x")},
			[]string{"chat got a", "chat got b", "chat released c for 30s, busy false"}},
		"asks for time": {map[string]error{"b": sendError(failure.Transient, time.Hour)},
			[]string{"chat got a", "chat released b c for 1h0m0s, busy true"}},
		"asks for little": {map[string]error{"a": sendError(failure.Transient, time.Second)},
			[]string{"chat released a b c for 30s, busy true"}},
	} {
		o := &outbox{pending: []notify.Failure{failed(1, "a", 0), failed(2, "b", time.Second),
			failed(3, "c", 2*time.Second)}}
		var log bytes.Buffer
		(&notify.Relay{Outbox: o, Senders: []notify.Sender{answers("chat", tc.answers)},
			Log: slog.New(slog.NewTextHandler(&log, nil))}).Run(t.Context())
		if !slices.Equal(o.notes, tc.want) {
			t.Errorf("%s: got %q, want %q", name, o.notes, tc.want)
		}
		if got := strings.Count(log.String(), `msg="send failed; sweep will retry" channel=chat`); got != len(tc.answers) {
			t.Errorf("%s: %d lines in the log:\n%s", name, got, &log)
		}
	}
}

// A channel that panics, or hangs, does not disturb the others.
func TestChannelsAreIsolated(t *testing.T) {
	t.Parallel()
	o := &outbox{pending: []notify.Failure{failed(1, "a", 0)}}
	arrived := make(chan struct{})
	panics := &notify.Recorder{Name: "panics", Answer: func(notify.Message) (bool, error) { panic("SECRET") }}
	hangs := &notify.Recorder{Name: "hangs", Answer: func(notify.Message) (bool, error) { <-arrived; return true, nil }}
	works := &notify.Recorder{Name: "works",
		Answer: func(notify.Message) (bool, error) { close(arrived); return true, nil }}
	var log bytes.Buffer
	(&notify.Relay{Outbox: o, Senders: []notify.Sender{panics, hangs, works},
		Log: slog.New(slog.NewTextHandler(&log, nil))}).Run(t.Context())
	slices.Sort(o.notes)
	if want := []string{"hangs got a", "panics released a for 15m0s, busy false",
		"works got a"}; !slices.Equal(o.notes, want) {
		t.Errorf("got %q, want %q", o.notes, want)
	}
	if strings.Contains(log.String(), "SECRET") {
		t.Errorf("the log holds the panic's value:\n%s", &log)
	}
}

// When time is up nothing more is sent, the rest is released at once, and an
// outbox that hangs holds the caller up for manifest.NotifyReserve, not longer.
func TestRunEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, tc := range map[string]struct {
			hangs bool
			want  time.Duration
		}{"a quick outbox": {false, 8 * time.Second},
			"one that hangs": {true, 8*time.Second + manifest.NotifyReserve}} {
			o := &outbox{hangs: tc.hangs, pending: []notify.Failure{failed(1, "a", 0), failed(2, "b", time.Second),
				failed(3, "c", 2*time.Second), failed(4, "d", 3*time.Second)}}
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			start, sent := time.Now(), 0
			slow := &notify.Recorder{Name: "slow", Answer: func(notify.Message) (bool, error) {
				sent++
				<-ctx.Done()
				return false, sendError(failure.Transient, 0)
			}}
			(&notify.Relay{Outbox: o, Senders: []notify.Sender{slow}, Log: slog.New(slog.DiscardHandler)}).Run(ctx)
			cancel()
			if took := time.Since(start); took != tc.want || sent != 1 ||
				!slices.Equal(o.notes, []string{"slow released a b c d for 30s, busy false"}) {
				t.Errorf("%s: it took %s, sent %d, noted %q", name, took, sent, o.notes)
			}
		}
	})
}
