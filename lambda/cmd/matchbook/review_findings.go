package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/job"
	"matchbook/lambda/local/reviewrun"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// findingFlags are the flags of review findings.
type findingFlags struct {
	sessionOptions
	severity, analyst, state      string
	reason, comment, assignee, by string
}

func (w *invocation) reviewFindingsCommand() *cobra.Command {
	var o findingFlags
	cmd := &cobra.Command{
		Use:   "findings DOC [ACTION NUMBER...]",
		Short: "Show the findings of a review, or decide about some",
		Args:  cli.Args(1, 1_000),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := report.NewFilter(o.severity, o.analyst, o.state)
			if err != nil {
				return fmt.Errorf("--%w", err)
			}
			if len(args) == 1 {
				return w.showFindings(cmd.Context(), o, args[0], filter)
			}
			return w.actOnFindings(cmd.Context(), o, args[0], args[1], args[2:])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.severity, "severity", "", "show only these `SEVERITIES`, such as critical,high")
	flags.StringVar(&o.analyst, "analyst", "", "show only findings of these `ANALYSTS`, such as payment")
	flags.StringVar(&o.state, "state", "", "show only findings in these `STATES`: open, accepted, rejected")
	flags.StringVar(&o.reason, "reason", "", "store this `TEXT` with a decision; required to reject")
	flags.StringVar(&o.comment, "comment", "", "the `TEXT` of a comment")
	flags.StringVar(&o.assignee, "assignee", "", "assign to this `NAME`, otherwise to nobody")
	flags.StringVar(&o.by, "by", "", "record the action under this `NAME` (default the operating system's user)")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (w *invocation) showFindings(ctx context.Context, o findingFlags, of string, f report.Filter) error {
	return w.inSession(ctx, o.sessionOptions, func(s *session) error {
		r, err := s.review(of)
		if err != nil {
			return err
		}
		return s.Print(reviewrun.SomeFindings(r, f), o.json)
	})
}

// actOnFindings acts on all numbered findings, or on none if one is unknown.
func (w *invocation) actOnFindings(ctx context.Context, o findingFlags, of string, action string, numbers []string) error {
	a := record.Action{Kind: record.ActionKind(action), Text: o.reason, By: cmp.Or(o.by, operator(w.Env)), Origin: postgres.OriginCommand}
	switch a.Kind {
	case record.Comment:
		a.Text = o.comment
	case record.Assign:
		a.Text = o.assignee
	}
	if err := a.Check(); err != nil {
		return err
	}
	if len(numbers) == 0 {
		return fmt.Errorf("missing number of a finding, such as %s F3", action)
	}
	return w.inSession(ctx, o.sessionOptions, func(s *session) error {
		r, err := s.review(of)
		if err != nil {
			return err
		}
		var refs []record.Ref
		for _, number := range numbers {
			ref, err := numbered(r, number)
			if err != nil {
				return explain.Errorf("%w", err)
			}
			refs = append(refs, ref)
		}
		var done reviewrun.Findings
		for _, ref := range refs {
			d, err := reviews.New(s.db).Act(ctx, r.Job.ID, ref, record.Request{Action: a, Form: uuid.New()})
			if errors.Is(err, record.ErrObsolete) {
				return explain.Errorf("%w: F%d", err, ref.Number)
			}
			if err != nil {
				return err
			}
			for _, f := range r.Findings {
				if f.Number == ref.Number {
					done = append(done, report.Finding{Finding: f, Disposition: d})
				}
			}
		}
		return s.Print(done, o.json)
	})
}

// review reads a review; see reviewOf.
func (s *session) review(of string) (r report.Review, err error) {
	id, err := s.reviewOf(of)
	if err != nil {
		return r, err
	}
	r, err = report.Read(s.ctx, reviews.New(s.db), id)
	if errors.Is(err, job.ErrNotFound) {
		err = explain.Errorf("review not found: %s", id)
	}
	return r, err
}

// numbered finds a finding by its number, F3 or 3.
func numbered(r report.Review, number string) (record.Ref, error) {
	ref, err := record.ParseRef("F" + strings.TrimLeft(number, "fF"))
	if err != nil {
		return ref, err
	}
	for _, f := range r.Findings {
		if f.Number == ref.Number {
			return ref, nil
		}
	}
	if !r.Job.Status.Over() {
		return ref, fmt.Errorf("unknown finding F%d: findings get numbers when the review ends", ref.Number)
	}
	return ref, fmt.Errorf("unknown finding F%d", ref.Number)
}
