package main

import (
	"strings"

	"matchbook/lambda/local/matchrun/model"

	"github.com/spf13/cobra"
)

// modelFlags adds the flags of --model.
func modelFlags(o *model.Options, cmd *cobra.Command, usual string) {
	flags := cmd.Flags()
	flags.StringVar(&o.Mode, "model", "",
		strings.Join(model.Modes, ", ")+": decides the pairs that rules leave open (default "+usual+")")
	flags.Float64Var(&o.Noise, "noise", 0.1, "share of the answers that are wrong; --model noisy only")
	flags.Uint64Var(&o.Faults, "faults", 0, "make scripted calls fail by this seed; 0: none fails")
	cmd.PreRun = func(*cobra.Command, []string) { o.Noisy = flags.Changed("noise") }
}
