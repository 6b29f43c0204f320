package postgres_test

import (
	"context"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// fixture is one with documents.
type fixture struct{ *postgrestest.Fixture }

var tenant, otherTenant, start, num = postgrestest.Tenant, postgrestest.OtherTenant, postgrestest.Start, postgrestest.Num

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return &fixture{postgrestest.NewFixture(t)}
}

// document inserts a document with these columns of matching state.
func (f *fixture) document(assignments string, args ...any) uuid.UUID {
	f.T.Helper()
	id := f.Put(uuid.New(), tenant, document.Invoice, "{}")
	if assignments != "" {
		f.Exec("UPDATE document SET "+assignments+" WHERE id = '"+id.String()+"'", args...)
	}
	return id
}

func TestClaimFindsEachState(t *testing.T) {
	t.Parallel()
	const claimed, suspect = job.Result(0), job.Result(100)
	second := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	for _, tc := range []struct {
		name     string
		columns  string
		delivery job.Delivery
		want     job.Result
		status   string
		attempts int
	}{
		{"never published", "", job.Delivery{}, claimed, "in-progress", 1},
		{"pending", "matching_status='pending', matching_attempts=2", job.Delivery{}, claimed, "in-progress", 3},
		{"pending, its own stamp", "matching_status='pending', matching_published_at='2026-03-02 09:00:05Z'", job.Delivery{PublishedAt: second(5)}, claimed, "in-progress", 1},
		{"pending, an older stamp", "matching_status='pending', matching_published_at='2026-03-02 09:00:05Z'", job.Delivery{PublishedAt: second(4)}, job.Superseded, "pending", 0},
		{"in progress, an older stamp", "matching_status='in-progress', matching_lease_until='2026-03-02 10:00Z', matching_published_at='2026-03-02 09:00:05Z'", job.Delivery{PublishedAt: second(4)}, job.Superseded, "in-progress", 0},
		{"live lease", "matching_status='in-progress', matching_attempts=1, matching_lease_until='2026-03-02 09:00:30Z'", job.Delivery{}, job.Held, "in-progress", 1},
		{"ended lease", "matching_status='in-progress', matching_attempts=1, matching_lease_until='2026-03-02 09:00:00Z'", job.Delivery{}, suspect, "in-progress", 1},
		{"lapsed, and published again by the sweep", "matching_status='pending', matching_attempts=1, matching_lapses=1",
			job.Delivery{}, suspect, "pending", 1},
		{"succeeded", "matching_status='succeeded', matching_attempts=1", job.Delivery{SentAt: second(99)}, job.Done, "succeeded", 1},
		{"failed by an earlier delivery", "matching_status='failed', matching_attempts=1, matching_failed_at='2026-03-02 09:00:30Z'", job.Delivery{SentAt: second(30)}, job.Done, "failed", 1},
		{"failed, then redriven", "matching_status='failed', matching_attempts=1, matching_failed_at='2026-03-02 09:00:30Z'", job.Delivery{SentAt: second(31)}, claimed, "in-progress", 2},
		{"no structured data", "structured_data=NULL, matching_status='pending'", job.Delivery{}, job.Unworkable, "", 0},
		{"no type", "type=NULL", job.Delivery{}, job.Unworkable, "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			id := f.document(tc.columns)
			tc.delivery.ID = id
			c := f.Deliver(tc.delivery, false)
			got := c.Found
			if c.Suspect {
				got = suspect
			}
			s := f.State(id)
			if got != tc.want || s.Status != tc.status || s.Attempts != tc.attempts || c.Attempt != (job.Attempt{ID: id, Number: tc.attempts}) {
				t.Errorf("got %v, row %+v, fence %+v; want %v, %q with %d attempts", got, s, c.Attempt, tc.want, tc.status, tc.attempts)
			}
			if got == claimed && (s.Lease != time.Minute || s.Failed) {
				t.Errorf("claimed as %+v, want a lease of a minute and no failure", s)
			}
			if got == job.Unworkable && (s.Error == "" || s.Error != c.Reason) {
				t.Errorf("reason %q in the claim, %q in the row", c.Reason, s.Error)
			}
			if got == job.Held && c.Wait != 30*time.Second {
				t.Errorf("held for %v, want 30s", c.Wait)
			}
		})
	}
}

func TestClaimUnknownID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if c := f.Deliver(job.Delivery{ID: uuid.New()}, false); c.Found != job.Missing {
		t.Errorf("got %+v, want missing", c)
	}
}

func TestSuspectsOnRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("matching_status='in-progress', matching_attempts=1, matching_lease_until=now() - interval '1 second'")
	if c := f.Deliver(job.Delivery{ID: id}, false); !c.Suspect {
		t.Fatalf("got %+v, want a suspect", c)
	}
	if c := f.Deliver(job.Delivery{ID: id}, true); c.Suspect || c.Found != 0 || c.Attempt.Number != 2 {
		t.Errorf("got %+v, want attempt 2", c)
	}
}

