package jobtest

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

func claimTakesWhatWaits(r *rig) {
	for _, from := range []state{neverPublished, published, retrying} {
		id := r.in(from)
		before := r.row(id)
		c := r.finds("claimed", job.Delivery{ID: id, Count: 1, Last: true}, false, from.name)
		if want := (job.Attempt{ID: id, Number: before.Attempt + 1}); c.Attempt != want {
			r.Errorf("%s: claimed with fence %+v, want %+v", from.name, c.Attempt, want)
		}
		r.rowIs(id, Row{Status: job.StatusInProgress, Attempt: before.Attempt + 1, Error: before.Error})
		r.findIs(id, job.Row{Status: job.StatusInProgress, Attempt: before.Attempt + 1, LeaseLeft: lease})
	}
	id := r.New()
	r.finds("claimed", job.Delivery{ID: id, PublishedAt: r.publish(id)}, false, "with its own stamp")
}

func claimHolds(r *rig) {
	id := r.New()
	r.take(id)
	for _, tc := range []struct{ pass, left time.Duration }{{0, lease}, {lease / 3, 2 * lease / 3},
		{2*lease/3 - tick, tick}} {
		r.Advance(tc.pass)
		r.unchanged("a delivery that is held", func() {
			if c := r.finds("held", job.Delivery{ID: id}, true, "during the lease"); c.Wait != tc.left {
				r.Errorf("held for %v, want %v", c.Wait, tc.left)
			}
		})
	}
	r.Advance(tick)
	r.finds("suspect", job.Delivery{ID: id}, false, "at the lease's end")
}

func extendKeepsClaims(r *rig) {
	lapsed, stale, taken, over := r.take(r.New()), r.take(r.New()), r.take(r.New()), r.take(r.New())
	r.publish(taken.ID)
	r.succeed(over)
	r.Advance(lease)
	again := r.take(stale.ID) // another attempt took over; lapsed has only lost its lease
	r.Advance(lease / 4)
	unknown := job.Attempt{ID: uuid.New(), Number: 1}
	ours, err := r.Store.Extend(r.Context(), []job.Attempt{over, lapsed, stale, taken, unknown}, 2*lease)
	if err != nil || !slices.Equal(ours, []job.Attempt{lapsed}) {
		r.Errorf("extended %+v, %v; must be %+v alone", ours, err, lapsed)
	}
	r.findIs(lapsed.ID, job.Row{Status: job.StatusInProgress, Attempt: 1, LeaseLeft: 2 * lease})
	r.findIs(stale.ID, job.Row{Status: job.StatusInProgress, Attempt: again.Number, LeaseLeft: 3 * lease / 4})
	r.unchanged("an extension of fences that do not hold", func() {
		if ours, err := r.Store.Extend(r.Context(), []job.Attempt{stale, taken, over}, lease); err != nil || len(ours) != 0 {
			r.Errorf("extended %+v, %v; want none", ours, err)
		}
	})
}

func suspectIsAskedFor(r *rig) {
	id := r.in(abandoned)
	r.unchanged("a suspect that is not asked for", func() {
		c := r.finds("suspect", job.Delivery{ID: id}, false, "not asked for")
		if want := (job.Attempt{ID: id, Number: 1}); c.Attempt != want {
			r.Errorf("suspect with fence %+v, want %+v", c.Attempt, want)
		}
	})
	c := r.finds("claimed", job.Delivery{ID: id}, true, "asked for")
	if want := (job.Attempt{ID: id, Number: 2}); c.Attempt != want {
		r.Errorf("claimed with fence %+v, want %+v", c.Attempt, want)
	}
	r.findIs(id, job.Row{Status: job.StatusInProgress, Attempt: 2, LeaseLeft: lease})
}

func claimAnswersInOrder(r *rig) {
	type place struct {
		name, want string
		id         uuid.UUID
	}
	places := []place{{"unknown", "missing", uuid.New()}}
	for _, p := range []struct {
		state
		want string
	}{{abandoned, "suspect"}, {neverPublished, "claimed"}, {published, "claimed"}, {retrying, "claimed"},
		{inProgress, "held"}, {succeeded, "done"}, {failed, "done"}, {spoiled, "unworkable"}} {
		places = append(places, place{p.name, p.want, r.in(p.state)})
	}
	rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	var deliveries []job.Delivery
	for _, p := range places {
		deliveries = append(deliveries, job.Delivery{ID: p.id, Last: true})
	}
	for i, c := range r.claims(false, deliveries...) {
		if got := found(c); got != places[i].want || c.Attempt.ID != deliveries[i].ID {
			r.Errorf("%s, place %d of the batch: found %v of %v, want %v",
				places[i].name, i, got, c.Attempt.ID, places[i].want)
		}
	}
	if none := r.claims(false); len(none) != 0 {
		r.Errorf("claims of nothing: %+v", none)
	}
}

