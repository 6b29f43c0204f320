package main

import (
	"encoding/json"

	"matchbook/lambda/cli"
	"matchbook/lambda/manifest/contract"

	"github.com/spf13/cobra"
)

func (w *invocation) manifestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "manifest",
		Short: "Print the functions' settings, variables and permissions as JSON",
		Args:  cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			out := json.NewEncoder(w.Out)
			out.SetIndent("", "  ")
			out.SetEscapeHTML(false)
			return out.Encode(contract.Describe(release))
		},
	}
}
