package postgres_test

import (
	"sync"
	"testing"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

const (
	visibility = 10 * time.Minute
	times      = 3 // of publishing again
	limit      = 100
	tick       = time.Microsecond // the database's smallest step
)

// repairs are the counts of one round of all three repairs.
type repairs struct{ overdue, lost, crashed, republished int }

func (f *fixture) sweep() (r repairs) {
	f.t.Helper()
	var err error
	if r.overdue, err = f.Overdue(f.t.Context(), visibility); err != nil {
		f.t.Fatal(err)
	}
	if r.lost, r.crashed, err = f.GiveUp(f.t.Context(), visibility, times, limit); err != nil {
		f.t.Fatal(err)
	}
	stamped, err := f.Republish(f.t.Context(), visibility, times, limit)
	if err != nil {
		f.t.Fatal(err)
	}
	r.republished = len(stamped)
	return r
}

func (f *fixture) sweepFinds(want repairs) {
	f.t.Helper()
	if got := f.sweep(); got != want {
		f.t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOverdueOnlyWhenTheVisibilityHasPassed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		columns string
		after   time.Duration // overdue after this; 0 is never
		want    repairs
	}{
		"pending":                   {"matching_status='pending', matching_due_at=now()", visibility, repairs{1, 0, 0, 1}},
		"pending, a retry":          {"matching_status='pending', matching_due_at=now() + interval '5 minutes'", 15 * time.Minute, repairs{1, 0, 0, 1}},
		"pending, published twice":  {"matching_status='pending', matching_due_at=now(), matching_republished=1", 2 * visibility, repairs{1, 0, 0, 1}},
		"pending, published thrice": {"matching_status='pending', matching_due_at=now(), matching_republished=2", 4 * visibility, repairs{1, 0, 0, 1}},
		"pending, often enough":     {"matching_status='pending', matching_due_at=now(), matching_republished=3", 8 * visibility, repairs{1, 1, 0, 0}},
		"in progress":               {"matching_status='in-progress', matching_lease_until=now() + interval '1 minute'", 11 * time.Minute, repairs{1, 0, 1, 0}},
		"in progress, republished":  {"matching_status='in-progress', matching_lease_until=now(), matching_republished=2", visibility, repairs{1, 0, 1, 0}},
		"never published":           {"matching_due_at=now(), matching_lease_until=now()", 0, repairs{}},
		"succeeded":                 {"matching_status='succeeded', matching_due_at=now(), matching_lease_until=now()", 0, repairs{}},
		"failed":                    {"matching_status='failed', matching_due_at=now(), matching_lease_until=now()", 0, repairs{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.document(tc.columns)
			if tc.after == 0 {
				f.advance(1000 * time.Hour)
				f.sweepFinds(repairs{})
				return
			}
			f.advance(tc.after)
			f.sweepFinds(repairs{})
			f.advance(tick)
			f.sweepFinds(tc.want)
			f.sweepFinds(repairs{})
		})
	}
}

// From its publishing on, a document whose messages all get lost.
func TestLostDocumentIsPublishedThreeTimesAgainThenFailed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("")
	for round := 1; round <= 2; round++ { // the second time is told again
		last := f.publish(id)[0].PublishedAt
		for _, wait := range []time.Duration{visibility, 2 * visibility, 4 * visibility} {
			f.advance(wait)
			f.sweepFinds(repairs{})
			f.advance(tick)
			f.sweepFinds(repairs{overdue: 1, republished: 1})
			var stamp, due time.Time
			if err := f.conn.QueryRow(t.Context(), "SELECT matching_published_at, matching_due_at FROM document").Scan(&stamp, &due); err != nil {
				t.Fatal(err)
			}
			if !stamp.After(last) || !stamp.Equal(due) {
				t.Errorf("stamp %v, due %v, after a stamp of %v", stamp, due, last)
			}
			last = stamp
		}
		f.advance(8 * visibility)
		f.sweepFinds(repairs{})
		f.advance(tick)
		f.sweepFinds(repairs{overdue: 1, lost: 1})
		want := state{Status: "failed", Error: "lost: published 4 times and no message reached a worker", Attempts: round, Failed: true, Notifications: round}
		if got := f.state(id); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestRepublishKeepsTheErrorAndAClaimResetsTheCount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("matching_status='pending', matching_error='busy', matching_attempts=1, matching_due_at=now()")
	f.advance(visibility + tick)
	f.sweepFinds(repairs{overdue: 1, republished: 1})
	if got, want := f.state(id), (state{Status: "pending", Error: "busy", Attempts: 1, Due: visibility + tick}); got != want || f.republished(id) != 1 {
		t.Errorf("got %+v, republished %d times; want %+v, once", got, f.republished(id), want)
	}
	fence := f.claim(job.Delivery{ID: id}, false).Fence
	if n := f.republished(id); n != 0 {
		t.Errorf("still %d after the claim", n)
	}
	if written, err := f.Settle(t.Context(), fence, job.Verdict{Status: job.StatusPending, Reason: "busy"}); !written || err != nil {
		t.Fatal(written, err)
	}
	f.advance(visibility + tick)
	f.sweepFinds(repairs{overdue: 1, republished: 1})
}

func TestGiveUpSaysWhyWithOneNotification(t *testing.T) {
	t.Parallel()
	for kind, tc := range map[string]struct {
		columns string
		want    state
	}{
		"lost": {"matching_status='pending', matching_due_at=now(), matching_republished=3, matching_attempts=1, matching_error='busy'",
			state{Status: "failed", Error: "lost: published 4 times and no message reached a worker; before that: busy", Attempts: 2, Failed: true, Notifications: 1}},
		"crashed": {"matching_status='in-progress', matching_lease_until=now(), matching_attempts=2",
			state{Status: "failed", Error: "crashed: attempt 2 ended without a result and no message is left", Attempts: 2, Failed: true, Notifications: 1}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			id := f.document(tc.columns)
			f.advance(100 * visibility)
			f.sweep()
			f.sweepFinds(repairs{})
			if got := f.state(id); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			var payload string
			if err := f.conn.QueryRow(t.Context(), "SELECT kind || attempt || payload::text FROM notification").Scan(&payload); err != nil {
				t.Fatal(err)
			}
			want := kind + `2{"kind": "` + kind + `", "error": "` + tc.want.Error + `", "tenant": "Testers", "attempts": 2, "tenant_id": "` +
				tenant.String() + `", "document_id": "` + id.String() + `"}`
			if payload != want {
				t.Errorf("got  %s\nwant %s", payload, want)
			}
		})
	}
}

