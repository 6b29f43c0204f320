package jobtest

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"

	"github.com/google/uuid"
)

var walkSeed = flag.Uint64("jobtest.seed", 0, "seed of the random walk; 0 picks one")

// waits returns limits low enough for some rows to get lost or crash during the walk.
func (w *walker) waits() sweep.Waits {
	idle := w.IntN(2) == 0
	return sweep.Waits{Visibility: visibility, Grace: grace, Lapses: 2, Times: 1,
		Idle: idle, Drained: idle || w.IntN(2) == 0}
}

type move struct {
	by       string
	from, to job.Status
}

// legal lists the moves allowed by the documentation of package job (I9): from each status to
// each. A move within one status changes something else of the row.
var legal = map[string]struct{ from, to []job.Status }{
	"claim": { // NULL: unworkable
		[]job.Status{job.StatusNone, job.StatusPending, job.StatusInProgress, job.StatusFailed},
		[]job.Status{job.StatusInProgress, job.StatusNone}},
	"work":    {[]job.Status{job.StatusInProgress}, []job.Status{job.StatusSucceeded}},
	"release": {[]job.Status{job.StatusInProgress}, []job.Status{job.StatusPending, job.StatusFailed}},
	"publish": {[]job.Status{job.StatusNone, job.StatusPending, job.StatusInProgress, job.StatusSucceeded,
		job.StatusFailed, job.StatusCancelled}, []job.Status{job.StatusPending}},
	"cancel": {[]job.Status{job.StatusNone, job.StatusPending, job.StatusInProgress}, []job.Status{job.StatusCancelled}},
	"republish": { // overdue, inserted, lapsed
		[]job.Status{job.StatusPending, job.StatusNone, job.StatusInProgress}, []job.Status{job.StatusPending}},
	"give up": {[]job.Status{job.StatusPending, job.StatusInProgress}, []job.Status{job.StatusFailed}}, // lost, crashed
}

func (m move) legal() bool {
	l := legal[m.by]
	return slices.Contains(l.from, m.from) && slices.Contains(l.to, m.to)
}

type walker struct {
	*rig
	*rand.Rand
	ids    []uuid.UUID
	spoilt map[uuid.UUID]bool
	rows   map[uuid.UUID]Row
	leases map[uuid.UUID]time.Time // ends of the claims
	stamps []job.Stamped
	fences []job.Attempt
	ended  map[job.Attempt]bool
	raised map[uuid.UUID]int // attempts, by the step
	fails  map[uuid.UUID]int
	seen   map[move]int
}

func walk(r *rig) {
	seed := *walkSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	r.Logf("walk it again with -jobtest.seed=%d", seed)
	w := &walker{rig: r, Rand: rand.New(rand.NewPCG(seed, 0)),
		spoilt: map[uuid.UUID]bool{}, rows: map[uuid.UUID]Row{}, leases: map[uuid.UUID]time.Time{},
		ended: map[job.Attempt]bool{}, fails: map[uuid.UUID]int{}, seen: map[move]int{}}
	steps := []struct {
		weight int
		by     string
		do     func()
	}{
		{8, "claim", w.claimSome}, {4, "work", w.workSome}, {4, "release", w.releaseSome},
		{3, "publish", w.publishSome}, {2, "republish", w.republish}, {2, "give up", w.giveUp},
		{5, "advance", func() {
			w.Advance([]time.Duration{tick, lease / 2, lease, visibility, 9 * visibility}[w.IntN(5)])
		}}, {1, "insert", w.insert}, {1, "spoil", w.spoil}, {1, "cancel", w.cancel},
	}
	total := 0
	for _, s := range steps {
		total += s.weight
	}
	for range 4 {
		w.insert()
	}
	length := testenv.Size(100, 500)
	for step := 0; step < length && !r.Failed(); step++ {
		at := w.IntN(total)
		for _, s := range steps {
			if at -= s.weight; at < 0 {
				w.raised = map[uuid.UUID]int{}
				s.do()
				w.compare(step, s.by)
				break
			}
		}
	}
	for by, moves := range legal {
		for _, from := range moves.from {
			for _, to := range moves.to {
				if w.seen[move{by, from, to}] == 0 && (w.Cancel != nil || by != "cancel" && from != job.StatusCancelled) {
					r.Logf("not walked: %s from %q to %q", by, from, to)
				}
			}
		}
	}
}

