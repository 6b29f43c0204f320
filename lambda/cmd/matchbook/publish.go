package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/deadletter"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) publishCommand() *cobra.Command {
	var failed failedOptions
	cmd := &cobra.Command{
		Use:   "publish DOC... | --failed",
		Short: "Publish documents, files or chunks again",
		Args:  failed.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case failed.all:
				return w.publishAllFailed(cmd.Context(), failed)
			case failed.on:
				return w.publishFailed(cmd.Context(), failed, w.writeFailed)
			}
			if failed.chunks { // these have no numbers
				for _, arg := range args {
					if _, err := document.ParseID(arg); err != nil {
						return fmt.Errorf("invalid ID %.50q: %w", arg, err)
					}
				}
			}
			return w.publish(cmd.Context(), failed, args)
		},
	}
	failed.add(cmd)
	return cmd
}

func (w *invocation) publish(ctx context.Context, o failedOptions, args []string) error {
	f := o.workload()
	return w.withQueue(ctx, f, func(s *session, queue job.Sender) error {
		find := explain.NewReader(ctx, s.db).Find
		if o.ingestions {
			find = explain.NewReader(ctx, s.db).Ingestions
		}
		ids, err := find(args)
		if err != nil {
			return s.advise(err)
		}
		publisher := job.Publisher{Store: s.db.JobsOf(postgres.Tables[f.Name]), Sender: queue}
		if err := publisher.Publish(ctx, ids); err != nil {
			return errors.New(errtext.Describe(err))
		}
		fmt.Fprintf(w.Out, "published %s\n", plural.Of(len(ids), f.Subject))
		return nil
	})
}

// withQueue opens the database and the function's queue, runs work, and closes both. It
// refuses a database migrated by a newer version of this program. Without a queue's variable, as
// with matchbook serve, the sweep sends the messages.
func (w *invocation) withQueue(ctx context.Context, f manifest.Function, work func(*session, job.Sender) error) error {
	if w.Env(f.QueueEnv()) == "" && (!f.First || w.Env(variable.QueueURL) == "") {
		return w.inSession(ctx, sessionOptions{}, func(s *session) error {
			fmt.Fprintf(w.ErrOut, "no %s: published rows are taken up by matchbook serve within a minute, or by a stack's sweep after %d\n",
				f.QueueEnv(), f.Visibility()/time.Minute)
			return work(s, swept{})
		})
	}
	config, err := setup.LoadPublisher(w.Env, f)
	if err != nil {
		return err
	}
	if err := database.RefuseNewer(ctx, config.DatabaseURL); err != nil {
		return err
	}
	db, queue, close, err := setup.Publisher(ctx, config)
	if err != nil {
		return err
	}
	defer close()
	return work(&session{w, sessionOptions{}, ctx, db}, queue)
}

// swept is a job.Sender that leaves the messages to the sweep.
type swept struct{}

// Send implements job.Sender.
func (swept) Send(context.Context, []job.Stamped) ([]uuid.UUID, error) { return nil, nil }

// matchQueue opens the queue of the match function. It returns nil if none is configured,
// and for a private database, because no function reads that.
func (s *session) matchQueue() (job.Sender, error) {
	for _, name := range []string{variable.MatchQueueURL, variable.QueueURL} {
		if url := s.Env(name); url != "" && s.keep == "" {
			return setup.Config{}.OpenQueue(s.ctx, name, url)
		}
	}
	return nil, nil
}

// failedOptions are the flags of publish, most of them for --failed.
type failedOptions struct {
	ingestions, chunks, on, all, dryRun, json bool
	kind, since, tenant                       string
	function                                  manifest.Function // with all; the zero value: by the flags
}

// workload returns the function that works on the published rows.
func (o *failedOptions) workload() manifest.Function {
	switch {
	case o.function.Name != "":
		return o.function
	case o.ingestions:
		return manifest.Ingest
	case o.chunks:
		return manifest.Review
	}
	return manifest.Match
}

