package postgres_test

import (
	"slices"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func (f *fixture) publish(ids ...uuid.UUID) []job.Stamped {
	f.T.Helper()
	return must.Get(f.Publish(f.T.Context(), ids))(f.T)
}

func TestPublishAnyState(t *testing.T) {
	t.Parallel()
	for name, columns := range map[string]string{
		"never published": "matching_attempts = 3",
		"pending":         "matching_attempts = 3, matching_status='pending', matching_error='busy', matching_due_at=now() + interval '1 hour', matching_republished = 2",
		"in progress":     "matching_attempts = 3, matching_status='in-progress', matching_error='busy', matching_lease_until=now() + interval '1 hour'",
		"succeeded":       "matching_attempts = 3, matching_status='succeeded'",
		"failed":          "matching_attempts = 3, matching_status='failed', matching_error='broken', matching_failed_at=now()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			id := f.document(columns)
			f.Advance(time.Minute)
			got := f.publish(id)
			if len(got) != 1 || got[0].ID != id || !got[0].PublishedAt.Equal(start.Add(time.Minute)) {
				t.Errorf("stamped %+v", got)
			}
			postgrestest.Equal(t, "state", f.State(id), postgrestest.State{Status: "pending", Attempts: 3, Due: time.Minute})
			postgrestest.Equal(t, "republished, counted from 0", f.republished(id), 0)
		})
	}
}

func (f *fixture) republished(id uuid.UUID) int {
	f.T.Helper()
	return f.Count("SELECT matching_republished FROM document WHERE id = $1", id)
}

// A message of an earlier publish must compare as older even when the clock
// stands still or goes back.
func TestStampsAlwaysRise(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("")
	var last time.Time
	for i, step := range []time.Duration{0, 0, 0, time.Second, -time.Hour, 0} {
		f.Advance(step)
		if at := f.publish(id)[0].PublishedAt; !at.After(last) || i == 2 && at.Sub(start) != 2*time.Microsecond {
			t.Errorf("stamp %d is %v after %v", i, at, last)
		} else {
			last = at
		}
	}
	f.Exec("UPDATE document SET matching_due_at = now() - interval '1 day'")
	stamped, err := f.Republish(t.Context(), empty, 10)
	if err != nil || len(stamped) != 1 || !stamped[0].PublishedAt.After(last) {
		t.Errorf("republished as %v, %v; want later than %v", stamped, err, last)
	}
}

func TestPublishUnknownID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b := f.document(""), f.document("")
	var got []uuid.UUID
	for _, s := range f.publish(a, uuid.New(), b, a) {
		got = append(got, s.ID)
	}
	if len(got) != 2 || !slices.Contains(got, a) || !slices.Contains(got, b) {
		t.Errorf("got %v, want %v and %v once each", got, a, b)
	}
	if got := f.publish(); len(got) != 0 {
		t.Errorf("nothing published gave %v", got)
	}
}

func TestPublishTakesOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("")
	first := f.publish(id)[0].PublishedAt
	fence := f.Deliver(job.Delivery{ID: id, PublishedAt: first}, false).Attempt
	second := f.publish(id)[0].PublishedAt
	if written, err := f.Release(t.Context(), fence, job.Release{Status: job.StatusFailed, Reason: "late"}); written || err != nil {
		t.Errorf("the worker's verdict: written %v, error %v", written, err)
	}
	if c := f.Deliver(job.Delivery{ID: id, PublishedAt: first}, true); c.Found != job.Superseded {
		t.Errorf("the first message found %v, want superseded", c.Found)
	}
	if c := f.Deliver(job.Delivery{ID: id, PublishedAt: second}, false); c.Found != 0 || c.Attempt.Number != 2 {
		t.Errorf("the second message found %v, attempt %d", c.Found, c.Attempt.Number)
	}
}

// The queue is fair to tenants, so every message has to name its own.
func TestPublishNamesTenant(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ours, theirs := f.Put(num(1), tenant, document.Invoice, "{}"), f.Put(num(2), otherTenant, document.Invoice, "{}")
	wantTenants := func(stamped []job.Stamped, err error) {
		t.Helper()
		if err != nil || len(stamped) != 2 {
			t.Fatalf("got %+v, %v", stamped, err)
		}
		for _, s := range stamped {
			if want := map[uuid.UUID]uuid.UUID{ours: tenant, theirs: otherTenant}[s.ID]; s.Tenant != want {
				t.Errorf("%s is published for %s, want %s", s.ID, s.Tenant, want)
			}
		}
	}
	wantTenants(f.publish(ours, theirs), nil)
	f.Advance(time.Hour)
	again, err := f.Republish(t.Context(), empty, 10)
	var stamped []job.Stamped
	for _, a := range again {
		stamped = append(stamped, a.Stamped)
	}
	wantTenants(stamped, err)
}
