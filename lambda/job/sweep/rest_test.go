package sweep

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

func TestRests(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		v, err := time.Parse("15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return v.AddDate(2026, 0, 0)
	}
	for name, tc := range map[string]struct {
		looked, now string
		idle, want  bool
	}{
		"just looked":            {"10:05", "10:06", true, true},
		"at the end of the hour": {"10:00", "10:59", true, true},
		"the next hour":          {"10:59", "11:00", true, false},
		"a message":              {"10:05", "10:06", false, false},
		"something was open":     {"", "10:06", true, false},
	} {
		if got := rests(at(tc.looked), at(tc.now), tc.idle); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	if rests(at("10:05"), at("10:06").AddDate(0, 0, 1), true) {
		t.Error("it rests on the next day")
	}
}

// empty is a queue, and a table of rows that counts the looks at it.
type empty struct {
	Store
	backlog, looks int
	err            error
}

func (e *empty) Backlog(context.Context) (int, error)                         { return e.backlog, e.err }
func (e *empty) Send(context.Context, []job.Stamped) ([]uuid.UUID, error)     { return nil, nil }
func (e *empty) Overdue(context.Context, Waits, int) (int, error)             { e.looks++; return 0, nil }
func (e *empty) Unpark(context.Context, int) ([]job.Stamped, error)           { return nil, nil }
func (e *empty) GiveUp(context.Context, Waits, int) (int, int, error)         { return 0, 0, nil }
func (e *empty) Republish(context.Context, Waits, int) ([]Republished, error) { return nil, nil }

// A sweeper rests after a look that found nothing, and no longer once a message comes.
func TestSweeperRests(t *testing.T) {
	t.Parallel()
	e, open, rested := &empty{}, true, 0
	s := &Sweeper{Targets: []Target{{Store: e, Queue: e}}, Log: slog.New(slog.DiscardHandler), Rest: func() { rested++ },
		Measure: func(context.Context, Report, error) bool { return open }}
	run := func(looks, rests int) {
		t.Helper()
		_, _ = s.Run(t.Context())
		if e.looks != looks || rested != rests {
			t.Errorf("looked %d times and rested %d, want %d and %d", e.looks, rested, looks, rests)
		}
	}
	run(1, 0) // something is open
	open = false
	run(2, 0)
	run(2, 1)
	e.backlog = 1
	run(3, 1)
	e.backlog, e.err = 0, errors.New("the queue is down")
	run(4, 1)
	e.err = nil
	run(5, 1) // the failed run proves nothing
	run(5, 2)
}
