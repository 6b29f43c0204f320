// Package sweep repairs work that crashed or got lost, in the tables of a list
// of workloads. It needs only the row: one that waits without a message, or is in
// progress without a worker, is published again; when that was of no use several
// times, the row fails, with a notification. A workload that cannot be swept does
// not stop the sweep of the others. The sweep runs every minute or so; it is
// bounded, and two at once do no harm. In a healthy system every count of its
// report is 0, however long the queue is.
//
// A pending row waits in vain when its message should have come and the
// queue has come further: it holds next to nothing any more, or it is
// delivering messages of the same tenant that were sent later. For a backlog alone
// nothing is published (TestImportOfMillionsIsLeftAlone).
package sweep

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

const (
	// republishTimes limits how often a row is published again, the wait doubling
	// each time, before it is failed as lost.
	republishTimes = 3
	// lapses is the number of claims in succession without a result after which a row
	// is failed as crashed: each may have killed its worker.
	lapses = 3
	// grace is for programs that insert a row and send its message themselves.
	grace = time.Minute
	// limit bounds the repairs of each kind in one round, and rounds the rounds of
	// a run. The next run takes the next rows.
	limit, rounds = 500, 10
	// drained is the ratio of overdue rows to messages in the queue from which on
	// the queue counts as drained: of that many rows that are published again, at
	// most one has a message after all.
	drained = 100
	// countMost bounds the count of overdue rows.
	countMost = 100_000
)

// PerRun bounds the repairs of each kind in a run: the rows of other programs that
// are published, for example.
const PerRun = limit * rounds

// Store finds and repairs rows; package jobtest tests it.
type Store interface {
	// Overdue counts the pending rows whose message should have come by now, up
	// to most.
	Overdue(ctx context.Context, w Waits, most int) (int, error)
	// Republish stamps rows that wait in vain, the longest waiting first:
	// of each kind at most limit.
	Republish(ctx context.Context, w Waits, limit int) ([]Republished, error)
	// GiveUp fails the rows that were repaired often enough, each with its
	// notification: pending ones are lost, the ones in progress have crashed.
	GiveUp(ctx context.Context, w Waits, limit int) (lost, crashed int, err error)
}

// Queue is the queue of a workload's messages.
type Queue interface {
	// Send sends messages, see job.Sender.
	Send(ctx context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error)
	// Backlog counts the messages that are visible, in flight or delayed.
	Backlog(ctx context.Context) (int, error)
}

// Target is a table of work and the queue of its messages.
type Target struct {
	Name       string // of its function
	Store      Store
	Queue      Queue
	Visibility time.Duration // of the queue
}

// Sweeper is configured by its fields.
type Sweeper struct {
	Targets []Target
	Log     *slog.Logger
	// Notify sends what waits in outboxes, such as notifications; nil sends nothing.
	Notify func(context.Context)
	// Measure is called at the end of every run, with its report so far and the
	// error that ended it; nil measures nothing.
	Measure func(ctx context.Context, r Report, failed error)
}

// measureFor is kept free at the end of a run for measuring, also when the
// database or a channel is slow: then the figures matter most. Notify may take
// manifest.NotifyReserve of it to record what was sent.
const measureFor = 13 * time.Second

// Report counts repairs by kind, of all workloads together.
type Report struct {
	Overdue     int `json:"overdue"`     // rows whose message should have come, counted up to 100,000 of each workload
	Backlog     int `json:"backlog"`     // messages in the queues
	Inserted    int `json:"inserted"`    // published: a program had inserted them
	Recovered   int `json:"recovered"`   // published again: their lease ended without a result
	Republished int `json:"republished"` // published again: their message did not come
	Lost        int `json:"lost"`        // failed: published again too often
	Crashed     int `json:"crashed"`     // failed: too many claims in succession without a result
}

// add adds the counts of another report.
func (r *Report) add(other Report) {
	r.Overdue += other.Overdue
	r.Backlog += other.Backlog
	r.Inserted += other.Inserted
	r.Recovered += other.Recovered
	r.Republished += other.Republished
	r.Lost += other.Lost
	r.Crashed += other.Crashed
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

// Run does one sweep. It sends notifications at the end, those of its own
// failures too, and also when it could not repair.
func (s *Sweeper) Run(ctx context.Context) (r Report, err error) {
	if s.Measure != nil {
		defer func(ctx context.Context) { s.Measure(ctx, r, err) }(ctx)
		var cancel context.CancelFunc
		ctx, cancel = endEarlier(ctx, measureFor)
		defer cancel()
	}
	if s.Notify != nil {
		defer s.Notify(ctx)
	}
	return s.sweep(ctx)
}

// sweep repairs one workload after the other, each in its share of the time
// that is left, even if one before it failed. It returns the first error, and
// logs the others.
func (s *Sweeper) sweep(ctx context.Context) (all Report, first error) {
	for i, w := range s.Targets {
		one, cancel := share(ctx, len(s.Targets)-i)
		r, err := w.repair(one, s.Log.With("workload", w.Name))
		cancel()
		all.add(r)
		switch {
		case err == nil:
		case first == nil:
			first = failure.At("sweep "+w.Name, err)
		default:
			s.Log.Error("cannot sweep", "workload", w.Name, "reason", failure.Of(err).Text)
		}
	}
	return all, first
}

// share returns a context that ends after one part of n of the time that is left.
func share(ctx context.Context, n int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || n == 1 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(n))
}

// endEarlier returns a context that leaves the reserve, or half of the time if
// that is less.
func endEarlier(ctx context.Context, reserve time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(reserve, time.Until(deadline)/2)))
}

func (w Target) repair(ctx context.Context, log *slog.Logger) (r Report, err error) {
	waits := Waits{Visibility: w.Visibility, Grace: grace, Lapses: lapses, Times: republishTimes}
	if r.Overdue, err = w.Store.Overdue(ctx, waits, countMost); err != nil {
		return r, failure.At("count overdue rows", err)
	}
	// A queue that does not answer takes no messages either: a stamp without a
	// message would supersede the message that is there.
	if r.Backlog, err = w.Queue.Backlog(ctx); err != nil {
		return r, err
	}
	waits.Idle = r.Backlog == 0
	waits.Drained = r.Backlog <= r.Overdue/drained
	if r.Overdue > 0 && !waits.Drained {
		log.Info("overdue behind a backlog", "overdue", r.Overdue, "backlog", r.Backlog)
	}
	if r.Lost, r.Crashed, err = w.Store.GiveUp(ctx, waits, limit); err != nil {
		return r, failure.At("give up overdue rows", err)
	}
	return r, w.republish(ctx, waits, &r, log)
}

// republish publishes rows that wait in vain, round by round while there are more
// rows and time.
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
		left, err := w.send(ctx, again, r)
		if unsent += left; err != nil || len(again) < limit || short(ctx) {
			return err
		}
	}
	return nil
}

// send sends the messages, and counts the sent ones.
func (w Target) send(ctx context.Context, again []Republished, r *Report) (left int, err error) {
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

// short reports whether the time is too short for another round.
func short(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < 5*time.Second
}