func (o *failedOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.ingestions, "ingestions", false,
		"publish ingestions, so that their files are read again, instead of documents")
	flags.BoolVar(&o.chunks, "chunks", false,
		"publish chunks of reviews, so that they continue where they stopped, instead of documents")
	flags.BoolVar(&o.all, "all", false, "with --failed: publish the failed rows of all workloads")
	cli.Exclusive(cmd, "ingestions", "chunks", "all")
	flags.BoolVar(&o.on, "failed", false, "publish failed rows again, instead of rows by ID")
	flags.StringVar(&o.kind, "kind", "", "with --failed: only this `KIND` of failure: "+strings.Join(republish.Kinds, ", "))
	flags.StringVar(&o.since, "since", "",
		"with --failed: only failures since this `TIME`, such as 2026-03-02T09:00:00Z, or within the last 2h")
	flags.StringVar(&o.tenant, "tenant", "", "with --failed: only the tenant with this `ID`")
	flags.BoolVar(&o.dryRun, "dry-run", false, "with --failed: list the rows to publish, and change nothing")
	flags.BoolVar(&o.json, "json", false, "with --failed: print JSON")
}

// args accepts either IDs or --failed with its flags.
func (o *failedOptions) args(cmd *cobra.Command, args []string) error {
	if o.on {
		if len(args) > 0 {
			return errors.New("--failed and IDs are mutually exclusive: use one of them")
		}
		return nil
	}
	for _, flag := range []string{"all", "kind", "since", "tenant", "dry-run", "json"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("missing --failed: --%s works only with it", flag)
		}
	}
	return cli.Args(1, cli.Many)(cmd, args)
}

// publishFailed publishes a workload's failed rows, drops the dead letters that are done then, so
// that their alarm ends, and writes the report.
func (w *invocation) publishFailed(ctx context.Context, o failedOptions, write func(*republish.Report, bool) error) error {
	filter, err := republish.ParseFilter(o.kind, o.since, o.tenant)
	if err != nil {
		return err
	}
	table := postgres.Tables[o.workload().Name]
	if o.dryRun {
		return w.inTenant(ctx, sessionOptions{json: o.json}, filter.Tenant, func(s *session) error {
			r, err := republish.List(ctx, s.db, table, filter)
			if err != nil {
				return err
			}
			return write(r, o.json)
		})
	}
	return w.withQueue(ctx, o.workload(), func(s *session, queue job.Sender) error {
		if err := s.checkTenant(filter.Tenant); err != nil {
			return s.advise(err)
		}
		m := term.NewMeter(w.ErrOut)
		r, err := republish.Publish(ctx, s.db, table, queue, filter, m)
		m.Close()
		if r == nil {
			return stopped(err)
		}
		if err == nil && r.Refused == nil {
			r.Settled = s.settleDeadLetters(o.workload())
		}
		return errors.Join(write(r, o.json), s.refused(r.Refused, stopped(err)))
	})
}

// settleDeadLetters drops a workload's dead letters that are done. The rows are published already,
// so that it only reports an error.
func (s *session) settleDeadLetters(f manifest.Function) int {
	desk, _, err := s.desk(dlqFlags{function: f.Name, reason: "published again"})
	if err == nil && len(desk.Sources) > 0 {
		var r *deadletter.Dropped
		if r, err = desk.Drop(s.ctx, deadletter.Filter{}, false); err == nil {
			return r.Dropped
		}
	}
	if err != nil {
		fmt.Fprintf(s.ErrOut, "dead letters of %s left alone: %s\n", f.Name, errtext.Describe(err))
	}
	return 0
}

// ofWorkload is a report with the name of its workload.
type ofWorkload struct {
	Workload string `json:"workload"`
	*republish.Report
}

// publishAllFailed publishes the failed rows of each workload. It ends at the first one that stops.
func (w *invocation) publishAllFailed(ctx context.Context, o failedOptions) (err error) {
	all := []ofWorkload{}
	for _, o.function = range manifest.Workloads() {
		err = w.publishFailed(ctx, o, func(r *republish.Report, asJSON bool) error {
			all = append(all, ofWorkload{o.function.Name, r})
			if asJSON {
				return nil
			}
			return w.writeFailed(r, false)
		})
		if err != nil {
			break
		}
	}
	if o.json {
		err = errors.Join(json.NewEncoder(w.Out).Encode(all), err)
	}
	return err
}

// stopped words the error that stopped a publishing command. Interrupts and unknown ids
// are returned unchanged, because callers check for them.
func stopped(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, job.ErrNotFound) {
		return err
	}
	return errors.New(errtext.Describe(err))
}

// refused prints why the queue refused messages, and returns err if it didn't.
func (s *session) refused(reason, err error) error {
	if reason == nil {
		return err
	}
	fmt.Fprintf(s.ErrOut, "stopped: %s\n", failure.Of(reason).Text)
	return cli.ErrFindings
}

func (w *invocation) writeFailed(r *republish.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w.Out).Encode(r)
	}
	_, err := io.WriteString(w.Out, r.Text())
	return err
}
