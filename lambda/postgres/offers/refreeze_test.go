package offers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"

	"github.com/google/uuid"
)

// taken takes all messages.
type taken struct{}

func (taken) Send(context.Context, []job.Stamped) ([]uuid.UUID, error) { return nil, nil }

// schedule runs a scheduler, and returns the jobs of today by user.
func (o *fixture) schedule() map[uuid.UUID]offer.Record {
	o.T.Helper()
	s := offer.Scheduler{Store: o.store, Sender: taken{}, Log: slog.New(slog.DiscardHandler)}
	must.Get(s.Run(o.T.Context()))(o.T)
	return o.records()
}

func (o *fixture) records() map[uuid.UUID]offer.Record {
	o.T.Helper()
	all := map[uuid.UUID]offer.Record{}
	for _, r := range must.Get(o.store.JobsOf(o.T.Context(), tenant, today))(o.T) {
		all[r.User] = r
	}
	return all
}

// compose works on a job as the function does.
func (o *fixture) compose(id uuid.UUID) {
	o.T.Helper()
	f := o.claimed(id)
	work := offer.Offerer{Store: o.store, Rankings: &offer.Cache{Rosters: o.store}, Deliver: true}
	if err := job.Work(work.Offer).One(o.T.Context(), f); err != nil {
		must.Get(o.store.Release(o.T.Context(), f, job.Release{Status: job.StatusFailed, Reason: err.Error(), Kind: "permanent", Delivery: 1}))(o.T)
	}
}

// hobbies are five users who share one, a sixth with another hobby, and one whose year of birth
// is a word, with their sets of today, but for that of the fifth.
func hobbies(t *testing.T) (o *fixture, before map[uuid.UUID]offer.Record) {
	t.Helper()
	o = newFixture(t)
	o.users(1, 7, "UTC")
	o.Exec(`UPDATE offer_user SET created_at = now(), profile = CASE id WHEN $1 THEN '{"born": "long ago"}'::jsonb
		WHEN $2 THEN '{"interests": ["chess"]}' ELSE '{"interests": ["go"]}' END`, num(7), num(6))
	for user, j := range o.schedule() {
		if user != num(5) {
			o.compose(j.ID)
		}
	}
	return o, o.records()
}

func (o *fixture) refrozen(id uuid.UUID) string {
	o.T.Helper()
	stamped, err := o.store.Refreeze(o.T.Context(), id, postgres.Action{By: "anna", Reason: "a typing error"})
	var refused offers.Refused
	switch {
	case err == nil && len(stamped) == 1 && stamped[0].ID == id:
		return ""
	case !errors.As(err, &refused):
		o.T.Fatalf("%d messages, error %v", len(stamped), err)
	}
	return err.Error()
}

// The job of a corrected user gets a roster of its own, from which its set is computed again, and
// the sets of the others stay, with their rosters.
func TestRefreeze(t *testing.T) {
	t.Parallel()
	for user, was := range map[int]string{7: "failed", 6: "completed", 5: "pending"} {
		t.Run(was, func(t *testing.T) {
			t.Parallel()
			o, before := hobbies(t)
			id := before[num(user)].ID
			if before[num(user)].Status != was {
				t.Fatalf("the job is %s", before[num(user)].Status)
			}
			if seen := must.Get(o.store.FailedVersions(t.Context(), []uuid.UUID{id}))(t); (len(seen) == 1) != (was == "failed") {
				t.Errorf("%d versions of a failed job", len(seen))
			}
			if got := o.refrozen(id); got != "the profile and the preferences are those of its roster" {
				t.Errorf("before the correction: %q", got)
			}
			o.Exec(`UPDATE offer_user SET profile = '{"interests": ["go", "chess"]}' WHERE id = $1`, num(user))
			if got := o.refrozen(id); got != "" {
				t.Fatal(got)
			}
			if got := o.refrozen(id); got != "the profile and the preferences are those of its roster" {
				t.Errorf("a second time: %q", got)
			}
			o.compose(id)
			after := o.records()
			own := after[num(user)]
			index := must.Get((&offer.Cache{Rosters: o.store}).Index(t.Context(), own.Job))(t)
			again := must.Get(index.Offers(own.User))(t)
			if own.Status != "completed" || len(own.Offers) < 5 || !reflect.DeepEqual(own.Offers, again) ||
				own.Offers[0].Terms[0].Points != 1000 && own.Offers[0].Terms[0].Points != 500 {
				t.Errorf("the job is %s with %+v\nagain %+v", own.Status, own.Offers, again)
			}
			if own.Digest == before[num(1)].Digest || own.ID != id {
				t.Error("want another roster for the same job")
			}
			delete(before, num(user))
			delete(after, num(user))
			if !reflect.DeepEqual(before, after) {
				t.Errorf("others changed to %+v\nfrom %+v", after, before)
			}
			o.lists("SELECT user_id, acted_by || ': ' || reason || ', ' || status FROM offer_action",
				[]string{fmt.Sprintf("%s anna: a typing error, %s", num(user), was)})
			o.lists("SELECT job_id, tries || '' FROM offer_delivery WHERE job_id = '"+id.String()+"'", []string{id.String() + " 0"})
			if n := must.Get(o.store.DuplicateOffers(t.Context(), today))(t); n != 0 {
				t.Errorf("%d duplicates", n)
			}
		})
	}
}

