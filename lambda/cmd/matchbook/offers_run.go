package main

import (
	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/offerrun"

	"github.com/spf13/cobra"
)

func (w *invocation) offersRunCommand() *cobra.Command {
	var o offerrun.Options
	cmd := &cobra.Command{
		Use:   "run DIR",
		Short: "Compose the sets of a date for a folder of users",
		Args: func(cmd *cobra.Command, args []string) error {
			return cli.Args(1, 1)(cmd, w.takeKept(args, &o.Database.Keep))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := w.takeKept(args, &o.Database.Keep)[0]
			return w.Metered(func(m *term.Meter) (bool, error) { return o.Run(cmd.Context(), dir, w.Env, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Date, "date", "", "compose the sets of this `DATE`, such as 2026-03-29 (default today in UTC)")
	flags.BoolVar(&o.Deliver, "deliver", false, "send the sets to the receiver at OFFERS_WEBHOOK_URL")
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	cli.DatabaseFlag(cmd, &o.Database)
	keepFlag(cmd, &o.Database.Keep, "keep the private database in `DIR` for the next run")
	flags.DurationVar(&o.KillEvery, "kill-every", 0,
		"kill the function's process at most once per `DURATION` of the stack's clock, such as 2s")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the kills; 0 draws one and prints it")
	flags.StringVar(&o.Logs, "logs", "", "append the logs of scheduler and function to `FILE`; - is standard error")
	return cmd
}
