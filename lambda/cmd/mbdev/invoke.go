package main

import (
	"os"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/matchrun"

	"github.com/spf13/cobra"
)

const sampleDocuments = "testdata/documents"

func (w *invocation) invokeCommand() *cobra.Command {
	var o matchrun.Single
	cmd := &cobra.Command{
		Use:   "invoke -e FILE",
		Short: "Invoke the match function once with an SQS event",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(o.Documents); err != nil && !cmd.Flags().Changed("documents") {
				o.Documents = ""
			}
			return w.Metered(func(m *term.Meter) (bool, error) {
				return o.Run(cmd.Context(), w.Env, cmd.InOrStdin(), w.Out, m)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.Event, "event", "e", "", "read the event from `FILE`; - is standard input (required)")
	flags.StringVar(&o.Documents, "documents", sampleDocuments,
		"import the documents in `DIR` first; the default is skipped if missing")
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	flags.StringVar(&o.Logs, "logs", "", "append the function's logs to `FILE`; - is standard error")
	cli.DatabaseFlag(cmd, &o.Database)
	cli.Need(cmd, "event")
	return cmd
}
