// Package sweep repairs crashed or lost work in the tables of a list of workloads. It needs
// only the rows: it publishes a row again that waits without a message or is in progress
// without a worker. If that didn't help several times, the row fails, with a notification. An
// error in one workload doesn't stop the sweep of the others. Run it every minute or so; it is
// bounded, and two at once do no harm. In a healthy system all counts of its report are 0,
// however long the queue is.
//
// A pending row waits in vain when its message is overdue and the queue has moved on: it is
// next to empty, or it is delivering later messages of the same tenant (see Waits). A backlog
// alone is not a reason to publish (TestLargeImportLeftAlone).
package sweep

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
)

const (
	// republishTimes limits how often a row is published again, with doubling waits, before it
	// is failed as lost.
	republishTimes = 3
	// lapses limits the claims in succession without a result before a row is failed as
	// crashed, because each may have killed its worker.
	lapses = 3
	// grace is for programs inserting a row and sending its message themselves.
	grace = time.Minute
	// limit bounds the repairs of each kind in a round, and rounds the rounds of a run. The
	// next run takes the next rows.
	limit, rounds = 500, 10
	// drained is the ratio of overdue rows to messages above which a queue counts as drained:
	// at most one in so many republished rows still has a message.
	drained   = 100
	countMost = 100_000
	// unparkMost bounds the messages of a workload's queue up to which parked rows are published,
	// so that new rows don't wait behind a whole outage, and the service isn't overrun.
	unparkMost = 1000
)

// PerRun is the maximum of repairs of each kind in one run.
const PerRun = limit * rounds

// Store finds and repairs rows; package jobtest tests it.
type Store interface {
	// Overdue counts the pending rows with an overdue message, up to most.
	Overdue(ctx context.Context, w Waits, most int) (int, error)
	// Republish stamps the rows that wait in vain, the longest waiting first, and at most
	// limit of each kind.
	Republish(ctx context.Context, w Waits, limit int) ([]Republished, error)
	// GiveUp fails the rows repaired often enough, each with its notification: pending ones as
	// lost, in-progress ones as crashed.
	GiveUp(ctx context.Context, w Waits, limit int) (lost, crashed int, err error)
	// Unpark stamps up to most rows for each service that is back, and one for each service due
	// for a probe: those parked for the longest time, first of each tenant.
	Unpark(ctx context.Context, most int) ([]job.Stamped, error)
}

// Queue is the queue of a workload's messages.
type Queue interface {
	job.Sender
	// Backlog counts the messages that are visible, in flight or delayed.
	Backlog(ctx context.Context) (int, error)
}

// Letters is the dead-letter queue of a workload.
type Letters interface {
	// Settle drops letters with nothing left to do, such as of a row that has succeeded since, and
	// returns their number.
	Settle(ctx context.Context) (int, error)
}

// Target is a table of rows and the queue of its messages.
type Target struct {
	Name       string // of the table's function
	Store      Store
	Queue      Queue
	Letters    Letters       // nil: none
	Visibility time.Duration // of the queue
}

// Sweeper sweeps its Targets. You must set Targets and Log before the first Run.
type Sweeper struct {
	Targets []Target
	Log     *slog.Logger
	// Notify sends everything waiting in outboxes, such as notifications; it may be nil.
	Notify func(context.Context)
	// Grace is the time for the program of an inserted row to publish it; 0 is a minute.
	Grace time.Duration
	// Measure is called at the end of every run, with its report so far and the error that
	// ended it, and returns whether anything is open. It may be nil.
	Measure func(ctx context.Context, r Report, failed error) (open bool)
	// Rest, if set, is called instead of a run that would find nothing; see rests.
	Rest func()

	looked time.Time // the start of the last run, if it found nothing open
}

// measureFor is kept free at the end of a run for measuring, or half of its time if less, even if
// the database or a channel is slow, because then the figures matter most. Notify may take
// manifest.NotifyReserve of it to record the sent notifications.
const measureFor = 13 * time.Second

// Report counts repairs by kind, over all workloads.
type Report struct {
	Overdue     int `json:"overdue"`            // rows with an overdue message, counted up to 100,000 per workload
	Backlog     int `json:"backlog"`            // messages in the queues
	Inserted    int `json:"inserted"`           // published: inserted by another program
	Recovered   int `json:"recovered"`          // published again: their lease ended without a result
	Republished int `json:"republished"`        // published again: their message didn't come
	Lost        int `json:"lost"`               // failed: published again too often
	Crashed     int `json:"crashed"`            // failed: too many claims in succession without a result
	Unparked    int `json:"unparked,omitempty"` // published: their service is back, or due for a probe; not a repair
	Settled     int `json:"settled,omitempty"`  // dropped dead letters with nothing left to do; not a repair
}

func (r *Report) add(other Report) {
	r.Overdue += other.Overdue
	r.Backlog += other.Backlog
	r.Inserted += other.Inserted
	r.Recovered += other.Recovered
	r.Republished += other.Republished
	r.Lost += other.Lost
	r.Crashed += other.Crashed
	r.Unparked += other.Unparked
	r.Settled += other.Settled
}

func (r *Report) count(k Repair) {
	switch k {
	case Inserted:
		r.Inserted++
	case Lapsed:
		r.Recovered++
	case Overdue:
		r.Republished++
	}
}

