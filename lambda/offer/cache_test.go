package offer_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// shelf has a roster of three users for each date.
type shelf struct {
	loads  atomic.Int32
	before func(context.Context, day.Date) error // is called by each load
}

func (s *shelf) RosterOf(ctx context.Context, j offer.Job) (roster.Frozen, error) {
	s.loads.Add(1)
	if s.before != nil {
		if err := s.before(ctx, j.Date); err != nil {
			return roster.Frozen{}, err
		}
	}
	return frozen(j.Tenant, j.Date)
}

func frozen(tenant uuid.UUID, date day.Date) (roster.Frozen, error) {
	key := roster.Key{Tenant: tenant, Date: date, Algorithm: ranking.Current}
	return roster.Roster{Key: key, Rows: []roster.Row{{ID: person(1)}, {ID: person(2)},
		{ID: person(3), Profile: json.RawMessage(`{"born": "Sesame"}`)}}}.Freeze()
}

func person(n byte) uuid.UUID { return uuid.UUID{15: n} }

func jobOf(t *testing.T, date day.Date) offer.Job {
	t.Helper()
	f := must.Get(frozen(uuid.Nil, date))(t)
	return offer.Job{User: person(1), Date: date, Digest: f.Digest, Algorithm: ranking.Current}
}

func TestConcurrentLoadsOnce(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	cache, j := offer.Cache{Rosters: s}, jobOf(t, 20_000)
	var jobs sync.WaitGroup
	for range 20 {
		jobs.Go(func() {
			if _, err := cache.Offers(t.Context(), j); err != nil {
				t.Error(err)
			}
		})
	}
	jobs.Wait()
	if got := s.loads.Load(); got != 1 {
		t.Errorf("%d loads, want 1", got)
	}
}

func TestKeepsRecentRosters(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	cache := offer.Cache{Rosters: s, Users: 8} // two rosters of three
	for _, tc := range []struct {
		date  day.Date
		loads int32
	}{{1, 1}, {2, 2}, {1, 2}, {3, 3}, {1, 3}, {2, 4}, {3, 5}, {2, 5}} {
		must.Get(cache.Offers(t.Context(), jobOf(t, tc.date)))(t)
		if got := s.loads.Load(); got != tc.loads {
			t.Fatalf("%d loads after date %d, want %d", got, tc.date, tc.loads)
		}
	}
	small := offer.Cache{Rosters: s, Users: 1} // less than one roster has, which is kept nevertheless
	for range 2 {
		must.Get(small.Offers(t.Context(), jobOf(t, 1)))(t)
	}
	if got := s.loads.Load(); got != 6 {
		t.Errorf("%d loads, want 6", got)
	}
}

func TestFailedLoadIsNotKept(t *testing.T) {
	t.Parallel()
	s := &shelf{before: func(context.Context, day.Date) error { return errors.New("the database is away") }}
	cache, j := offer.Cache{Rosters: s}, jobOf(t, 20_000)
	if _, err := cache.Offers(t.Context(), j); err == nil {
		t.Fatal("a load that fails is no error")
	}
	s.before = nil
	if _, err := cache.Offers(t.Context(), j); err != nil {
		t.Errorf("after the database is back: %v", err)
	}
}

func TestPanickingLoadIsNotKept(t *testing.T) {
	t.Parallel()
	s := &shelf{before: func(context.Context, day.Date) error { panic("a bug") }}
	cache, j := offer.Cache{Rosters: s}, jobOf(t, 20_000)
	func() {
		defer func() { _ = recover() }()
		_, _ = cache.Offers(t.Context(), j)
	}()
	s.before = nil
	if _, err := cache.Offers(t.Context(), j); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

// The caller that loads is stopped while another waits, which loads then; a third
// one that is stopped does not wait.
func TestStoppedCaller(t *testing.T) {
	t.Parallel()
	loading, stopped := make(chan struct{}, 2), make(chan struct{})
	s := &shelf{}
	s.before = func(ctx context.Context, _ day.Date) error {
		if s.loads.Load() > 1 {
			return nil
		}
		loading <- struct{}{}
		<-ctx.Done()
		<-stopped
		return ctx.Err()
	}
	cache, j := offer.Cache{Rosters: s}, jobOf(t, 20_000)
	first, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	callers.Go(func() {
		if _, err := cache.Offers(first, j); !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that was stopped: error %v", err)
		}
	})
	<-loading
	stop()
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := cache.Offers(gone, j); !errors.Is(err, context.Canceled) {
		t.Errorf("a waiting caller that was stopped: error %v", err)
	}
	callers.Go(func() {
		if _, err := cache.Offers(t.Context(), j); err != nil {
			t.Errorf("the caller that waited: %v", err)
		}
	})
	close(stopped)
	callers.Wait()
}

func TestOtherRosterIsPermanent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*offer.Job)
		load   error
		want   string
	}{
		"other digest":       {change: func(j *offer.Job) { j.Digest[0]++ }, want: "differs from the one"},
		"other algorithm":    {change: func(j *offer.Job) { j.Algorithm++ }, want: "version 4 of the ranking"},
		"no roster":          {load: job.ErrNotFound, want: "missing roster"},
		"unreadable profile": {change: func(j *offer.Job) { j.User = person(3) }, want: "born"},
		"user not in it":     {change: func(j *offer.Job) { j.User = person(4) }, want: "not found in the roster"},
	} {
		j := jobOf(t, 20_000)
		if tc.change != nil {
			tc.change(&j)
		}
		cache := offer.Cache{Rosters: &shelf{before: func(context.Context, day.Date) error { return tc.load }}}
		_, err := cache.Offers(t.Context(), j)
		var classified *failure.Error
		permanent := errors.As(err, &classified) && classified.Kind == failure.Permanent
		if !permanent || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "Sesame") {
			t.Errorf("%s: error %v, want a permanent one with %q", name, err, tc.want)
		}
	}
}
