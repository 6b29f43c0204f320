package main

import (
	"matchbook/lambda/explain"
	"matchbook/lambda/rules"

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

func (w *invocation) verdictCommand(v rules.Verdict, cmd *cobra.Command) *cobra.Command {
	var o sessionOptions
	cmd.Args = cobra.ExactArgs(2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return w.inSession(cmd.Context(), o, func(s *session) error {
			return s.report(explain.NewReader(s.ctx, s.db).Settle(args, v))
		})
	}
	return o.add(cmd)
}
