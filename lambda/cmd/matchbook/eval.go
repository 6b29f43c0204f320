package main

import (
	"context"

	"matchbook/lambda/rehearsal/measure"
	"matchbook/lambda/rehearsal/model"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

func (w *invocation) evalCommand() *cobra.Command {
	var o measure.Options
	cmd := &cobra.Command{
		Use:   "eval DIR...",
		Short: "Measure the matches of a corpus against its true links",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return w.eval(cmd.Context(), args, o) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.Conditions, "condition", []string{"visible"},
		"visible, corrupted, masked or all; several by commas, or again")
	flags.BoolVar(&o.JSON, "json", false, "print the reports as one JSON array")
	flags.IntVar(&o.Worst, "worst", 10, "show this many wrong matches and this many missed links, the worst first")
	flags.IntVar(&o.Limit, "limit", 0, "take only the first so many documents; 0 takes all")
	flags.Uint64Var(&o.Shuffle, "shuffle", 0, "shuffle the order of arrival by this seed, after --limit; 0 keeps it")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the noise")
	modelFlags(&o.Model, cmd, model.None)
	return cmd
}

func (w *invocation) eval(ctx context.Context, dirs []string, o measure.Options) error {
	m := term.NewMeter(w.errOut)
	defer m.Close()
	return findings(o.Run(ctx, dirs, w.env, w.out, m))
}
