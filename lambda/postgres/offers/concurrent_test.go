package offers_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// queued is the result of a scheduler that queues a group to its end.
type queued struct {
	mu     sync.Mutex
	stamps []uuid.UUID
	users  int
}

func (q *queued) all(ctx context.Context, store offer.ScheduleStore, s offer.Shard) error {
	for {
		stamped, users, err := store.Queue(ctx, s)
		if err != nil || users == 0 {
			return err
		}
		q.mu.Lock()
		q.users += users
		for _, m := range stamped {
			q.stamps = append(q.stamps, m.ID)
		}
		q.mu.Unlock()
	}
}

// jobIDs are the ids of the jobs of today of the users 1 to n.
func jobIDs(n int, zone string) (ids []uuid.UUID) {
	for i := range n {
		ids = append(ids, offer.JobID(tenant, today, zone, num(i+1)))
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

func (q *queued) want(t *testing.T, n int, zone string) {
	t.Helper()
	slices.SortFunc(q.stamps, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	if q.users != n || !slices.Equal(q.stamps, jobIDs(n, zone)) {
		t.Errorf("%d users were moved, %d stamps; want %d, each once", q.users, len(q.stamps), n)
	}
}

// Two schedulers that queue a zone at the same moment share it: the first is stopped
// when it has locked its users and is about to insert their jobs, then the second one
// comes.
func TestSchedulersShareZone(t *testing.T) {
	t.Parallel()
	const users = 10
	for name, limit := range map[string]int{"the second takes other users": 3, "the first has all users": users} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newFixture(t)
			o.users(1, users, "Asia/Tokyo")
			release := o.Blocks("LOCK TABLE matchmaking_job IN SHARE MODE")
			s, got, errs := o.shard("Asia/Tokyo", nil), &queued{}, make(chan error, 2)
			s.Limit = limit
			for i := range 2 {
				go func() { errs <- got.all(t.Context(), o.store, s) }()
				o.Waiting(i+1, nil)
			}
			release()
			for range 2 {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
			got.want(t, users, "Asia/Tokyo")
			o.wantGroups("Asia/Tokyo today+0: 10")
			postgrestest.Equal(t, "jobs", len(o.jobs()), users)
		})
	}
}

// Many schedulers at once, some of which die after a step, and the one that comes
// afterwards: each user has one job, and one message.
func TestSchedulersThatDie(t *testing.T) {
	t.Parallel()
	const users = 40
	o := newFixture(t)
	o.users(1, users, "Asia/Tokyo")
	s, got := o.shard("Asia/Tokyo", nil), &queued{}
	s.Limit = 3
	var running sync.WaitGroup
	for i := range 6 {
		running.Go(func() {
			ctx, die := context.WithCancel(t.Context())
			defer die()
			mine := s
			if i%2 == 0 {
				asked := 0
				mine.Member = func(uuid.UUID) bool { // dies in its third step
					if asked++; asked == 7 {
						die()
					}
					return true
				}
			}
			err := got.all(ctx, o.store, mine)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	running.Wait()
	must.OK(t, got.all(t.Context(), o.store, s))
	got.want(t, users, "Asia/Tokyo")
}

// A scheduler that is stopped between two steps, or in the middle of one, has committed whole
// steps; another one, on a separate connection, goes on.
func TestSchedulerGoesOn(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 7, "Asia/Tokyo")
	s, got := o.shard("Asia/Tokyo", nil), &queued{}
	s.Limit = 3
	ctx, stop := context.WithCancel(t.Context())
	if _, users, err := o.store.Queue(ctx, s); users != 3 || err != nil {
		t.Fatal(users, err)
	}
	release := o.Blocks("LOCK TABLE matchmaking_job IN SHARE MODE")
	stopped := make(chan error, 1)
	go func() {
		_, _, err := o.store.Queue(ctx, s)
		stopped <- err
	}()
	o.Waiting(1, nil)
	stop()
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Errorf("the stopped step: %v", err)
	}
	release()
	url := must.Get(o.Clock.URL())(t)
	next := offers.New(postgrestest.Open(t, url))
	if err := got.all(t.Context(), next, s); err != nil || got.users != 4 || len(got.stamps) != 4 {
		t.Errorf("%d users and %d stamps were left, %v; want 4", got.users, len(got.stamps), err)
	}
	postgrestest.Equal(t, "jobs", len(o.jobs()), 7)
	o.wantGroups("Asia/Tokyo today+0: 7")
}

// A program that keeps a user locked delays no other one. When it has moved the user
// to another zone, the user is of the group of that zone.
func TestLockedUserComesLast(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		set  string
		jobs []string
	}{
		"moved":     {"timezone = 'Asia/Seoul'", []string{"today+0 1 pending Asia/Seoul", "today+0 2 pending Asia/Tokyo", "today+0 3 pending Asia/Tokyo"}},
		"changed":   {"profile = '[]'", []string{"today+0 1 pending Asia/Tokyo", "today+0 2 pending Asia/Tokyo", "today+0 3 pending Asia/Tokyo"}},
		"withdrawn": {"active = false", []string{"today+0 2 pending Asia/Tokyo", "today+0 3 pending Asia/Tokyo"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newFixture(t)
			o.users(1, 3, "Asia/Tokyo")
			release := o.Blocks("UPDATE offer_user SET "+tc.set+" WHERE id = $1", num(1))
			if stamps, users := o.take(o.shard("Asia/Tokyo", nil)); stamps != 2 || users != 2 {
				t.Errorf("%d stamps of %d users beside the locked one", stamps, users)
			}
			done := make(chan error, 1)
			go func() {
				_, _, err := o.store.Queue(t.Context(), o.shard("Asia/Tokyo", nil))
				done <- err
			}()
			o.Waiting(1, nil)
			release()
			if err := <-done; err != nil {
				t.Error(err)
			}
			o.take(o.shard("Asia/Seoul", nil))
			o.wantJobs(tc.jobs...)
		})
	}
}

// A user who is deleted while queued takes the job along.
func TestDeleteUserAndJobs(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 2, "UTC")
	id := o.queue("UTC")[0].ID
	f := o.claimed(id)
	must.OK(t, o.offer(t.Context(), f))
	o.Exec("DELETE FROM offer_user WHERE id = $1", num(1))
	o.wantJobs("today+0 2 pending UTC")
	for _, table := range []string{"offer", "offer_delivery"} {
		o.lists("SELECT gen_random_uuid(), 'of "+table+"' FROM "+table, nil)
	}
	if err := o.offer(t.Context(), f); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("work on it: %v", err)
	}
}