// compare compares every row with its earlier state.
func (w *walker) compare(step int, by string) {
	for _, id := range w.ids {
		before, after := w.rows[id], w.row(id)
		w.rows[id] = after
		if before == after {
			continue
		}
		m := move{by, before.Status, after.Status}
		w.seen[m]++
		if !m.legal() || w.Final && (m.from == job.StatusSucceeded || m.from == job.StatusCancelled) {
			w.Errorf("step %d: %s moved a row\nfrom %+v\nto   %+v", step, by, before, after)
		}
		if after.Status == job.StatusFailed {
			w.fails[id]++
			if by == "give up" && before.Status == job.StatusPending {
				w.raised[id] = 1
			}
		}
		if after.Attempt != before.Attempt+w.raised[id] {
			w.Errorf("step %d: %s took attempt %d to %d, want it raised by %d",
				step, by, before.Attempt, after.Attempt, w.raised[id])
		}
		if after.Status != job.StatusInProgress {
			delete(w.leases, id)
		}
		if n := len(strings.Fields(after.Notifications)) / 2; n != w.fails[id] {
			w.Errorf("step %d: %d failures and the notifications %q", step, w.fails[id], after.Notifications)
		}
	}
}

func (w *walker) some() uuid.UUID { return w.ids[w.IntN(len(w.ids))] }

func (w *walker) claimSome() {
	deliveries := make([]job.Delivery, 1+w.IntN(3))
	for i := range deliveries {
		d := job.Delivery{ID: w.some(), SentAt: w.now().Add(time.Duration(w.IntN(3)-1) * time.Minute)}
		if len(w.stamps) > 0 && w.IntN(2) == 0 {
			s := w.stamps[w.IntN(len(w.stamps))]
			d.ID, d.PublishedAt = s.ID, s.PublishedAt
		}
		deliveries[i] = d
	}
	for _, c := range w.claims(w.IntN(2) == 0, deliveries...) {
		if found(c) != "claimed" {
			continue
		}
		id := c.Attempt.ID
		if until, ok := w.leases[id]; ok && until.After(w.now()) {
			w.Errorf("claimed while a lease lives until %v", until)
		}
		w.leases[id] = w.now().Add(lease)
		w.fences = append(w.fences, c.Attempt)
		w.raised[id]++
	}
}

// fence returns the fence of a random attempt, often a late one.
func (w *walker) fence() (f job.Attempt, ok bool) {
	if len(w.fences) == 0 {
		return f, false
	}
	back := min(w.IntN(len(w.fences)), w.IntN(6))
	return w.fences[len(w.fences)-1-back], true
}

// endOnce ends an attempt, and reports an error if it had ended before (I6).
func (w *walker) endOnce(f job.Attempt, to job.Status) {
	ok := w.end(f, to)
	if ok && w.ended[f] {
		w.Errorf("attempt %+v must end once", f)
	}
	w.ended[f] = w.ended[f] || ok
}

func (w *walker) workSome() {
	if f, ok := w.fence(); ok && !w.spoilt[f.ID] { // no promise covers work on a spoilt row
		w.endOnce(f, job.StatusSucceeded)
	}
}

func (w *walker) releaseSome() {
	if f, ok := w.fence(); ok {
		w.endOnce(f, []job.Status{job.StatusPending, job.StatusFailed}[w.IntN(2)])
	}
}

func (w *walker) publishSome() {
	stamped, err := w.Store.Publish(w.Context(), []uuid.UUID{w.some(), w.some()})
	w.stamped(stamped, err)
}

func (w *walker) republish() {
	again, err := w.Store.Republish(w.Context(), w.waits(), limit)
	var stamped []job.Stamped
	for _, a := range again {
		stamped = append(stamped, a.Stamped)
	}
	w.stamped(stamped, err)
}

func (w *walker) stamped(stamped []job.Stamped, err error) {
	if err != nil {
		w.Errorf("publish: %v", err)
	}
	slices.SortFunc(stamped, func(a, b job.Stamped) int { // by number, because ids differ between walks
		return cmp.Compare(slices.Index(w.ids, a.ID), slices.Index(w.ids, b.ID))
	})
	w.stamps = append(w.stamps, stamped...)
}

func (w *walker) giveUp() {
	if _, _, err := w.Store.GiveUp(w.Context(), w.waits(), limit); err != nil {
		w.Errorf("give up: %v", err)
	}
}

func (w *walker) insert() {
	if len(w.ids) < 12 {
		id := w.New()
		w.ids, w.rows[id] = append(w.ids, id), w.row(id)
	}
}

func (w *walker) cancel() {
	id := w.some()
	switch status := w.rows[id].Status; {
	case w.Cancel == nil, status == job.StatusSucceeded, status == job.StatusFailed, status == job.StatusCancelled:
	default:
		w.Cancel(id)
	}
}

// spoil spares most rows, so that there's work left.
func (w *walker) spoil() {
	if id := w.some(); len(w.spoilt) < len(w.ids)/2 {
		w.Spoil(id)
		w.spoilt[id] = true
	}
}
