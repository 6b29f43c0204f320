package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"matchbook/lambda/corpus"
	"matchbook/lambda/manifest"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// matchOptions are the flags of the match command.
type matchOptions struct {
	runOptions
	json     bool
	database databaseOptions
	slackLog string
	model    modelOptions
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
	modelFlags(&o.model, cmd, "openai with a key, else none")
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
	r := &matchRun{in: in, options: o.runOptions, progress: p, model: modelRun{options: o.model, env: w.env, seed: o.seed}}
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
