package setup

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/job/breaker"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/llm"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/telemetry"
)

// Workload is a function fed by a queue, and the table of its rows.
type Workload struct {
	manifest.Function
	Table postgres.Table
}

// WorkloadOf returns the function with its table, found by name.
func WorkloadOf(f manifest.Function) Workload { return Workload{f, postgres.Tables[f.Name]} }

// Workloads returns the workloads of the manifest with their tables.
func Workloads() (list []Workload) {
	for _, f := range manifest.Workloads() {
		list = append(list, WorkloadOf(f))
	}
	return list
}

// Opened has a function's adapters for its work.
type Opened struct {
	DB         *postgres.DB
	Jobs       *postgres.Jobs  // of the function's table; the Jobs in DB serve one table only
	Queue      *sqsjob.Queue   // it feeds the function
	Model      *llm.Asker      // nil: rules only
	Embeddings *llm.Embeddings // nil: none
	Log        *slog.Logger    // of one invocation
	// Breaker returns the breaker of another service, such as an OCR.
	Breaker func(service string) *breaker.Breaker
}

// Function opens a function fed by a queue. It calls work once per invocation to make its
// work. You must call close.
func Function(ctx context.Context, c Config, w Workload, log *slog.Logger, work func(Opened) job.Work) (
	h *sqsjob.Handler, close func(), err error) {
	db, queue, err := Open(ctx, c, w.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	asker, embeddings, err1 := newAsker(c.Model, db, c.Metrics, log)
	relay, err2 := newRelay(ctx, c, db, log)
	relays, err3 := newOutboxRelays(c, db, log)
	if err := errors.Join(err1, err2, err3); err != nil {
		db.Close()
		return nil, nil, err
	}
	record := eventRecorder(c, db, log) // events.go
	opened := Opened{DB: db, Jobs: db.JobsOf(w.Table), Queue: queue, Model: asker, Embeddings: embeddings,
		Breaker: breakersOf(db, log)}
	var send func(context.Context)
	if relay != nil {
		send = relay.Run
	}
	var first sync.Once
	return &sqsjob.Handler{
		Queue:     queue,
		Log:       log,
		Malformed: func(n int) { c.Metrics.Count(metric.Malformed, n) },
		Runner: func(log *slog.Logger) sqsjob.Runner {
			first.Do(func() { go warnNewer(db, log) })
			for _, name := range telemetry.Ends {
				c.Metrics.Count(name, 0)
			}
			c.Metrics.Count(metric.Refused, 0)
			opened := opened
			opened.Log = log
			runtime := &job.Runtime{Store: opened.Jobs, Work: work(opened), Backoff: c.Backoff, Lease: c.Lease, Log: log,
				Observe: telemetry.Observe(c.Metrics), Notify: send}
			if len(relays) > 0 {
				return withOutboxes{runtime, relays, record} // outbox.go
			}
			return runtime
		},
	}, db.Close, nil
}

// breakersOf returns a function that returns the breaker of a service, the same for the life of
// the process.
func breakersOf(db *postgres.DB, log *slog.Logger) func(service string) *breaker.Breaker {
	var known sync.Map
	return func(service string) *breaker.Breaker {
		b, _ := known.LoadOrStore(service, newBreaker(service, db, log))
		return b.(*breaker.Breaker)
	}
}

// Sweep opens the sweep of these workloads. The configuration must have their queues. You must
// call close.
func Sweep(ctx context.Context, c Config, log *slog.Logger, workloads []Workload) (
	s *sweep.Sweeper, close func(), err error) {
	db, err := openDatabase(ctx, c, manifest.Sweep.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	list, err1 := sweepable(ctx, c, db, log, workloads)
	relay, err2 := newRelay(ctx, c, db, log)
	relays, err3 := newOutboxRelays(c, db, log)
	if err := errors.Join(err1, err2, err3); err != nil {
		db.Close()
		return nil, nil, err
	}
	s = &sweep.Sweeper{Log: log, Targets: list}
	go warnNewer(db, log)
	var channels []string
	var send func(context.Context)
	if relay != nil {
		send = relay.Run
		for _, sender := range relay.Senders {
			channels = append(channels, sender.Channel())
		}
	}
	keep, notify := recordAndForget(c, db, log), outboxes(send, relays)
	s.Notify = func(ctx context.Context) {
		keep(ctx)
		if err := db.Breakers().EndOutages(ctx); err != nil && ctx.Err() == nil {
			log.Error("ending outages failed", "reason", failure.Of(err).Text)
		}
		if notify != nil {
			notify(ctx)
		}
	}
	if c.Metrics != nil {
		var gauges postgres.Gauges
		s.Measure = func(ctx context.Context, r sweep.Report, failed error) (open bool) {
			gauges, err = readGauges(ctx, db, workloads, channels)
			telemetry.CountSweep(c.Metrics, r, failed, gauges, err)
			if err != nil {
				log.Error("reading gauges failed", "reason", failure.Of(err).Text)
			}
			return err != nil || gauges.Open()
		}
		if c.SweepRests {
			s.Rest = func() { telemetry.CountSweep(c.Metrics, sweep.Report{}, nil, gauges, nil) }
		}
	}
	return s, db.Close, nil
}

// flushFor is kept free at the end of a sweep for writing its metrics.
const flushFor = 3 * time.Second

func readGauges(ctx context.Context, db *postgres.DB, workloads []Workload, channels []string) (
	all postgres.Gauges, err error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(flushFor, time.Until(deadline)/2)))
		defer cancel()
	}
	for _, w := range workloads {
		g, err := db.JobsOf(w.Table).Gauges(ctx, channels)
		if err != nil {
			return all, err
		}
		all.OldestDue = max(all.OldestDue, g.OldestDue)
		all.Pending += g.Pending
		all.InProgress += g.InProgress
		all.Parked += g.Parked
		all.Unsent = g.Unsent // the same for all workloads
	}
	all.Undelivered, all.OldestUndelivered, err = offers.New(db).Undelivered(ctx)
	if err != nil {
		return all, failure.At("read the undelivered sets", err)
	}
	all.Events, err = events.ReadGauges(ctx, db)
	return all, failure.At("read the waiting events", err)
}

// sweepable returns the workloads with a queue as targets of the sweep, with open queues.
func sweepable(ctx context.Context, c Config, db *postgres.DB, log *slog.Logger, workloads []Workload) ([]sweep.Target, error) {
	var list []sweep.Target
	for _, w := range workloads {
		if c.Queues[w.Name] == "" {
			log.Info("workload is not swept, because its queue is not set", "function", w.Name, "variable", w.QueueEnv())
			continue
		}
		queue, err := c.OpenQueue(ctx, w.QueueEnv(), c.Queues[w.Name])
		if err != nil {
			return nil, err
		}
		list = append(list, sweep.Target{Name: w.Name, Store: db.JobsOf(w.Table), Queue: queue,
			Letters: &letters{db: db, workload: w, queue: queue}, Visibility: w.Visibility()})
	}
	return list, nil
}