func TestDuplicateDeliveries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id, other := f.document(""), f.document("")
	claims := must.Get(f.Claim(t.Context(), []job.Delivery{{ID: id}, {ID: other}, {ID: id, PublishedAt: start}}, time.Minute, false))(t)
	if claims[0].Found != job.Held || claims[0].Wait != time.Minute || claims[1].Found != 0 || claims[2].Found != 0 {
		t.Errorf("got %+v, want the unstamped delivery held and the others claimed", claims)
	}
}

// I8: of many workers that claim at the same moment, one gets it.
func TestOneClaimWins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := make([]job.Delivery, 20)
	for i := range ids {
		ids[i].ID = f.document("")
	}
	const workers = 8
	won := make(chan int, workers)
	for range workers {
		go func() {
			claims, err := f.Claim(context.Background(), ids, time.Minute, true)
			n := 0
			for _, c := range claims {
				if c.Found == 0 {
					n++
				}
			}
			if err != nil {
				n = -1000
			}
			won <- n
		}()
	}
	total := 0
	for range workers {
		total += <-won
	}
	if total != len(ids) {
		t.Errorf("%d claims of %d documents succeeded", total, len(ids))
	}
}

// I7: a stale fence changes no row in any table.
func TestStaleFence(t *testing.T) {
	t.Parallel()
	for name, takeOver := range map[string]func(f *fixture, id uuid.UUID){
		"another attempt": func(f *fixture, id uuid.UUID) {
			f.Advance(2 * time.Minute)
			f.Deliver(job.Delivery{ID: id}, true)
		},
		"a publish": func(f *fixture, id uuid.UUID) {
			must.Get(f.Publish(f.T.Context(), []uuid.UUID{id}))(f.T)
		},
		"a settlement": func(f *fixture, id uuid.UUID) {
			f.Exec("UPDATE document SET matching_status = 'succeeded' WHERE id = $1", id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			id := f.document("")
			fence := f.Deliver(job.Delivery{ID: id}, false).Attempt
			takeOver(f, id)
			before := f.State(id)
			for _, status := range []job.Status{job.StatusPending, job.StatusFailed} {
				written, err := f.Release(t.Context(), fence, job.Release{Status: status, Reason: "late", Kind: "transient"})
				if written || err != nil {
					t.Errorf("%s: written %v, error %v", status, written, err)
				}
			}
			if after := f.State(id); after != before {
				t.Errorf("changed from %+v to %+v", before, after)
			}
		})
	}
}

func TestReleaseIsWritten(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("")
	fence := f.Deliver(job.Delivery{ID: id}, false).Attempt
	settle := func(fence job.Attempt, v job.Release) {
		t.Helper()
		if written, err := f.Release(t.Context(), fence, v); !written || err != nil {
			t.Fatalf("written %v, error %v", written, err)
		}
	}
	settle(fence, job.Release{Status: job.StatusPending, Reason: "busy", Due: 5 * time.Minute})
	postgrestest.Equal(t, "state", f.State(id), postgrestest.State{Status: "pending", Error: "busy", Attempts: 1, Due: 5 * time.Minute})
	fence = f.Deliver(job.Delivery{ID: id, Last: true}, false).Attempt
	if got := f.State(id); got.Error != "busy" {
		t.Errorf("the error of the retry is gone while it is worked on: %+v", got)
	}
	settle(fence, job.Release{Status: job.StatusFailed, Reason: "broken", Kind: "permanent", Delivery: 3})
	postgrestest.Equal(t, "state", f.State(id), postgrestest.State{Status: "failed", Error: "broken", Attempts: 2, Failed: true, Notifications: 1})
	payload := postgrestest.Value[string](t, f.Conn, "SELECT kind || attempt || payload::text FROM notification")
	want := `permanent2{"kind": "permanent", "error": "broken", "tenant": "Testers", "attempts": 2, "tenant_id": "` + tenant.String() +
		`", "deliveries": 3, "document_id": "` + id.String() + `"}`
	postgrestest.Equal(t, "payload", payload, want)
}

func TestFindReadsTheRow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("")
	f.Deliver(job.Delivery{ID: id}, false)
	row, err := f.Find(t.Context(), id)
	if want := (job.Row{Status: job.StatusInProgress, Attempt: 1, LeaseLeft: time.Minute}); row != want || err != nil {
		t.Errorf("got %+v, %v; want %+v", row, err, want)
	}
	if _, err := f.Find(t.Context(), uuid.New()); err != job.ErrNotFound {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// A row that another program deleted and inserted again has its first attempt once more.
func TestReturnedRowIsClaimed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 2 {
		fence := f.Take(f.Put(num(1), tenant, document.Invoice, "{}"))
		postgrestest.Equal(t, "attempts without an end", postgrestest.Value[int](t, f.Conn, "SELECT count(*) FROM attempt WHERE ended_at IS NULL"), 1)
		must.Get(f.SucceedAll(t.Context(), []job.Attempt{fence}))(t)
		postgrestest.Equal(t, "outcome", postgrestest.Value[string](t, f.Conn, "SELECT outcome FROM attempt WHERE row_id = $1 AND number = 1", num(1)), "succeeded")
		f.Exec("DELETE FROM document WHERE id = $1", num(1))
	}
}
