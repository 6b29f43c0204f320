package cli

import (
	"strings"

	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"

	"github.com/spf13/cobra"
)

// ModelFlags adds the flags of --model, with the default as it is shown.
func ModelFlags(o *scripted.Flags, cmd *cobra.Command, usual string) {
	flags := cmd.Flags()
	flags.StringVar(&o.Mode, "model", "",
		strings.Join(scripted.Modes, ", ")+": decides the pairs that rules leave open (default "+usual+")")
	flags.Float64Var(&o.Noise, "noise", 0.1, "share of the answers that are wrong; --model noisy only")
	flags.Uint64Var(&o.Faults, "faults", 0, "make scripted calls fail by this seed; 0: none fails")
	cmd.PreRun = func(*cobra.Command, []string) { o.Noisy = flags.Changed("noise") }
}

// DatabaseFlag adds --database.
func DatabaseFlag(cmd *cobra.Command, c *database.Choice) {
	cmd.Flags().BoolVar(&c.Named, "database", false,
		"migrate and fill the database that "+variable.DatabaseURL+" names, not a private one")
}
