// Package offerrun runs a folder of users through the stack of the offer function, and
// shows match offers to people: the sets of a date, its state, and the fate of jobs
// that are published again.
package offerrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/failure"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// Options are the options of a run.
type Options struct {
	Date      string // empty: today in UTC
	JSON      bool   // print the result as JSON
	KillEvery time.Duration
	Seed      uint64 // of the kills; 0 draws one
	Logs      string // the file for the output of function and scheduler; - is the meter, empty none
	Database  database.Choice
}

// Run composes the sets of a date for the users of a folder, and prints them. It
// returns whether all of them succeeded.
func (o Options) Run(ctx context.Context, dir string, env setup.Env, out io.Writer, m *term.Meter) (
	succeeded bool, err error,
) {
	date := day.Of(time.Now().UTC())
	if o.Date != "" {
		if date, err = day.Parse(o.Date); err != nil {
			return false, fmt.Errorf("--date: %w", err)
		}
	}
	f, err := readFolder(dir)
	if err != nil {
		return false, err
	}
	m.Say("%d users read from %s, %d malformed", len(f.users), dir, len(f.problems))
	url, stop, err := o.Database.Fill(ctx, env, m)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r := &run{Options: o, folder: f, date: date, progress: m}
	if err := r.start(ctx, url); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	result, err := r.do(ctx)
	if err != nil {
		return false, err
	}
	if o.JSON {
		return result.Succeeded(), term.JSON(out, result)
	}
	_, err = io.WriteString(out, result.Text())
	return result.Succeeded(), err
}

// run is one date in a stack.
type run struct {
	Options
	folder   *folder
	date     day.Date
	progress *term.Meter

	logs    io.Writer
	stack   *local.Stack
	tenants []uuid.UUID
	cleanup []func() error
}

// start starts the stack on a migrated database. Its clock begins when the date
// begins to be due anywhere, at nine in the morning of the easternmost clocks, and
// stands still between jumps.
func (r *run) start(ctx context.Context, databaseURL string) (err error) {
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
	logs, stop, err := local.OpenLogs(r.Logs, r.progress)
	r.cleanup, r.logs = append(r.cleanup, stop), logs
	if err != nil {
		return err
	}
	bootstrap, err := lambdahost.Bootstrap(ctx, folder, manifest.Offer.Package,
		func(s string) { r.progress.Say("%s", s) })
	if err != nil {
		return err
	}
	r.stack, err = local.StartStack(ctx, local.StackConfig{DatabaseURL: databaseURL,
		FrozenAt: r.date.Time().Add(day.Nine - easternmost),
		Workloads: []local.WorkloadConfig{
			{Row: manifest.Offer, Bootstrap: bootstrap, Logs: r.logs, OnInvocation: r.logFailed}}})
	if err == nil {
		r.cleanup = append(r.cleanup, r.stack.Close)
	}
	return err
}

// easternmost is at least how far any clock is ahead of UTC.
const easternmost = 15 * time.Hour

// logFailed logs a batch that failed as a whole, or was not deleted.
func (r *run) logFailed(i eventsource.Invocation) {
	if err := errors.Join(i.Err, i.DeleteErr); err != nil {
		fmt.Fprintf(r.logs, "batch of %d messages: %v\n", len(i.MessageIDs), err)
	}
}

// close undoes start, the last step first.
func (r *run) close() error {
	var errs []error
	for _, f := range slices.Backward(r.cleanup) {
		errs = append(errs, f())
	}
	r.cleanup = nil
	return errors.Join(errs...)
}

// do stores the users, lets the date become due in each of their time zones, waits
// until each job has its end, and reads the result.
func (r *run) do(ctx context.Context) (*Result, error) {
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	stopKilling := r.startKilling(ctx)
	defer stopKilling()
	stopWatching := r.watch(ctx)
	defer stopWatching()
	if err := r.queue(ctx); err != nil {
		return nil, err
	}
	if err := r.stack.Drain(ctx, r.unfinished); err != nil {
		return nil, err
	}
	stopWatching()
	stopKilling()
	return r.result(ctx)
}

