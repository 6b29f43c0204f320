// Package matchrun runs a folder of documents through the local stack: it
// publishes them, waits until each has an end, notes every delivery, and reports
// matches, deliveries and the accounting.
package matchrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/matchrun/model"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Options are the options of a run.
type Options struct {
	KillEvery   time.Duration
	Seed        uint64
	Concurrency int
	Logs        string
	Again       bool // documents that succeeded in an earlier run on the same database are matched again
}

// Run is one run of the line.
type Run struct {
	In        *corpus.Input
	Options   Options
	Progress  *term.Meter
	Model     model.Source
	NoMapping bool      // no mapping polls the queue
	Channels  *Channels // nil: no failure is sent
	logs      io.Writer
	stack     *local.Stack
	journal   *journal
	IDs       []uuid.UUID
	stored    []job.Stamped // their messages are not sent yet
	resumed   int           // documents that succeeded in an earlier run
	kills     int
	started   time.Time
	took      time.Duration
	cleanup   []func() error
}

// Start migrates the database and starts the stack on it.
func (r *Run) Start(ctx context.Context, databaseURL string) error {
	folder, err := os.MkdirTemp("", "matchbook-")
	if err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, func() error { return os.RemoveAll(folder) })
	bootstrap, err := lambdahost.Bootstrap(ctx, folder, manifest.Match.Package,
		func(s string) { r.Progress.Say("%s", s) })
	if err != nil {
		return errors.Join(err, r.Close())
	}
	if r.logs, err = r.openLogs(); err != nil {
		return errors.Join(err, r.Close())
	}
	var clock atomic.Pointer[clock.Clock] // the stack's, once there is one
	env, err := r.Model.Start(ctx, func() time.Time {
		if c := clock.Load(); c != nil {
			return c.Now()
		}
		return time.Now()
	})
	if err != nil {
		return errors.Join(err, r.Close())
	}
	r.cleanup = append(r.cleanup, r.Model.Close)
	if r.Channels != nil {
		env = append(env, r.Channels.env()...)
	}
	r.journal = newJournal()
	r.stack, err = local.StartStack(ctx, local.StackConfig{DatabaseURL: databaseURL, OnEvent: r.journal.add,
		Workloads: []local.WorkloadConfig{{Bootstrap: bootstrap, Env: env, Concurrency: r.Options.Concurrency,
			NoMapping: r.NoMapping, Logs: r.logs, OnInvocation: r.logFailed}}})
	if err != nil {
		return errors.Join(err, r.Close())
	}
	r.cleanup = append(r.cleanup, r.stack.Close)
	clock.Store(r.stack.Clock)
	return nil
}

// logFailed logs a batch that failed as a whole, or was not deleted.
func (r *Run) logFailed(i eventsource.Invocation) {
	if err := errors.Join(i.Err, i.DeleteErr); err != nil {
		fmt.Fprintf(r.logs, "batch of %d messages: %v\n", len(i.MessageIDs), err)
	}
}

func (r *Run) openLogs() (io.Writer, error) {
	logs, stop, err := local.OpenLogs(r.Options.Logs, r.Progress)
	r.cleanup = append(r.cleanup, stop)
	return logs, err
}

// Close undoes Start, the last step first.
func (r *Run) Close() error {
	var errs []error
	for _, f := range slices.Backward(r.cleanup) {
		errs = append(errs, f())
	}
	r.cleanup = nil
	return errors.Join(errs...)
}

// Do publishes everything and waits until all of it has an end.
func (r *Run) Do(ctx context.Context) error {
	r.started = time.Now()
	if err := r.Store(ctx); err != nil {
		return err
	}
	stopKilling := r.startKilling(ctx)
	defer stopKilling()
	if err := r.Publish(ctx); err != nil {
		return err
	}
	stopWatching := r.watch(ctx)
	err := r.Drain(ctx)
	stopWatching()
	stopKilling()
	r.took = time.Since(r.started)
	return err
}

func (r *Run) startKilling(ctx context.Context) (stop func()) {
	if r.Options.KillEvery <= 0 {
		return func() {}
	}
	r.Progress.Say("killing the function every %s, seed %d", r.Options.KillEvery, r.Options.Seed)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.kills = r.stack.KillEvery(ctx, r.Options.KillEvery, r.Options.Seed)
	}()
	return func() { cancel(); <-done }
}

// watch shows the progress of the documents until stopped.
func (r *Run) watch(ctx context.Context) (stop func()) {
	var states report.Progress
	pace := term.Pace{Total: len(r.stored), Began: time.Now()}
	r.Progress.Watch(func() string {
		// A database that is slow to answer leaves the last counts as they are.
		ctx, cancel := context.WithTimeout(ctx, time.Second/2)
		defer cancel()
		if now, err := report.From(r.stack.DB).Progress(ctx, r.IDs); err == nil {
			states = now
		}
		done := states["succeeded"] + states["failed"] - r.resumed
		return fmt.Sprintf("matched %s; %d failed, %d in progress, %d waiting",
			pace.Of(done), states["failed"], states["in-progress"], states["pending"])
	})
	return func() { r.Progress.Watch(nil) }
}

// Drain waits until each document has an end.
func (r *Run) Drain(ctx context.Context) error { return r.stack.Drain(ctx, r.unfinished) }

// DB returns the database of a run that was started.
func (r *Run) DB() *postgres.DB { return r.stack.DB }

// unfinished counts the documents that the accounting would call pending.
func (r *Run) unfinished(ctx context.Context) (int, error) {
	states, err := report.From(r.stack.DB).Progress(ctx, r.IDs)
	return states["pending"] + states["in-progress"], err
}
