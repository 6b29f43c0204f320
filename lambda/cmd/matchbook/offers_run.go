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
		Short: "Compose the sets of a date for a folder of users, through scheduler, queue and function",
		Args: func(cmd *cobra.Command, args []string) error {
			return cobra.ExactArgs(1)(cmd, w.takeKept(args, &o.Database.Keep))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := w.takeKept(args, &o.Database.Keep)[0]
			return w.Metered(func(m *term.Meter) (bool, error) { return o.Run(cmd.Context(), dir, w.Env, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Date, "date", "", "the date, such as 2026-03-29 (default today in UTC)")
	flags.BoolVar(&o.JSON, "json", false, "print the sets as JSON")
	cli.DatabaseFlag(cmd, &o.Database)
	keepFlag(cmd, &o.Database.Keep, "keep the private PostgreSQL in a folder, for the next run")
	flags.DurationVar(&o.KillEvery, "kill-every", 0,
		"kill the function's process again and again, at least this far apart on the stack's clock")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the kills; 0 draws one and prints it")
	flags.StringVar(&o.Logs, "logs", "", "append what scheduler and function log to this file; - is standard error")
	return cmd
}
