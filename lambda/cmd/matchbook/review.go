package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/reviewrun"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) reviewCommand() *cobra.Command {
	var o reviewrun.Options
	cmd := &cobra.Command{
		Use:   "review FILE|DIR...",
		Short: "Review contracts on this machine",
		Args:  cli.Args(1, cli.Many),
		RunE:  func(cmd *cobra.Command, args []string) error { return w.review(cmd.Context(), args, o) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	flags.StringVar(&o.HTML, "html", "", "write the report to `FILE` as HTML; of several contracts, into this folder")
	flags.StringVar(&o.Markdown, "markdown", "", "write the report to `FILE` as Markdown; of several contracts, into this folder")
	flags.StringVar(&o.Word, "docx", "", "write the Word document to `FILE` with the findings as comments; of several, into this folder")
	flags.StringVar(&o.Playbook, "playbook", "", "read our positions on clauses from `FILE` (default the built-in ones)")
	flags.Float64Var(&o.Budget, "budget", 0, "stop before a call could exceed this many US dollars for a contract (default no limit)")
	flags.BoolVar(&o.Serve, "serve", false, "serve the review as a page on this machine, until interrupted")
	flags.StringVar(&o.Logs, "logs", "", "append the function's logs to `FILE`; - is standard error")
	cli.DatabaseFlag(cmd, &o.Database)
	cli.ModelFlags(&o.Model, cmd, "openai if a key is set, otherwise none")
	flags.Lookup("model").Usage = "`MODE` of the reading model: none, openai or scripted (default openai if a key is set, otherwise none)"
	_ = flags.MarkHidden("noise") // both fail only for undefined flags
	_ = flags.MarkHidden("faults")
	cmd.AddCommand(w.reviewStatusCommand(), w.reviewFindingsCommand(), w.reviewCancelCommand(), w.reviewRetryCommand(),
		w.reviewReportCommand(), w.reviewTokenCommand(), w.reviewPlaybookCommand())
	return cmd
}

func (w *invocation) review(ctx context.Context, paths []string, o reviewrun.Options) error {
	prices, err := cost.ReadModelPrices("")
	if err != nil {
		return err
	}
	o.Person = operator(w.Env)
	o.Price = func(model string) (llm.Price, bool) {
		p := prices.Of(model)
		if p.Prompt == nil || p.Completion == nil {
			return llm.Price{}, false
		}
		return llm.Price{Prompt: *p.Prompt, Completion: *p.Completion}, true
	}
	return w.Metered(func(m *term.Meter) (bool, error) { return o.Review(ctx, paths, w.Env, w.Out, m) })
}

// ofReview returns a command on one review of a deployed system, for session.reviewOf.
func ofReview(use, short string, run func(ctx context.Context, of string) error) *cobra.Command {
	return &cobra.Command{Use: use + " DOC", Short: short, Args: cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := run(cmd.Context(), args[0])
			if errors.Is(err, job.ErrNotFound) {
				err = fmt.Errorf("review not found: %s", term.Clean(args[0], term.MaxValue))
			}
			return err
		}}
}

// reviewOf returns a review's id as it is, and of a contract, by its id, its number or its file's
// name, the latest review's.
func (s *session) reviewOf(arg string) (uuid.UUID, error) {
	found, err := explain.NewReader(s.ctx, s.db).Find([]string{arg})
	if err != nil {
		return uuid.Nil, err
	}
	latest, err := reviews.New(s.db).Latest(s.ctx, found[0])
	if errors.Is(err, job.ErrNotFound) {
		return found[0], nil
	}
	return latest.ID, err
}

func (w *invocation) reviewStatusCommand() *cobra.Command {
	var o sessionOptions
	cmd := ofReview("status", "Show the state and the findings of a review",
		func(ctx context.Context, of string) error {
			return w.inSession(ctx, o, func(s *session) error {
				r, err := s.review(of)
				if err != nil {
					return err
				}
				return cli.Findings(r.Job.Status == record.Completed, s.Print(reviewrun.ResultOf(r), o.json))
			})
		})
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// known keeps advise from rewording the error of an unknown id.
func known(err error) error {
	if errors.Is(err, job.ErrNotFound) {
		return fmt.Errorf("%w%w", cli.ErrFindings, err)
	}
	return err
}

func (w *invocation) reviewCancelCommand() *cobra.Command {
	return ofReview("cancel", "Cancel a review",
		func(ctx context.Context, of string) error {
			return w.inSession(ctx, sessionOptions{}, func(s *session) error {
				id, err := s.reviewOf(of)
				if err != nil {
					return err
				}
				status, err := reviews.New(s.db).Cancel(ctx, id)
				if err == nil {
					fmt.Fprintf(w.Out, "review %s is %s\n", id, status)
				}
				return known(err)
			})
		})
}

func (w *invocation) reviewRetryCommand() *cobra.Command {
	return ofReview("retry", "Retry the unread parts of a review",
		func(ctx context.Context, of string) error {
			return w.withQueue(ctx, manifest.Review, func(s *session, queue job.Sender) error {
				id, err := s.reviewOf(of)
				if err != nil {
					return err
				}
				stamped, err := reviews.New(s.db).Retry(ctx, id)
				if err != nil {
					return stopped(err)
				}
				if unsent, err := queue.Send(ctx, stamped); err != nil {
					return errors.New(errtext.Describe(&job.PublishError{Unsent: unsent, Err: err}))
				}
				fmt.Fprintf(w.Out, "published %s of review %s\n", plural.Of(len(stamped), "part"), id)
				return nil
			})
		})
}

func (w *invocation) reviewReportCommand() *cobra.Command {
	html := false
	cmd := ofReview("report", "Print the report of a review",
		func(ctx context.Context, of string) error {
			return w.inSession(ctx, sessionOptions{}, func(s *session) error {
				r, err := s.review(of)
				if err != nil {
					return err
				}
				if !html {
					_, err = io.WriteString(w.Out, report.Markdown(r))
					return err
				}
				page, err := report.HTML(r)
				if err == nil {
					_, err = w.Out.Write(page)
				}
				return err
			})
		})
	cmd.Flags().BoolVar(&html, "html", false, "print HTML instead of Markdown")
	return cmd
}