func TestRefreezeRefused(t *testing.T) {
	t.Parallel()
	o, before := hobbies(t)
	o.Exec(`UPDATE offer_user SET profile = '{"interests": ["chess", "go"]}'`)
	delivery := "UPDATE offer_delivery SET tries = 1, delivered_at = $2 WHERE job_id = $1"
	o.Exec(delivery, before[num(1)].ID, nil)
	o.Exec(delivery, before[num(2)].ID, start)
	o.Exec("DELETE FROM offer_delivery WHERE job_id = $1", before[num(3)].ID)
	o.Exec("UPDATE offer_user SET active = false WHERE id = $1", num(4))
	o.claimed(before[num(5)].ID)
	o.Exec("UPDATE matchmaking_job SET job_status = 'cancelled', lease_until = NULL, due_at = NULL WHERE id = $1", before[num(7)].ID)
	unchanged := o.Unchanged(append(tables, "offer_action", "offer_roster_change")...)
	for user, want := range map[int]string{
		1: "its set was sent, and the receiver may have it",
		2: "the receiver has its set",
		3: "its set isn't for the receiver, and programs that read the tables may have it",
		4: "the user isn't active any more",
		5: "a worker is running it",
		7: "its date was skipped",
	} {
		if got := o.refrozen(before[num(user)].ID); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	unchanged("a refusal")
	if _, err := o.store.Refreeze(t.Context(), uuid.New(), postgres.Action{By: "anna", Reason: "why not"}); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("an unknown job: %v", err)
	}
}

// Of several people at once one gets the job its roster.
func TestRefreezeRace(t *testing.T) {
	t.Parallel()
	o, before := hobbies(t)
	o.Exec(`UPDATE offer_user SET profile = '{"interests": ["chess", "go"]}' WHERE id = $1`, num(6))
	errs := make([]error, 6)
	release := o.Lock("matchmaking_job", before[num(6)].ID)
	var people sync.WaitGroup
	for i := range errs {
		people.Go(func() {
			_, errs[i] = o.store.Refreeze(t.Context(), before[num(6)].ID, postgres.Action{By: "anna", Reason: "a typing error"})
		})
	}
	o.Waiting(1, nil)
	release()
	people.Wait()
	done := 0
	for _, err := range errs {
		var refused offers.Refused
		if err == nil {
			done++
		} else if !errors.As(err, &refused) {
			t.Error(err)
		}
	}
	o.lists("SELECT user_id, kind FROM offer_action", []string{num(6).String() + " refreeze"})
	if done != 1 {
		t.Errorf("%d refroze the job, want 1", done)
	}
}

// A worker that stalled before the set was refrozen has lost the job.
func TestRefreezeFences(t *testing.T) {
	t.Parallel()
	o, before := hobbies(t)
	j := before[num(6)]
	o.Exec(`UPDATE offer_user SET profile = '{"interests": ["chess", "go"]}' WHERE id = $1`, num(6))
	if got := o.refrozen(j.ID); got != "" {
		t.Fatal(got)
	}
	f := o.claimed(j.ID)
	stale := job.Attempt{ID: j.ID, Number: 1}
	if err := o.complete(t.Context(), stale, j.Set, true); f.Number != 2 || !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("attempt %d, and the first one's commit: %v", f.Number, err)
	}
}

// Users who come after the roster was frozen, and before the date began where they are, join it.
func TestNewcomers(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 2, "Pacific/Kiritimati")
	o.Exec("UPDATE offer_user SET created_at = now()")
	o.Advance(10 * time.Hour) // 19:00Z: nine on the 3rd
	o.schedule()
	o.users(3, 4, "America/Los_Angeles") // on the 2nd, 11:00
	o.Exec("UPDATE offer_user SET created_at = now() WHERE id = ANY ($1)", []uuid.UUID{num(3), num(4), num(5)})
	o.Exec("UPDATE offer_user SET created_at = '2026-03-03 08:00Z' WHERE id = $1", num(6)) // midnight there
	o.Exec("INSERT INTO offer_feedback VALUES ($1, $2, $3, 'blocked', now())", tenant, num(3), num(4))
	o.Advance(22 * time.Hour) // 17:00Z: nine in Los Angeles
	o.Exec("UPDATE offer_user SET active = false WHERE id = $1", num(5))
	for range 2 {
		o.schedule()
	}
	jobs := must.Get(o.store.JobsOf(t.Context(), tenant, today+1))(t)
	var users []uuid.UUID
	for _, j := range jobs {
		users = append(users, j.User)
		want := 2
		if j.Zone == "America/Los_Angeles" {
			want = 4
		}
		index := must.Get((&offer.Cache{Rosters: o.store}).Index(t.Context(), j.Job))(t)
		if index.Users() != want {
			t.Errorf("%s has a roster of %d, want %d", j.User, index.Users(), want)
		}
		for _, c := range must.Get(index.Offers(j.User))(t) {
			if j.User == num(3) && c.Candidate == num(4) {
				t.Error("a blocked newcomer is offered")
			}
		}
	}
	if want := []uuid.UUID{num(1), num(2), num(3), num(4)}; !reflect.DeepEqual(users, want) {
		t.Errorf("jobs of %v, want %v", users, want)
	}
}
