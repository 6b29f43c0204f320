package serve

import (
	"cmp"
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

const (
	// DefaultEvery is the longest wait of a row inserted by another program.
	DefaultEvery = 5 * time.Second
	// grace is for transactions that insert a row: none, because no other program can send its
	// message.
	grace = time.Second
	// overdue is the number of periods that a row waits in vain before it is published again, because the
	// command published it without a queue, or the message was not sent.
	overdue = 6
	// fill is the number of messages up to which a queue is filled with rows published before it
	// existed, so that a backlog of a million rows needs no memory.
	fill = 1000
)

// period is the period of the sweep.
func (s *Server) period() time.Duration { return cmp.Or(s.config.Every, DefaultEvery) }

// feed is a queue and the rows that feed it.
type feed struct {
	name  string
	rows  *postgres.Jobs
	queue interface {
		job.Sender
		Backlog(ctx context.Context) (int, error)
	}
}

// openTasks starts the scheduled functions: the sweep and the schedule of offers.
func (s *Server) openTasks(ctx context.Context) error {
	if err := s.openSweep(ctx); err != nil {
		return err
	}
	t := telemetry.New(s.env, manifest.Schedule.Name, s.metrics, s.config.Log)
	c, err := setup.LoadSchedule(s.env)
	if err != nil {
		return err
	}
	c.Metrics, c.SQS = t.Metrics, s.sqs.Client()
	t.Trace(c.Trace)
	run, stop, err := setup.Schedule(ctx, c, t.Log)
	if err != nil {
		return err
	}
	s.onClose(stop)
	s.every(ctx, manifest.Schedule.Every, s.task(t, manifest.Schedule, func(ctx context.Context) error {
		_, err := run(ctx)
		return err
	}))
	return nil
}

func (s *Server) openSweep(ctx context.Context) error {
	t := telemetry.New(s.env, manifest.Sweep.Name, s.metrics, s.config.Log)
	c, err := setup.LoadSweep(s.env, manifest.Functions())
	if err != nil {
		return err
	}
	c.Metrics, c.SQS = t.Metrics, s.sqs.Client()
	t.Trace(c.Trace)
	sweeper, stop, err := setup.Sweep(ctx, c, t.Log, setup.Workloads())
	if err != nil {
		return err
	}
	s.onClose(stop)
	sweeper.Grace = grace
	for i := range sweeper.Targets {
		sweeper.Targets[i].Visibility = overdue * s.period()
	}
	s.every(ctx, s.period(), s.task(t, manifest.Sweep, func(ctx context.Context) error {
		if err := s.resume(ctx); err != nil {
			return err
		}
		_, err := sweeper.Run(ctx)
		s.health.swept(err)
		return err
	}))
	return nil
}

// task returns a run of a scheduled function, with its deadline, its metrics and its error in
// the log.
func (s *Server) task(t *telemetry.Telemetry, row manifest.Task, run func(context.Context) error) func(context.Context) {
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, row.Timeout)
		defer cancel()
		err := run(ctx)
		if err != nil && ctx.Err() == nil {
			t.Log.Error("run failed", "reason", failure.Of(err).Text)
		}
		if err := t.Metrics.Flush(s.metrics, time.Now()); err != nil {
			t.Log.Error("metrics lost", "reason", err.Error())
		}
	}
}

// resume fills the queues with due rows published before they existed.
func (s *Server) resume(ctx context.Context) error {
	for _, f := range s.feeds {
		waiting, err := f.queue.Backlog(ctx)
		if err != nil {
			return err
		}
		if waiting >= fill {
			continue
		}
		stamped, err := f.rows.Resume(ctx, s.since, fill)
		if err != nil {
			return failure.At("resume "+f.name, err)
		}
		if len(stamped) == 0 {
			continue
		}
		s.log.Info("resumed", "workload", f.name, "rows", len(stamped))
		if _, err := f.queue.Send(ctx, stamped); err != nil {
			return err
		}
	}
	return nil
}
