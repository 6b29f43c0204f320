package main

import (
	"context"
	"errors"
	"math/rand/v2"

	"matchbook/lambda/corpus"
	"matchbook/lambda/local/database"
	"matchbook/lambda/rehearsal"
	"matchbook/lambda/rehearsal/model"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// matchOptions are the flags of the match command.
type matchOptions struct {
	rehearsal.Options
	json     bool
	database database.Choice
	slackLog string
	model    model.Options
}

func (w *invocation) matchCommand() *cobra.Command {
	var o matchOptions
	cmd := &cobra.Command{
		Use:   "match DIR",
		Short: "Run a folder of documents through queue and function, and print what belongs together",
		Args: func(cmd *cobra.Command, args []string) error {
			return cobra.ExactArgs(1)(cmd, w.takeKept(args, &o.database.Keep))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.match(cmd.Context(), w.takeKept(args, &o.database.Keep)[0], o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print the report as JSON")
	databaseFlag(cmd, &o.database)
	flags.StringVar(&o.database.Keep, "keep", "", "keep the private PostgreSQL in a folder, for the next run")
	flags.Lookup("keep").NoOptDefVal = database.Folder()
	flags.DurationVar(&o.KillEvery, "kill-every", 0,
		"kill the function's process again and again, at least this far apart on the stack's clock")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the kills and of the noise; 0 draws one and prints it")
	flags.IntVar(&o.Concurrency, "concurrency", 4, "invocations at the same time")
	flags.StringVar(&o.Logs, "logs", "", "append what the function logs to this file; - is standard error")
	flags.StringVar(&o.slackLog, "slack-log", "",
		"use a local receiver as Slack, and append its messages to this file")
	modelFlags(&o.model, cmd, "openai with a key, else none")
	return cmd
}

func (w *invocation) match(ctx context.Context, dir string, o matchOptions) (err error) {
	p := term.NewMeter(w.errOut)
	defer p.Close()
	if err := o.model.Check(w.env); err != nil {
		return err
	}
	in, err := corpus.ReadFolder(dir)
	if err != nil {
		return err
	}
	p.Say("%d documents read from %s, %d malformed", len(in.Documents), dir, len(in.Problems))
	for _, remark := range in.Remarks {
		p.Say("read, but look at %s: %s", remark.Where(), remark.What)
	}
	p.Say("%s", o.model.Choose(w.env))
	for o.Seed == 0 && (o.KillEvery > 0 || o.model.Mode == model.Noisy) {
		o.Seed = rand.Uint64() >> 32
	}
	r := &rehearsal.Run{In: in, Options: o.Options, Progress: p,
		Model: model.Source{Options: o.model, Env: w.env, Seed: o.Seed}}
	if r.Channels, err = rehearsal.OpenChannels(w.env, o.slackLog); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Channels.Close()) }()
	if o.model.Knowing() {
		if r.Model.Links, err = in.Links(dir); err != nil {
			return err
		}
	}
	url, stop, err := o.database.Fill(ctx, w.env, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	report, err := rehearse(ctx, r, url)
	if report == nil {
		return err
	}
	if err := errors.Join(err, report.Write(w.out, o.json)); err != nil {
		return err
	}
	if !report.Accounting.AllSucceeded() {
		return errFindings
	}
	return nil
}

// rehearse runs the documents, sends the notifications that are left, and
// reports.
func rehearse(ctx context.Context, r *rehearsal.Run, url string) (report *rehearsal.Report, err error) {
	if err := r.Start(ctx, url); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Do(ctx); err != nil {
		return nil, err
	}
	notified, err := r.Notify(ctx)
	if err != nil {
		return nil, err
	}
	if report, err = r.Report(ctx); err != nil {
		return nil, err
	}
	report.Notified = notified
	return report, nil
}
