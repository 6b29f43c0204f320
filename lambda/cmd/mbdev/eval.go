package main

import (
	"errors"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/eval/ingesteval"
	"matchbook/lambda/eval/matcheval"
	contracts "matchbook/lambda/eval/revieweval"
	"matchbook/lambda/local/scripted"

	"github.com/spf13/cobra"
)

func (w *invocation) evalCommand() *cobra.Command {
	var o matcheval.Options
	ofContracts, ofFiles := false, false
	cmd := &cobra.Command{
		Use:   "eval DIR...",
		Short: "Measure matches, reviews or files against the truth",
		Args:  cli.Args(1, cli.Many),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ofContracts {
				return w.evalContracts(cmd, args, o)
			}
			if ofFiles {
				return w.evalFiles(cmd, args, o.JSON)
			}
			return w.Metered(func(m *term.Meter) (bool, error) { return o.Run(cmd.Context(), args, w.Env, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&ofContracts, "contracts", false, "measure the categories of reviews; DIR has labelled contracts")
	flags.BoolVar(&ofFiles, "files", false, "measure the reading of pages; DIR has PDFs with an e-invoice")
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
	if err := alone(cmd, "contracts", "files"); err != nil {
		return err
	}
	if len(dirs) > 1 {
		return errors.New("too many arguments: --contracts takes one DIR")
	}
	of := contracts.Options{Model: o.Model, JSON: o.JSON}
	return w.Metered(func(m *term.Meter) (bool, error) { return of.Run(cmd.Context(), dirs[0], w.Env, w.Out, m) })
}

func (w *invocation) evalFiles(cmd *cobra.Command, dirs []string, asJSON bool) error {
	if err := alone(cmd, "files", "contracts", "model"); err != nil {
		return err
	}
	of := ingesteval.Options{JSON: asJSON}
	return w.Metered(func(m *term.Meter) (bool, error) { return of.Run(cmd.Context(), dirs, w.Out, m) })
}

// alone refuses flags that mean nothing next to one.
func alone(cmd *cobra.Command, one string, others ...string) error {
	for _, flag := range append(others, "condition", "worst", "limit", "shuffle", "seed", "noise", "faults") {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s and --%s are mutually exclusive: use one of them", flag, one)
		}
	}
	return nil
}
