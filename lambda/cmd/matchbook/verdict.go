package main

import (
	"cmp"
	"errors"
	"fmt"
	"os/user"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func (w *invocation) confirmCommand() *cobra.Command {
	return w.verdictCommand(rules.Confirmed, &cobra.Command{
		Use:   "confirm DOC DOC",
		Short: "Confirm that two documents match",
	})
}

func (w *invocation) rejectCommand() *cobra.Command {
	return w.verdictCommand(rules.Rejected, &cobra.Command{
		Use:   "reject DOC DOC",
		Short: "Reject the match of two documents",
	})
}

func (w *invocation) undecideCommand() *cobra.Command {
	return w.verdictCommand(rules.Withdrawn, &cobra.Command{
		Use:   "undecide DOC DOC",
		Short: "Withdraw a decision about two documents",
	})
}

func (w *invocation) verdictCommand(v rules.Verdict, cmd *cobra.Command) *cobra.Command {
	var o sessionOptions
	d := matches.Decision{Verdict: v, Origin: postgres.OriginCommand}
	cmd.Args = cli.Args(2, 2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return w.inSession(cmd.Context(), o, func(s *session) error {
			queue, err := s.matchQueue()
			if err != nil {
				return err
			}
			d.By = cmp.Or(d.By, operator(w.Env))
			r, stamped, err := explain.NewReader(s.ctx, s.db).Decide(args, d)
			unsent := job.Send(s.ctx, queue, stamped)
			if err != nil {
				return err
			}
			if unsent != nil {
				fmt.Fprintf(s.ErrOut, "decision stored: %s\n", errtext.Describe(unsent))
			}
			return errors.Join(s.Print(r, s.json), cli.Findings(unsent == nil, nil))
		})
	}
	flags := cmd.Flags()
	flags.StringVar(&d.By, "by", "", "record the decision under this `NAME` (default the operating system's user)")
	flags.StringVar(&d.Note, "note", "", "store this `TEXT` with the decision")
	return o.add(cmd)
}

func operator(env setup.Env) string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return cmp.Or(env("USER"), env("USERNAME"), "unknown")
}
