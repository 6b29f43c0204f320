package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/reviewrun"
	"matchbook/lambda/manifest"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) reviewCommand() *cobra.Command {
	var o reviewrun.Options
	cmd := &cobra.Command{
		Use:   "review FILE",
		Short: "Review a contract: clauses, findings, gaps, contradictions",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return w.review(cmd.Context(), args[0], o) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.JSON, "json", false, "print the result as JSON")
	flags.StringVar(&o.HTML, "html", "", "write the report to this file, as a page")
	flags.StringVar(&o.Markdown, "markdown", "", "write the report to this file, as Markdown")
	flags.StringVar(&o.Playbook, "playbook", "", "a file with our positions on clauses (default the built-in ones)")
	flags.Float64Var(&o.Budget, "budget", 0, "US dollars: calls that could exceed them are not made; 0: no limit")
	flags.BoolVar(&o.Serve, "serve", false, "serve the page of the review on this machine, until interrupted")
	flags.StringVar(&o.Logs, "logs", "", "append what the function logs to this file; - is standard error")
	cli.DatabaseFlag(cmd, &o.Database)
	cli.ModelFlags(&o.Model, cmd, "openai with a key, else none")
	flags.Lookup("model").Usage = "none, openai, scripted: reads the contract (default openai with a key, else none)"
	_ = flags.MarkHidden("noise") // both fail only for a flag that is not there
	_ = flags.MarkHidden("faults")
	cmd.AddCommand(w.reviewStatusCommand(), w.reviewCancelCommand(), w.reviewRetryCommand(), w.reviewReportCommand(),
		w.reviewTokenCommand(), w.reviewPlaybookCommand())
	return cmd
}

func (w *invocation) review(ctx context.Context, path string, o reviewrun.Options) error {
	prices, err := cost.ReadModelPrices("")
	if err != nil {
		return err
	}
	o.Price = func(model string) (llm.Price, bool) {
		p := prices.Of(model)
		if p.Prompt == nil || p.Completion == nil {
			return llm.Price{}, false
		}
		return llm.Price{Prompt: *p.Prompt, Completion: *p.Completion}, true
	}
	return w.Metered(func(m *term.Meter) (bool, error) { return o.Review(ctx, path, w.Env, w.Out, m) })
}

// ofReview makes a command about one review of a deployed system.
func ofReview(use, short, long string, run func(ctx context.Context, id uuid.UUID) error) *cobra.Command {
	return &cobra.Command{Use: use + " ID", Short: short, Long: long, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := reviewrun.Find(args[0])
			if err != nil {
				return err
			}
			if err = run(cmd.Context(), id); errors.Is(err, job.ErrNotFound) {
				err = fmt.Errorf("there is no review %s", id)
			}
			return err
		}}
}

func (w *invocation) reviewStatusCommand() *cobra.Command {
	var o sessionOptions
	cmd := ofReview("status", "Show the state of a review, its findings, and what was not read",
		"Status needs DATABASE_URL. Exit status: 0 every part was read, 1 not, or not yet; 2 it could not run.",
		func(ctx context.Context, id uuid.UUID) error {
			return w.inSession(ctx, o, func(s *session) error {
				r, err := report.Read(ctx, s.db.Reviews(), id)
				if err != nil {
					return known(err)
				}
				return cli.Findings(r.Job.Status == record.Completed, s.Print(reviewrun.ResultOf(r), o.json))
			})
		})
	cmd.Flags().BoolVar(&o.json, "json", false, "print as JSON")
	return cmd
}

// known keeps the advice of a session away from an id that does not exist.
func known(err error) error {
	if errors.Is(err, job.ErrNotFound) {
		return fmt.Errorf("%w%w", cli.ErrFindings, err)
	}
	return err
}

func (w *invocation) reviewCancelCommand() *cobra.Command {
	return ofReview("cancel", "Stop a review: no finding is added from now on",
		"Cancel needs DATABASE_URL. Parts that wait are cancelled at once, calls under way within seconds. What was\n"+
			"found stays; \"matchbook review retry\" goes on with the rest.",
		func(ctx context.Context, id uuid.UUID) error {
			return w.inSession(ctx, sessionOptions{}, func(s *session) error {
				status, err := s.db.Reviews().Cancel(ctx, id)
				if err == nil {
					fmt.Fprintf(w.Out, "review %s is %s\n", id, status)
				}
				return known(err)
			})
		})
}

func (w *invocation) reviewRetryCommand() *cobra.Command {
	return ofReview("retry", "Read the parts of a review that have no result; nothing finished is done again",
		"Retry needs DATABASE_URL, REVIEW_QUEUE_URL and the AWS variables. Answers in storage are not bought again.",
		func(ctx context.Context, id uuid.UUID) error {
			return w.withQueue(ctx, manifest.Review, func(s *session, queue job.Sender) error {
				stamped, err := s.db.Reviews().Retry(ctx, id)
				if err != nil {
					return stopped(err)
				}
				if unsent, err := queue.Send(ctx, stamped); err != nil {
					return errors.New(errtext.Describe(&job.PublishError{Unsent: unsent, Err: err}))
				}
				fmt.Fprintf(w.Out, "%d parts of the review %s are read again\n", len(stamped), id)
				return nil
			})
		})
}

func (w *invocation) reviewReportCommand() *cobra.Command {
	html := false
	cmd := ofReview("report", "Print the report of a review, as Markdown or HTML",
		"Report needs DATABASE_URL. A review that is not over has a report as well, which begins with that.",
		func(ctx context.Context, id uuid.UUID) error {
			return w.inSession(ctx, sessionOptions{}, func(s *session) error {
				r, err := report.Read(ctx, s.db.Reviews(), id)
				if err != nil {
					return known(err)
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
	cmd.Flags().BoolVar(&html, "html", false, "print a page of HTML")
	return cmd
}