// load stores the users. One that the database refuses is reported with the
// malformed ones, and does not stop the others.
func (r *run) load(ctx context.Context) error {
	changed := 0
	for users := range slices.Chunk(r.folder.users, matchrun.Chunk) {
		n, others, err := r.stack.DB.ImportUsers(ctx, users)
		if err != nil {
			if n, others, err = r.loadEach(ctx, users); err != nil {
				return err
			}
		}
		changed += n
		for _, id := range others {
			r.folder.refuseUser(id, "the id belongs to a user of another tenant")
		}
	}
	for _, u := range r.folder.users {
		r.tenants = append(r.tenants, u.Tenant)
	}
	slices.SortFunc(r.tenants, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	r.tenants = slices.Compact(r.tenants)
	r.progress.Say("%d of them stored, the others are there already", changed)
	return nil
}

func (r *run) loadEach(ctx context.Context, users []offer.User) (changed int, others []uuid.UUID, err error) {
	for _, u := range slices.Clone(users) {
		n, other, err := r.stack.DB.ImportUsers(ctx, []offer.User{u})
		switch {
		case ctx.Err() != nil:
			return 0, nil, ctx.Err()
		case err != nil && failure.Of(err).Kind != failure.Permanent:
			return 0, nil, err
		case err != nil:
			r.folder.refuseUser(u.ID, failure.Of(err).Text)
		}
		changed, others = changed+n, append(others, other...)
	}
	return changed, others, nil
}

// queue moves the clock to nine in the morning of each time zone, one after the
// other, and lets the scheduler queue what is due.
func (r *run) queue(ctx context.Context) error {
	store := oneDate{r.stack.DB.Offers(), r.date, r.tenants}
	scheduler := &offer.Scheduler{Store: store, Sender: r.stack.Queue, Log: slog.New(slog.NewTextHandler(r.logs, nil))}
	due, err := store.due(ctx)
	if err != nil {
		return err
	}
	for _, at := range due {
		if err := r.stack.WaitIdle(ctx); err != nil { // a jump would end the visibility of what is at work
			return err
		}
		now, err := store.Now(ctx)
		if err != nil {
			return err
		}
		if at.After(now) {
			if err := r.stack.Advance(ctx, at.Sub(now)); err != nil {
				return err
			}
		}
		if _, err := scheduler.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) startKilling(ctx context.Context) (stop func()) {
	if r.KillEvery <= 0 {
		return func() {}
	}
	for r.Seed == 0 {
		r.Seed = rand.Uint64() >> 32
	}
	r.progress.Say("killing the function every %s, seed %d", r.KillEvery, r.Seed)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		kills := r.stack.KillEvery(ctx, r.KillEvery, r.Seed)
		r.progress.Say("the function was killed %d times", kills)
	}()
	return func() { cancel(); <-done }
}

// watch shows the progress of the jobs until stopped.
func (r *run) watch(ctx context.Context) (stop func()) {
	var states report.Progress
	r.progress.Watch(func() string {
		// A database that is slow to answer leaves the last counts as they are.
		ctx, cancel := context.WithTimeout(ctx, time.Second/2)
		defer cancel()
		if now, err := report.From(r.stack.DB).OfferProgress(ctx, r.date, r.tenants); err == nil {
			states = now
		}
		return fmt.Sprintf("%d sets completed, %d failed, %d running, %d waiting",
			states["completed"], states["failed"], states["running"], states["pending"])
	})
	return func() { r.progress.Watch(nil) }
}

func (r *run) unfinished(ctx context.Context) (int, error) {
	states, err := report.From(r.stack.DB).OfferProgress(ctx, r.date, r.tenants)
	return states["pending"] + states["running"], err
}
