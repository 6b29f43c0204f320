package main

import (
	"os"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/matchrun"

	"github.com/spf13/cobra"
)

// sampleDocuments is the default of --documents.
const sampleDocuments = "testdata/documents"

func (w *invocation) invokeCommand() *cobra.Command {
	var o matchrun.Single
	cmd := &cobra.Command{
		Use:   "invoke -e FILE",
		Short: "Invoke the function once with an SQS event, as sam local invoke does, without Docker",
		Args:  cobra.NoArgs,
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
	flags.StringVarP(&o.Event, "event", "e", "", "file with the event; - is standard input")
	flags.StringVar(&o.Documents, "documents", sampleDocuments,
		"folder of documents to import first; the default counts only if it exists")
	flags.BoolVar(&o.JSON, "json", false, "print the outcome as JSON")
	flags.StringVar(&o.Logs, "logs", "", "append what the function logs to this file; - is standard error")
	cli.DatabaseFlag(cmd, &o.Database)
	_ = cmd.MarkFlagRequired("event") // fails only for a flag that is not there
	return cmd
}
