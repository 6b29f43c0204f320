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
		Short: "Measure matches or reviews against the truth",
		Args:  cli.Args(1, cli.Many),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ofContracts {
				return w.evalContracts(cmd, args, o)
			}
			return w.Metered(func(m *term.Meter) (bool, error) { return o.Run(cmd.Context(), args, w.Env, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&ofContracts, "contracts", false, "measure the categories of reviews; DIR has labelled contracts")
	flags.StringSliceVar(&o.Conditions, "condition", []string{"visible"},
		"`CONDITION` to measure: visible, corrupted, masked or all; repeat or separate by commas")
	flags.BoolVar(&o.JSON, "json", false, "print one JSON array")
	flags.IntVar(&o.Worst, "worst", 10, "show this many wrong matches and missed links, the worst first")
	flags.IntVar(&o.Limit, "limit", 0, "use only the first `N` documents (default all)")
	flags.Uint64Var(&o.Shuffle, "shuffle", 0, "shuffle the order of arrival by this `SEED`, after --limit (default unshuffled)")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the noise")
	cli.ModelFlags(&o.Model, cmd, scripted.ModeNone)
	return cmd
}

func (w *invocation) evalContracts(cmd *cobra.Command, dirs []string, o matcheval.Options) error {
	for _, flag := range []string{"condition", "worst", "limit", "shuffle", "seed", "noise", "faults"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s and --contracts are mutually exclusive: use one of them", flag)
		}
	}
	if len(dirs) > 1 {
		return errors.New("too many arguments: --contracts takes one DIR")
	}
	of := contracts.Options{Model: o.Model, JSON: o.JSON}
	return w.Metered(func(m *term.Meter) (bool, error) { return of.Run(cmd.Context(), dirs[0], w.Env, w.Out, m) })
}
