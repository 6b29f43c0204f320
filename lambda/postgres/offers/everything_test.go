package offers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// All that people do about jobs of offers, and what is stored of it, is as it was.
func TestEverything(t *testing.T) {
	t.Parallel()
	o, before := hobbies(t)
	o.Advance(time.Minute)
	job7, job6, job5, ctx := before[num(7)], before[num(6)], before[num(5)], t.Context()
	var got strings.Builder
	changes := o.Changes()
	say := func(what string, value any, err error) {
		t.Helper()
		fmt.Fprintf(&got, "%s\n\t= %s %v\n%s", what, must.Get(json.Marshal(value))(t), err, changes())
		o.Advance(time.Minute)
	}
	seen := must.Get(o.store.FailedVersions(ctx, []uuid.UUID{job7.ID, job6.ID, job5.ID, num(99)}))(t)
	if len(seen) != 1 {
		t.Fatalf("failed: %v", seen)
	}
	act := func(form int, version string) postgres.Action {
		return postgres.Action{ID: num(form), By: "anna\x00", Reason: "so\x00", Seen: version}
	}
	stamped, err := o.store.Requeue(ctx, job7.ID, act(200, "another"))
	say("requeue a stale one", stamped, err)
	for range 2 {
		stamped, err = o.store.Requeue(ctx, job7.ID, act(201, seen[job7.ID]))
		say("requeue", stamped, err)
	}
	stamped, err = o.store.Requeue(ctx, job7.ID, act(202, seen[job7.ID]))
	say("requeue again", stamped, err)
	stamped, err = o.store.Requeue(ctx, num(99), act(203, ""))
	say("requeue an unknown one", stamped, err)
	o.compose(job7.ID)
	say("it fails again", must.Get(o.store.FailedVersions(ctx, []uuid.UUID{job7.ID}))(t)[job7.ID] != seen[job7.ID], nil)

	o.Exec(`UPDATE offer_user SET profile = '{"interests": ["go", "chess"]}' WHERE id = ANY ($1)`, []uuid.UUID{num(5), num(6), num(7)})
	changes()
	version := must.Get(o.store.FailedVersions(ctx, []uuid.UUID{job7.ID}))(t)[job7.ID]
	stamped, err = o.store.Refreeze(ctx, job7.ID, act(210, "another"))
	say("refreeze a stale one", stamped, err)
	for range 2 {
		stamped, err = o.store.Refreeze(ctx, job7.ID, act(211, version))
		say("refreeze", stamped, err)
	}
	for _, j := range []offer.Record{job6, job5} { // completed, pending
		stamped, err = o.store.Refreeze(ctx, j.ID, postgres.Action{By: "ben", Reason: "a typing error"})
		say("refreeze "+j.Status, stamped, err)
		again := must.Get(o.store.JobByID(ctx, j.ID))(t)
		of := must.Get(o.store.RosterOf(ctx, again.Job))(t)
		say("its roster", of.Digest == again.Digest && of.Digest != j.Digest, nil)
	}
	first := must.Get(o.store.Roster(ctx, tenant, today))(t)
	rows := []roster.Row{{ID: num(50), Profile: []byte(`{"interests":["go"]}`), Preferences: []byte("{}")}}
	c := roster.Change{Key: first.Key, Zone: "UTC", Rows: rows}
	c.Digest = must.Get(first.With(rows))(t).Digest
	for range 2 {
		c, err = o.store.Change(ctx, c)
		say("change", c, err)
		c.Digest, c.Rows = [32]byte{1}, []roster.Row{{ID: num(51)}} // of a process that read others
	}
	_, err = o.store.RosterOf(ctx, offer.Job{Tenant: tenant, Date: today + 9})
	say("the roster of another date", nil, err)
	if err != job.ErrNotFound {
		t.Error(err)
	}
	golden.Compare(t, "everything.txt", got.String())
}
