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
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func (w *invocation) confirmCommand() *cobra.Command {
	return w.verdictCommand(rules.Confirmed, &cobra.Command{
		Use:   "confirm DOC DOC",
		Short: "Confirm, as a person, that two documents belong together",
	})
}

func (w *invocation) rejectCommand() *cobra.Command {
	return w.verdictCommand(rules.Rejected, &cobra.Command{
		Use:   "reject DOC DOC",
		Short: "Reject, as a person, the match of two documents",
	})
}

func (w *invocation) undecideCommand() *cobra.Command {
	return w.verdictCommand(rules.Withdrawn, &cobra.Command{
		Use:   "undecide DOC DOC",
		Short: "Withdraw a verdict, and leave two documents to the rules again",
	})
}

func (w *invocation) verdictCommand(v rules.Verdict, cmd *cobra.Command) *cobra.Command {
	var o sessionOptions
	d := postgres.Decision{Verdict: v, Origin: postgres.OriginCommand}
	cmd.Args = cobra.ExactArgs(2)
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
				fmt.Fprintf(s.ErrOut, "the decision is kept: %s\n", errtext.Describe(unsent))
			}
			return errors.Join(s.Print(r, s.json), cli.Findings(unsent == nil, nil))
		})
	}
	flags := cmd.Flags()
	flags.StringVar(&d.By, "by", "", "the person who decides; the user of the operating system by default")
	flags.StringVar(&d.Note, "note", "", "a note that is kept with the decision")
	return o.add(cmd)
}

// operator names the user of the operating system.
func operator(env setup.Env) string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return cmp.Or(env("USER"), env("USERNAME"), "unknown")
}