func oneOfTwoDeliveries(r *rig) {
	for _, from := range []state{neverPublished, retrying, abandoned} {
		id := r.in(from)
		before := r.row(id)
		n := map[string]int{}
		d := job.Delivery{ID: id, Last: true}
		for _, c := range r.claims(true, d, d, d) {
			n[found(c)]++
			if c.Found == job.Held && c.Wait != lease {
				r.Errorf("%s: held for %v, want %v", from.name, c.Wait, lease)
			}
		}
		if n["claimed"] != 1 || n["held"] != 2 {
			r.Errorf("%s: three deliveries found %v, want one to claim it and two to find it held", from.name, n)
		}
		r.rowIs(id, Row{Status: job.StatusInProgress, Attempt: before.Attempt + 1, Error: before.Error})
	}
}

func overIsDone(r *rig) {
	over, gaveUp := r.in(succeeded), r.in(failed)
	for name, d := range map[string]job.Delivery{
		"succeeded":                        {ID: over},
		"succeeded, a message sent later":  {ID: over, SentAt: r.now().Add(time.Hour)},
		"failed":                           {ID: gaveUp},
		"failed, a message sent before":    {ID: gaveUp, SentAt: r.row(gaveUp).FailedAt.Add(-time.Hour)},
		"failed, a message sent just then": {ID: gaveUp, SentAt: r.row(gaveUp).FailedAt},
	} {
		r.unchanged(name, func() { r.finds("done", d, true, name) })
	}
}

func cancelledIsDone(r *rig) {
	if r.Cancel == nil {
		r.Skip("the table has no status for rows that a person cancels")
	}
	for _, from := range []state{neverPublished, published, retrying, inProgress, abandoned} {
		id := r.in(from)
		before := r.row(id)
		r.Cancel(id)
		r.findIs(id, job.Row{Status: job.StatusCancelled, Attempt: before.Attempt})
		r.unchanged(from.name, func() {
			for _, d := range []job.Delivery{{ID: id}, {ID: id, Last: true}, {ID: id, SentAt: r.now().Add(time.Hour)}} {
				r.finds("done", d, true, from.name+", then cancelled")
			}
		})
		r.refused(job.Attempt{ID: id, Number: before.Attempt})
		r.Advance(1000 * time.Hour)
		r.unchanged("the sweep", func() { r.sweepFinds(empty, repairs{}) })
		if r.Final {
			r.stays(id)
			continue
		}
		r.publish(id)
		if f := r.take(id); f.Number != before.Attempt+1 {
			r.Errorf("%s, then cancelled and published: attempt %d", from.name, f.Number)
		}
		r.Cancel(id)
	}
}

func failedIsRedriven(r *rig) {
	id := r.in(failed)
	sent := r.row(id).FailedAt.Add(tick)
	r.Advance(time.Hour)
	f := r.finds("claimed", job.Delivery{ID: id, SentAt: sent}, false, "a message sent later").Attempt
	r.rowIs(id, Row{Status: job.StatusInProgress, Attempt: 2, Error: busy, Notifications: "transient 1"})
	r.fail(f)
	r.rowIs(id, Row{Status: job.StatusFailed, Attempt: 2, Error: busy, FailedAt: r.now(),
		Notifications: "transient 1, transient 2"})
	r.finds("done", job.Delivery{ID: id, SentAt: sent}, false, "same message again")
}

func earlierPublishIsSuperseded(r *rig) {
	for _, at := range []state{published, retrying, inProgress, abandoned, succeeded, failed, spoiled} {
		id := r.New()
		first := r.publish(id)
		r.publish(id)
		at.to(r, id)
		r.unchanged(at.name, func() {
			r.finds("superseded", job.Delivery{ID: id, PublishedAt: first, SentAt: r.now().Add(time.Hour)}, true, at.name)
		})
	}
}

