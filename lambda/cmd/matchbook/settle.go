package main

import (
	"cmp"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"

	"github.com/spf13/cobra"
)

func (w *invocation) settleCommand() *cobra.Command {
	var o sessionOptions
	answer := matches.Settlement{Origin: postgres.OriginCommand}
	cmd := o.add(&cobra.Command{
		Use:   "settle KIND DOC [DOC] | ACTION INVOICE",
		Short: "Settle a warning, or approve, hold or dispute an invoice",
		Args:  cli.Args(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.inSession(cmd.Context(), o, func(s *session) error {
				answer.Kind, answer.By = warning.Kind(args[0]), cmp.Or(answer.By, operator(w.Env))
				if action := threeway.Action(args[0]); action.State() != "" && len(args) == 2 {
					r, err := explain.NewReader(s.ctx, s.db).SettleInvoice(args[1], matches.InvoiceAction{
						Action: action, Reason: answer.Reason, By: answer.By, Origin: answer.Origin})
					if err != nil {
						return err
					}
					return s.Print(r, s.json)
				}
				r, err := explain.NewReader(s.ctx, s.db).Settle(args[1:], answer)
				if err != nil {
					return err
				}
				return s.Print(r, s.json)
			})
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&answer.Verdict, "verdict", "", "store what was found, such as is-a-copy; one of the kind's `VERDICT`s")
	flags.StringVar(&answer.Reason, "reason", "", "store this `TEXT` with the name")
	flags.StringVar(&answer.By, "by", "", "record the answer under this `NAME` (default the operating system's user)")
	return cmd
}
