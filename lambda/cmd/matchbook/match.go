package main

import (
	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/matchrun"

	"github.com/spf13/cobra"
)

func (w *invocation) matchCommand() *cobra.Command {
	var o matchrun.Folder
	var sheet sheetFlags
	cmd := &cobra.Command{
		Use:   "match DIR",
		Short: "Run a folder of documents through the line, and print matches",
		Args: func(cmd *cobra.Command, args []string) error {
			return cobra.ExactArgs(1)(cmd, w.takeKept(args, &o.Database.Keep))
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Sheet, err = sheet.sheet(); err != nil {
				return err
			}
			o.Dir = w.takeKept(args, &o.Database.Keep)[0]
			return w.Metered(func(m *term.Meter) (bool, error) { return o.Run(cmd.Context(), w.Env, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.JSON, "json", false, "print the report as JSON")
	flags.BoolVar(&o.Verbose, "verbose", false, "print the evidence of each match and open question, too")
	sheet.add(cmd)
	cli.DatabaseFlag(cmd, &o.Database)
	keepFlag(cmd, &o.Database.Keep, "keep the private PostgreSQL in a folder, for the next run")
	flags.BoolVar(&o.Again, "again", false, "match documents again that succeeded in an earlier run on the same database")
	flags.DurationVar(&o.KillEvery, "kill-every", 0,
		"kill the function's process again and again, at least this far apart on the stack's clock")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the kills and of the noise; 0 draws one and prints it")
	flags.IntVar(&o.Concurrency, "concurrency", 4, "invocations at the same time")
	flags.StringVar(&o.Logs, "logs", "", "append what the function logs to this file; - is standard error")
	flags.StringVar(&o.SlackLog, "slack-log", "",
		"use a local receiver as Slack, and append its messages to this file")
	cli.ModelFlags(&o.Model, cmd, "openai with a key, else none")
	return cmd
}
