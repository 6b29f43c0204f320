package main

import (
	"errors"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/eval/matcheval"
	contracts "matchbook/lambda/eval/revieweval"
	"matchbook/lambda/local/scripted"

	"github.com/spf13/cobra"
)

func (w *invocation) evalCommand() *cobra.Command {
	var o matcheval.Options
	ofContracts := false
	cmd := &cobra.Command{
		Use:   "eval DIR...",
		Short: "Measure matches against true links, or reviews against labels",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ofContracts {
				return w.evalContracts(cmd, args, o)
			}
			return w.Metered(func(m *term.Meter) (bool, error) { return o.Run(cmd.Context(), args, w.Env, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&ofContracts, "contracts", false, "DIR has contracts with labels: measure the categories of a review")
	flags.StringSliceVar(&o.Conditions, "condition", []string{"visible"},
		"visible, corrupted, masked or all; several by commas, or again")
	flags.BoolVar(&o.JSON, "json", false, "print the reports as one JSON array")
	flags.IntVar(&o.Worst, "worst", 10, "show this many wrong matches and this many missed links, the worst first")
	flags.IntVar(&o.Limit, "limit", 0, "take only the first so many documents; 0 takes all")
	flags.Uint64Var(&o.Shuffle, "shuffle", 0, "shuffle the order of arrival by this seed, after --limit; 0 keeps it")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the noise")
	cli.ModelFlags(&o.Model, cmd, scripted.ModeNone)
	return cmd
}

// evalContracts measures the review of contracts.
func (w *invocation) evalContracts(cmd *cobra.Command, dirs []string, o matcheval.Options) error {
	for _, flag := range []string{"condition", "worst", "limit", "shuffle", "seed", "noise", "faults"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for matches, not for --contracts", flag)
		}
	}
	if len(dirs) > 1 {
		return errors.New("--contracts takes one DIR")
	}
	of := contracts.Options{Model: o.Model, JSON: o.JSON}
	return w.Metered(func(m *term.Meter) (bool, error) { return of.Run(cmd.Context(), dirs[0], w.Env, w.Out, m) })
}
