// Package matchrun runs a folder of documents through the local stack: it publishes them,
// waits until each has ended, records every delivery, and reports matches, deliveries and the
// accounting.
package matchrun

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Options are the options of a run.
type Options struct {
	KillEvery   time.Duration
	Seed        uint64
	Concurrency int
	Again       bool // match documents again even if they succeeded in an earlier run on the same database
}

// Run is one run through the stack. Use Start or Open, then Do, then Report; the caller must
// close it.
type Run struct {
	local.Session
	In        *corpus.Input
	Options   Options
	Model     scripted.Model
	NoMapping bool      // leave the queue unpolled
	Channels  *Channels // nil sends no failures
	IDs       []uuid.UUID

	journal *journal
	stored  []job.Stamped // not sent yet
	resumed int           // documents that succeeded in an earlier run
	kills   int
	started time.Time
	took    time.Duration
}

// Start starts the stack on a migrated database.
func (r *Run) Start(ctx context.Context, databaseURL string) error {
	return r.Session.Start(ctx, databaseURL, r.configure)
}

func (r *Run) configure(ctx context.Context) (c local.StackConfig, err error) {
	env, err := r.Model.Start(ctx, r.Now)
	if err != nil {
		return c, err
	}
	r.OnClose(r.Model.Close)
	if r.Channels != nil {
		env = append(env, r.Channels.env()...)
	}
	r.journal = newJournal()
	return local.StackConfig{OnEvent: r.journal.add, Functions: []local.FunctionConfig{
		{Row: manifest.Match, Env: env, Concurrency: r.Options.Concurrency, NoMapping: r.NoMapping}}}, nil
}

// Do publishes everything and waits until all of it has ended.
func (r *Run) Do(ctx context.Context) error {
	r.started = time.Now()
	if err := r.Store(ctx); err != nil {
		return err
	}
	stopKilling := r.Kill(ctx, r.Options.KillEvery, r.Options.Seed)
	defer func() { r.kills = stopKilling() }()
	if err := r.Publish(ctx); err != nil {
		return err
	}
	err := r.Drain(ctx, r.standing())
	r.took = time.Since(r.started)
	return err
}

// standing counts the documents pending in the accounting.
func (r *Run) standing() local.Standing {
	pace := term.Pace{Total: len(r.stored), Began: time.Now()}
	return func(ctx context.Context) (int, string, error) {
		states, err := report.From(r.Stack.DB).Progress(ctx, r.IDs)
		done := states["succeeded"] + states["failed"] - r.resumed
		return states["pending"] + states["in-progress"], fmt.Sprintf("matched %s; %d failed, %d in progress, %d waiting",
			pace.Of(done), states["failed"], states["in-progress"], states["pending"]), err
	}
}
