package main

import (
	"matchbook/lambda/explain"
	"matchbook/lambda/match"

	"github.com/spf13/cobra"
)

const verdictLong = `

A verdict is kept until the other command is run for the pair, however often
its documents are matched again, and whatever their evidence. All pairs that
compete with this one are decided again, so other matches of the two documents
may come or go; it is printed which. To say the same again changes nothing.

Refused are documents of different tenants, and of types that are never
matched with each other.

` + whichDocument + `

--json:
  verdict        confirmed or rejected
  changed        whether it is news
  a, b           the documents: {id, type, number}
  before, now    the pair, as in "matchbook explain --json"; before is null if
                 nothing was stored
  appeared       [{a, b, score, decided_by}], other matches of the two
  vanished       the same
  clusters       [{document, before, now}], each cluster [{id, type, number}]`

func (w *invocation) confirmCommand() *cobra.Command {
	return w.verdictCommand(match.Confirmed, &cobra.Command{
		Use:   "confirm DOC DOC",
		Short: "Say as a person that two documents belong together",
		Long:  "Confirm makes two documents a match, whatever the rules say." + verdictLong,
		Example: `  matchbook confirm 4500000130 WK-9051
  matchbook confirm 4500000130 WK-9051 --keep --json`,
	})
}

func (w *invocation) rejectCommand() *cobra.Command {
	return w.verdictCommand(match.Rejected, &cobra.Command{
		Use:   "reject DOC DOC",
		Short: "Say as a person that two documents do not belong together",
		Long:  "Reject makes two documents no match, whatever the rules say." + verdictLong,
		Example: `  matchbook reject RE-2026/0042 GS-2026/0007
  matchbook reject RE-2026/0042 GS-2026/0007 --keep --json`,
	})
}

func (w *invocation) verdictCommand(v match.Verdict, cmd *cobra.Command) *cobra.Command {
	var o sessionOptions
	cmd.Args = cobra.ExactArgs(2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return w.inSession(cmd.Context(), o, func(d *session) error { return d.print(explain.NewReader(d.ctx, d.db).Settle(args, v)) })
	}
	return o.add(cmd)
}
