package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"matchbook/lambda/corpus"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/term"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// matchOptions are the flags of the match command.
type matchOptions struct {
	json        bool
	database    databaseOptions
	killEvery   time.Duration
	seed        uint64
	concurrency int
	logs        string
	slackLog    string
	model       modelOptions
}

func (w *world) matchCommand() *cobra.Command {
	var o matchOptions
	cmd := &cobra.Command{
		Use:   "match DIR",
		Short: "Run a folder of documents through queue and function, and print what belongs together",
		Long: `Match runs the whole line on this machine: a private PostgreSQL (or, with
--database, the one that DATABASE_URL names), a strict local SQS, the event
source mapping and the real Lambda bootstrap. It publishes every document in DIR, waits until all are done,
and prints the matches and why, the clusters, what stayed alone and why, how
each delivery was settled, and the accounting.

DIR holds .json files (one document or an array) and .jsonl files (one document
a line): {"id","tenant_id","type","received_at","structured_data"}. A missing id
is derived from the content, a missing tenant is a default one.

Waits between retries pass at once: the clocks of queue and database jump when
nothing else is left to do. --kill-every kills the function's process (SIGKILL)
at moments when documents are in progress; a message that is on the last of its
` + fmt.Sprint(manifest.Match.MaxReceiveCount()) + ` deliveries is spared, because what is killed on each of them is failed by the sweep.

` + modelHelp + "\n\n" + tellHelp,
		Example: `  matchbook match testdata/documents
  matchbook match testdata/documents --slack-log slack.jsonl
  matchbook match testdata/documents --kill-every 2s
  matchbook match testdata/documents --model oracle            # links.csv decides what rules leave open
  matchbook match testdata/documents --model scripted --faults 7
  OPENAI_API_KEY=... matchbook match testdata/documents        # a real model
  matchbook match invoices.jsonl --json | jq .accounting
  matchbook match testdata/documents --keep        # again: updates and publishes again
  matchbook match testdata/documents --keep DIR    # in a folder of yours
  DATABASE_URL=postgres://localhost/dev matchbook match testdata/documents --database`,
		Args: func(cmd *cobra.Command, args []string) error {
			return cobra.ExactArgs(1)(cmd, w.takeKept(args, &o.database.keep))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.match(cmd.Context(), w.takeKept(args, &o.database.keep)[0], o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print the report as JSON")
	o.database.flag(cmd)
	flags.StringVar(&o.database.keep, "keep", "", "keep the private PostgreSQL in a folder, for the next run")
	flags.Lookup("keep").NoOptDefVal = keepDefault()
	flags.DurationVar(&o.killEvery, "kill-every", 0, "kill the function's process again and again, at least this far apart on the stack's clock")
	flags.Uint64Var(&o.seed, "seed", 0, "seed of the kills and of the noise; 0 draws one and prints it")
	flags.IntVar(&o.concurrency, "concurrency", 4, "invocations at the same time")
	flags.StringVar(&o.logs, "logs", "", "append what the function logs to this file; - is standard error")
	flags.StringVar(&o.slackLog, "slack-log", "", "tell a local receiver of Slack's messages, and append them to this file")
	o.model.flags(cmd, "openai with a key, else none")
	return cmd
}

func (w *world) match(ctx context.Context, dir string, o matchOptions) (err error) {
	p := term.NewMeter(w.errOut)
	defer p.Close()
	if err := o.model.check(w.env); err != nil {
		return err
	}
	in, err := corpus.ReadFolder(dir)
	if err != nil {
		return err
	}
	p.Say("%d documents read from %s, %d malformed", len(in.Documents), dir, len(in.Problems))
	p.Say("%s", o.model.choose(w.env))
	for o.seed == 0 && (o.killEvery > 0 || o.model.mode == modelNoisy) {
		o.seed = rand.Uint64() >> 32
	}
	r := &matchRun{in: in, options: o, progress: p, model: modelRun{options: o.model, env: w.env, seed: o.seed}}
	if r.telling, err = startTelling(w.env, o.slackLog); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.telling.close()) }()
	if o.model.knowing() {
		if r.model.links, err = in.Links(dir); err != nil {
			return err
		}
	}
	url, stop, err := w.openDatabase(ctx, o.database, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := r.start(ctx, url); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.run(ctx); err != nil {
		return err
	}
	told, err := r.tell(ctx)
	if err != nil {
		return err
	}
	report, err := r.report(ctx)
	if err != nil {
		return err
	}
	report.Told = told
	if err := report.write(w.out, o.json); err != nil {
		return err
	}
	if !report.Accounting.allSucceeded() {
		return errFindings
	}
	return nil
}

// matchRun is one run of the line.
type matchRun struct {
	in       *corpus.Input
	options  matchOptions
	progress *term.Meter
	model    modelRun
	// noMapping: nothing takes messages from the queue.
	noMapping bool
	telling   *telling // nil: nobody is told
	logs      io.Writer
	stack     *local.Stack
	journal   *journal
	ids       []uuid.UUID
	stored    []job.Stamped // what is to be sent
	kills     int
	started   time.Time
	took      time.Duration
	cleanup   []func() error
}

func (r *matchRun) start(ctx context.Context, databaseURL string) error {
	folder, err := os.MkdirTemp("", "matchbook-")
	if err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, func() error { return os.RemoveAll(folder) })
	bootstrap, err := lambdahost.Bootstrap(ctx, folder, manifest.Match.Package, func(s string) { r.progress.Say("%s", s) })
	if err != nil {
		return errors.Join(err, r.close())
	}
	if r.logs, err = r.openLogs(); err != nil {
		return errors.Join(err, r.close())
	}
	var clock atomic.Pointer[clock.Clock] // the stack's, once there is one
	env, err := r.model.start(ctx, func() time.Time {
		if c := clock.Load(); c != nil {
			return c.Now()
		}
		return time.Now()
	})
	if err != nil {
		return errors.Join(err, r.close())
	}
	r.cleanup = append(r.cleanup, r.model.close)
	if r.telling != nil {
		env = append(env, r.telling.env()...)
	}
	r.journal = newJournal()
	r.stack, err = local.StartStack(ctx, local.StackConfig{DatabaseURL: databaseURL, Bootstrap: bootstrap, Env: env,
		Concurrency: r.options.concurrency, NoMapping: r.noMapping, Logs: r.logs, OnEvent: r.journal.add, OnInvocation: func(i eventsource.Invocation) {
			if err := errors.Join(i.Err, i.DeleteErr); err != nil {
				fmt.Fprintf(r.logs, "batch of %d messages: %v\n", len(i.MessageIDs), err)
			}
		}})
	if err != nil {
		return errors.Join(err, r.close())
	}
	r.cleanup = append(r.cleanup, r.stack.Close)
	clock.Store(r.stack.Clock)
	return nil
}

func (r *matchRun) openLogs() (io.Writer, error) {
	logs, stop, err := openLogs(r.options.logs, r.progress)
	r.cleanup = append(r.cleanup, stop)
	return logs, err
}

// openLogs opens what --logs names; - is standard error.
func openLogs(file string, standard io.Writer) (logs io.Writer, stop func() error, err error) {
	stop = func() error { return nil }
	switch file {
	case "":
		return io.Discard, stop, nil
	case "-":
		return standard, stop, nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, stop, fmt.Errorf("--logs: %w", err)
	}
	return f, f.Close, nil
}

func (r *matchRun) close() error {
	var errs []error
	for _, f := range slices.Backward(r.cleanup) {
		errs = append(errs, f())
	}
	r.cleanup = nil
	return errors.Join(errs...)
}

// run publishes everything and waits until all of it has an end.
func (r *matchRun) run(ctx context.Context) error {
	r.started = time.Now()
	if err := r.store(ctx); err != nil {
		return err
	}
	stopKilling := r.startKilling(ctx)
	defer stopKilling()
	if err := r.send(ctx); err != nil {
		return err
	}
	stopWatching := r.watch(ctx)
	err := r.stack.Drain(ctx, r.unfinished)
	stopWatching()
	stopKilling()
	r.took = time.Since(r.started)
	return err
}

const chunk = 250

// store imports the documents. One that the database refuses is a problem of
// its own and stops nobody else.
func (r *matchRun) store(ctx context.Context) error {
	for docs := range slices.Chunk(imported(r.in.Documents), chunk) {
		if stamped, err := r.stack.DB.Import(ctx, docs); err == nil {
			r.take(stamped)
			continue
		}
		for _, d := range docs {
			stamped, err := r.stack.DB.Import(ctx, []postgres.Imported{d})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				r.in.Refuse(d.FilePath, 1, importProblem(d, err))
			default:
				r.take(stamped)
			}
		}
	}
	return r.model.learn(ctx, r.stack.DB, r.ids)
}

