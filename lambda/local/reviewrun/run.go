// Package reviewrun runs a contract through the local stack of the review function:
// it starts the review, shows progress and findings while it runs, serves its
// page, and prints the result.
package reviewrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// run is one review in a stack.
type run struct {
	name, text string
	playbook   []byte
	tenant     uuid.UUID
	budget     record.USD
	serve      bool
	logFile    string
	progress   *term.Meter
	source     *source

	id      uuid.UUID
	logs    io.Writer
	stack   *local.Stack
	cleanup []func() error
}

// start starts the stack on a migrated database.
func (r *run) start(ctx context.Context, databaseURL string, env setup.Env) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	folder, err := os.MkdirTemp("", "matchbook-")
	if err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, func() error { return os.RemoveAll(folder) })
	logs, stop, err := local.OpenLogs(r.logFile, r.progress)
	r.cleanup, r.logs = append(r.cleanup, stop), logs
	if err != nil {
		return err
	}
	bootstrap, err := lambdahost.Bootstrap(ctx, folder, manifest.Review.Package,
		func(s string) { r.progress.Say("%s", s) })
	if err != nil {
		return err
	}
	var stackClock atomic.Pointer[clock.Clock]
	set, err := r.source.start(ctx, env, func() time.Time {
		if c := stackClock.Load(); c != nil {
			return c.Now()
		}
		return time.Now()
	})
	if err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, r.source.close)
	r.stack, err = local.StartStack(ctx, local.StackConfig{DatabaseURL: databaseURL, Workloads: []local.WorkloadConfig{
		{Row: manifest.Review, Bootstrap: bootstrap, Env: set, Logs: r.logs, OnInvocation: r.logFailed}}})
	if err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, r.stack.Close)
	stackClock.Store(r.stack.Clock)
	return nil
}

// logFailed logs a batch that failed as a whole, or was not deleted.
func (r *run) logFailed(i eventsource.Invocation) {
	if err := errors.Join(i.Err, i.DeleteErr); err != nil {
		fmt.Fprintf(r.logs, "batch of %d messages: %v\n", len(i.MessageIDs), err)
	}
}

// close undoes start, the last step first.
func (r *run) close() error {
	var errs []error
	for len(r.cleanup) > 0 {
		last := len(r.cleanup) - 1
		errs = append(errs, r.cleanup[last]())
		r.cleanup = r.cleanup[:last]
	}
	return errors.Join(errs...)
}

// do starts the review, and waits for its end.
func (r *run) do(ctx context.Context) error {
	starter := review.Starter{Store: r.stack.DB.Reviews(), Sender: r.stack.Queue, Model: r.source.name,
		Price: r.source.costs, Log: slog.New(slog.NewTextHandler(r.logs, nil))}
	id, err := starter.Start(ctx, review.Request{TenantID: r.tenant, DocumentID: uuid.New(), Name: r.name, Text: r.text,
		Budget: r.budget, Playbook: r.playbook})
	if err != nil {
		return err
	}
	r.id = id
	if err := r.announce(ctx); err != nil {
		return err
	}
	if r.serve {
		if err := r.listen(ctx); err != nil {
			return err
		}
	}
	stop := r.watch(ctx)
	err = r.stack.Drain(ctx, r.unfinished)
	stop()
	return err
}

func (r *run) announce(ctx context.Context) error {
	j, err := r.stack.DB.Reviews().Job(ctx, r.id)
	if err != nil {
		return err
	}
	r.progress.Say("review %s of %s: %d parts", r.id, term.Clean(r.name, mostName), j.Chunks)
	if j.Model != "" {
		r.progress.Say("estimated cost: USD %.4f at most", j.Estimate.Dollars())
		if r.source.costs.Prompt == 0 {
			r.progress.Say("the model %s has no price in the list of \"matchbook cost\": costs are counted as 0", j.Model)
		}
	}
	return nil
}

func (r *run) unfinished(ctx context.Context) (int, error) {
	j, err := r.stack.DB.Reviews().Job(ctx, r.id)
	if err != nil || j.Status.Over() {
		return 0, err
	}
	return j.ChunksOpen + 1, nil
}

// watch shows the progress, and the findings as they come, until stopped.
func (r *run) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	shown := 0
	watching.Go(func() {
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				shown = r.showFindings(ctx, shown)
			}
		}
	})
	var last record.Job
	r.progress.Watch(func() string {
		// A database that is slow to answer leaves the last counts as they are.
		ctx, cancel := context.WithTimeout(ctx, time.Second/2)
		defer cancel()
		if now, err := r.stack.DB.Reviews().Job(ctx, r.id); err == nil {
			last = now
		}
		return fmt.Sprintf("%d of %d parts have an end, %d findings, %d calls, USD %.4f",
			last.Chunks-last.ChunksOpen, last.Chunks, last.Findings, last.Calls, last.Cost.Dollars())
	})
	return func() {
		cancel()
		watching.Wait()
		r.progress.Watch(nil)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		r.showFindings(last, shown)
	}
}

// look is the time between two looks at the findings.
const look = 250 * time.Millisecond

// showFindings prints the findings behind the last one shown.
func (r *run) showFindings(ctx context.Context, after int) int {
	found, err := r.stack.DB.Reviews().Findings(ctx, r.id, after, 200)
	if err != nil {
		return after
	}
	for _, f := range found {
		r.progress.Say("%4d  %-8s  %s", f.Seq, f.Severity, term.Clean(f.Title, mostName))
		after = f.Seq
	}
	return after
}

const mostName = 100