// Run does one sweep. It sends notifications at the end, including its own failures', even if
// it couldn't repair.
func (s *Sweeper) Run(ctx context.Context) (r Report, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, manifest.MaxTimeout) // a function's deadline is earlier
	defer cancel()
	if s.Rest != nil && rests(s.looked, began, s.idle(ctx)) {
		s.Rest()
		return r, nil
	}
	if s.Measure != nil {
		defer func(ctx context.Context) {
			s.looked = time.Time{}
			if open := s.Measure(ctx, r, err); !open && err == nil && r == (Report{}) {
				s.looked = began
			}
		}(ctx)
		deadline, _ := ctx.Deadline()
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(measureFor, left(ctx)/2)))
		defer cancel()
	}
	if s.Notify != nil {
		defer s.Notify(ctx)
	}
	return s.sweep(ctx)
}

// sweep repairs the workloads in turn, each in its share of the time left, even after an error
// in another one. It returns the first error and logs the others.
func (s *Sweeper) sweep(ctx context.Context) (all Report, first error) {
	for i, w := range s.Targets {
		one, cancel := context.WithTimeout(ctx, left(ctx)/time.Duration(len(s.Targets)-i))
		log := s.Log.With("workload", w.Name)
		r, err := w.repair(one, cmp.Or(s.Grace, grace), log)
		r.Settled = w.settle(one, log)
		cancel()
		all.add(r)
		switch {
		case err == nil:
		case first == nil:
			first = failure.At("sweep "+w.Name, err)
		default:
			s.Log.Error("sweep failed", "workload", w.Name, "reason", failure.Of(err).Text)
		}
	}
	return all, first
}

func (w Target) repair(ctx context.Context, grace time.Duration, log *slog.Logger) (r Report, err error) {
	waits := Waits{Visibility: w.Visibility, Grace: grace, Lapses: lapses, Times: republishTimes}
	if r.Overdue, err = w.Store.Overdue(ctx, waits, countMost); err != nil {
		return r, failure.At("count overdue rows", err)
	}
	// A queue that doesn't answer takes no messages either, and a stamp without a message
	// would supersede the waiting message.
	if r.Backlog, err = w.Queue.Backlog(ctx); err != nil {
		return r, err
	}
	waits.Idle = r.Backlog == 0
	waits.Drained = r.Backlog <= r.Overdue/drained
	if r.Overdue > 0 && !waits.Drained {
		log.Info("overdue rows behind a backlog", "overdue", r.Overdue, "backlog", r.Backlog)
	}
	if r.Lost, r.Crashed, err = w.Store.GiveUp(ctx, waits, limit); err != nil {
		return r, failure.At("give up overdue rows", err)
	}
	if err := w.republish(ctx, waits, &r, log); err != nil {
		return r, err
	}
	return r, w.unpark(ctx, &r, log)
}

// settle ends the alarm about dead letters with nothing left to do. A queue that refuses must not
// fail the sweep, because the rows are repaired by then.
func (w Target) settle(ctx context.Context, log *slog.Logger) int {
	if w.Letters == nil || short(ctx) {
		return 0
	}
	n, err := w.Letters.Settle(ctx)
	if err != nil && ctx.Err() == nil {
		log.Warn("settling dead letters failed", "reason", failure.Of(err).Text)
	}
	if n > 0 {
		log.Info("dropped dead letters with nothing left to do", "letters", n)
	}
	return n
}

// unpark publishes parked rows while the queue has room.
func (w Target) unpark(ctx context.Context, r *Report, log *slog.Logger) error {
	room := unparkMost - r.Backlog - r.Inserted - r.Recovered - r.Republished
	if room <= 0 {
		return nil
	}
	again, err := w.Store.Unpark(ctx, room)
	if err != nil || len(again) == 0 {
		return failure.At("publish parked rows", err)
	}
	unsent, err := w.Queue.Send(ctx, again)
	r.Unparked = len(again) - len(unsent)
	log.Info("published rows parked for a service", "rows", r.Unparked, "unsent", len(unsent))
	return err
}

// republish publishes rows that wait in vain, in rounds, while there are more rows and time.
func (w Target) republish(ctx context.Context, waits Waits, r *Report, log *slog.Logger) error {
	unsent := 0
	defer func() {
		if r.Inserted+r.Recovered+r.Republished+r.Lost+r.Crashed+unsent > 0 {
			log.Warn("repaired", "inserted", r.Inserted, "recovered", r.Recovered, "republished", r.Republished,
				"unsent", unsent, "lost", r.Lost, "crashed", r.Crashed)
		}
	}()
	for range rounds {
		again, err := w.Store.Republish(ctx, waits, limit)
		if err != nil {
			return failure.At("publish overdue rows again", err)
		}
		refused, err := w.send(ctx, again, r)
		if unsent += refused; err != nil || len(again) < limit || short(ctx) {
			return err
		}
	}
	return nil
}

func (w Target) send(ctx context.Context, again []Republished, r *Report) (refused int, err error) {
	messages := make([]job.Stamped, len(again))
	for i, a := range again {
		messages[i] = a.Stamped
	}
	unsent, err := w.Queue.Send(ctx, messages)
	for _, a := range again {
		if !slices.Contains(unsent, a.ID) {
			r.count(a.Repair)
		}
	}
	return len(unsent), err
}

// left returns the time left; Run has set a deadline.
func left(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline)
}

func short(ctx context.Context) bool { return left(ctx) < 5*time.Second }