func spoiledIsUnworkable(r *rig) {
	for _, from := range []state{neverPublished, published, retrying, abandoned, failed} {
		id := r.in(from)
		before := r.row(id)
		r.Spoil(id)
		for range 2 { // the second time changes nothing
			c := r.finds("unworkable", job.Delivery{ID: id, SentAt: r.now().Add(tick)}, false, from.name)
			if c.Reason == "" {
				r.Errorf("%s: unworkable without a reason", from.name)
			}
			r.rowIs(id, Row{Attempt: before.Attempt, Error: c.Reason, Notifications: before.Notifications})
		}
	}
	for at, want := range map[*state]string{&inProgress: "held", &succeeded: "done", &failed: "done"} {
		id := r.in(*at)
		r.Spoil(id)
		r.finds(want, job.Delivery{ID: id}, true, at.name)
	}
}

func lockedIsBusy(r *rig) {
	id, free := r.in(published), r.in(published)
	unlock := r.Lock(id)
	claims := r.claims(true, job.Delivery{ID: id}, job.Delivery{ID: free}, job.Delivery{ID: uuid.New()})
	for i, want := range []string{"busy", "claimed", "missing"} {
		if got := found(claims[i]); got != want {
			r.Errorf("delivery %d found %v, want %v", i, got, want)
		}
	}
	unlock()
	r.succeed(r.take(id))
}

func notDueIsEarly(r *rig) {
	id := r.in(retrying)
	r.Advance(retryIn - time.Minute - tick)
	r.unchanged("an early delivery", func() {
		if c := r.finds("early", job.Delivery{ID: id}, true, "before its minute"); c.Wait != time.Minute+tick {
			r.Errorf("early by %v, want a minute and %v", c.Wait, tick)
		}
	})
	r.finds("claimed", job.Delivery{ID: id, Last: true}, false, "last delivery")
	id = r.in(retrying)
	r.Advance(retryIn - time.Minute)
	r.finds("claimed", job.Delivery{ID: id}, false, "a minute early, because clocks differ")
	id = r.in(retrying)
	r.finds("claimed", job.Delivery{ID: id, PublishedAt: r.publish(id)}, false, "published by a person")
}

// The sweep gives up a row when it knows of no message for it. A message that arrives after
// all proves it wrong.
func givenUpIsClaimed(r *rig) {
	for name, giveUp := range map[string]func(id uuid.UUID){
		"lost": func(uuid.UUID) {
			for i := range times + 1 {
				r.Advance(visibility<<i + tick)
				r.sweep(empty)
			}
		},
		"crashed": func(id uuid.UUID) {
			for range 3 {
				r.lapse(id)
			}
			r.Advance(visibility + tick)
			r.sweep(empty)
		},
	} {
		id := r.New()
		stamp := r.publish(id)
		giveUp(id)
		row := r.row(id)
		if row.Status != job.StatusFailed {
			r.Fatalf("%s: left %+v", name, row)
		}
		r.finds("claimed", job.Delivery{ID: id, PublishedAt: stamp, SentAt: row.FailedAt.Add(-time.Hour)}, false, name)
		if after := r.row(id); after.Attempt != row.Attempt+1 {
			r.Errorf("%s: its first message left %+v", name, after)
		}
	}
}

// I8: no two live leases.
func oneOfManyClaims(r *rig) {
	const rows, workers = 20, 8
	rounds := testenv.Size(4, 12)
	deliveries := make([]job.Delivery, rows)
	for i := range deliveries {
		deliveries[i].ID = r.New()
	}
	for round := 1; round <= rounds; round++ { // after the first round all workers are connected
		answers := atOnce(workers, func(int) []job.Claim {
			mine := slices.Clone(deliveries)
			rand.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
			claims, err := r.Store.Claim(r.Context(), mine, lease, true)
			if err != nil {
				r.Errorf("claim: %v", err)
			}
			return claims
		})
		n := map[string]int{}
		for _, claims := range answers {
			for _, c := range claims {
				n[found(c)]++
			}
		}
		if n["claimed"] != rows || n["held"]+n["busy"] != (workers-1)*rows {
			r.Fatalf("round %d: %d workers found %v, want each of %d rows claimed by one, and held or busy for the others",
				round, workers, n, rows)
		}
		for _, d := range deliveries {
			r.rowIs(d.ID, Row{Status: job.StatusInProgress, Attempt: round})
		}
		r.Advance(lease)
	}
}

func atOnce[T any](n int, do func(i int) T) []T {
	begin, all := make(chan struct{}), make([]T, n)
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			<-begin
			all[i] = do(i)
		})
	}
	close(begin)
	calls.Wait()
	return all
}
