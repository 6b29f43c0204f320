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
		Short: "Match a folder of documents on this machine",
		Args: func(cmd *cobra.Command, args []string) error {
			return cli.Args(1, 1)(cmd, w.takeKept(args, &o.Database.Keep))
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
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	flags.BoolVar(&o.Verbose, "verbose", false, "print the evidence for each match and open question")
	sheet.add(cmd)
	cli.DatabaseFlag(cmd, &o.Database)
	keepFlag(cmd, &o.Database.Keep, "keep the private database in `DIR` for the next run")
	flags.BoolVar(&o.Again, "again", false, "rematch documents already matched in an earlier run on the same database")
	flags.DurationVar(&o.KillEvery, "kill-every", 0,
		"kill the function's process at most once per `DURATION` of the stack's clock, such as 2s")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of kills and noise; 0 draws one and prints it")
	flags.IntVar(&o.Concurrency, "concurrency", 4, "maximum number of concurrent invocations")
	flags.StringVar(&o.Logs, "logs", "", "append the function's logs to `FILE`; - is standard error")
	flags.StringVar(&o.SlackLog, "slack-log", "",
		"send to a local receiver instead of Slack, and append its messages to `FILE`")
	cli.ModelFlags(&o.Model, cmd, "openai if a key is set, otherwise none")
	return cmd
}