func TestGiveUpCutsALongError(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("matching_status='in-progress', matching_lease_until=now(), matching_error=repeat('ü', 1000)")
	f.advance(visibility + tick)
	f.sweepFinds(repairs{overdue: 1, crashed: 1})
	if n := len([]rune(f.state(id).Error)); n != 1000 {
		t.Errorf("an error of %d characters, want 1000", n)
	}
}

// A crash ends the worker's claim to the document, too.
func TestGivenUpDocumentIsLostToItsWorker(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("")
	fence := f.claim(job.Delivery{ID: id}, false).Fence
	f.advance(time.Minute + visibility + tick)
	f.sweepFinds(repairs{overdue: 1, crashed: 1})
	if written, err := f.Settle(t.Context(), fence, job.Verdict{Status: job.StatusFailed, Kind: "transient"}); written || err != nil {
		t.Errorf("written %v, error %v", written, err)
	}
	if got := f.state(id).Notifications; got != 1 {
		t.Errorf("%d notifications", got)
	}
}

func (f *fixture) documents3(columns string) [3]uuid.UUID {
	return [3]uuid.UUID{f.document(columns), f.document(columns), f.document(columns)}
}

const (
	missed  = "matching_status='pending', matching_due_at=now() - interval '1 day'"
	lost    = missed + ", matching_republished=3"
	crashed = "matching_status='in-progress', matching_lease_until=now() - interval '1 day'"
)

func TestRepairsRespectTheLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.documents3(missed)
	f.documents3(lost)
	f.documents3(crashed)
	for _, want := range []int{2, 1, 0} {
		if stamped, err := f.Republish(t.Context(), visibility, times, 2); len(stamped) != want || err != nil {
			t.Errorf("republished %d, %v; want %d", len(stamped), err, want)
		}
	}
	for _, want := range []int{4, 2, 0} {
		if lost, crashed, err := f.GiveUp(t.Context(), visibility, times, 4); lost+crashed != want || err != nil {
			t.Errorf("gave up %d lost and %d crashed, %v; want %d", lost, crashed, err, want)
		}
	}
}

// What another sweep, or a worker, has in its hands is left to it.
func TestRepairsSkipLockedDocuments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b, c := f.documents3(missed), f.documents3(lost), f.documents3(crashed)
	tx, err := f.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM document WHERE id = ANY ($1) FOR UPDATE", []uuid.UUID{a[0], b[1], c[2]}); err != nil {
		t.Fatal(err)
	}
	f.sweepFinds(repairs{overdue: 9, lost: 2, crashed: 2, republished: 2})
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.sweepFinds(repairs{overdue: 3, lost: 1, crashed: 1, republished: 1})
}

func TestSweepsAtTheSameTimeRepairEachDocumentOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const n = 30
	for range n / 3 {
		f.documents3(missed)
		f.documents3(lost)
		f.documents3(crashed)
	}
	var mu sync.Mutex
	var total repairs
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range 4 {
		all.Go(func() {
			<-begin
			for range 2 * n { // as often as it may take when the others have locked all
				stamped, err := f.Republish(t.Context(), visibility, times, 2)
				if err != nil {
					t.Error(err)
				}
				lost, crashed, err := f.GiveUp(t.Context(), visibility, times, 2)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				total.republished += len(stamped)
				total.lost += lost
				total.crashed += crashed
				mu.Unlock()
			}
		})
	}
	close(begin)
	all.Wait()
	if want := (repairs{lost: n, crashed: n, republished: n}); total != want {
		t.Errorf("got %+v, want %+v", total, want)
	}
	var notifications, again int
	if err := f.conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM notification), (SELECT count(*) FROM document WHERE matching_republished = 1)").Scan(&notifications, &again); err != nil {
		t.Fatal(err)
	}
	if notifications != 2*n || again != n {
		t.Errorf("%d notifications, want %d; %d republished once, want %d", notifications, 2*n, again, n)
	}
}