// imported is the documents as the database takes them.
func imported(docs []corpus.Document) []postgres.Imported {
	list := make([]postgres.Imported, len(docs))
	for i, d := range docs {
		list[i] = postgres.Imported(d)
	}
	return list
}

// take notes what was stored; its messages are sent when all is.
func (r *matchRun) take(stamped []job.Stamped) {
	for _, m := range stamped {
		r.ids = append(r.ids, m.ID)
	}
	r.stored = append(r.stored, stamped...)
}

// send sends the messages of what was stored.
func (r *matchRun) send(ctx context.Context) error {
	var sent atomic.Int64
	r.progress.Watch(func() string { return fmt.Sprintf("published %d of %d", sent.Load(), len(r.stored)) })
	defer r.progress.Watch(nil)
	for messages := range slices.Chunk(r.stored, chunk) {
		if unsent, err := r.stack.Queue.Send(ctx, messages); err != nil {
			return &job.PublishError{Unsent: unsent, Err: err}
		}
		sent.Add(int64(len(messages)))
	}
	return nil
}

func (r *matchRun) startKilling(ctx context.Context) (stop func()) {
	if r.options.killEvery <= 0 {
		return func() {}
	}
	r.progress.Say("killing the function every %s, seed %d", r.options.killEvery, r.options.seed)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.kills = r.stack.KillEvery(ctx, r.options.killEvery, r.options.seed)
	}()
	return func() { cancel(); <-done }
}

// watch shows the progress of the documents until stopped.
func (r *matchRun) watch(ctx context.Context) (stop func()) {
	var states postgres.Progress
	r.progress.Watch(func() string {
		// A database that is slow to answer leaves the last counts as they are.
		ctx, cancel := context.WithTimeout(ctx, time.Second/2)
		defer cancel()
		if now, err := r.stack.DB.Progress(ctx, r.ids); err == nil {
			states = now
		}
		return fmt.Sprintf("%d of %d succeeded, %d failed, %d in progress, %d waiting",
			states["succeeded"], len(r.ids), states["failed"], states["in-progress"], states["pending"])
	})
	return func() { r.progress.Watch(nil) }
}

// unfinished counts what the accounting would call pending.
func (r *matchRun) unfinished(ctx context.Context) (int, error) {
	states, err := r.stack.DB.Progress(ctx, r.ids)
	return states["pending"] + states["in-progress"], err
}
