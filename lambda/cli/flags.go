package cli

import (
	"strings"

	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"

	"github.com/spf13/cobra"
)

// ModelFlags adds --model and its flags. The help shows usual as the default of --model.
func ModelFlags(o *scripted.Flags, cmd *cobra.Command, usual string) {
	flags := cmd.Flags()
	flags.StringVar(&o.Mode, "model", "",
		"`MODE` for open questions: "+strings.Join(scripted.Modes, ", ")+" (default "+usual+")")
	flags.Float64Var(&o.Noise, "noise", 0.1, "with --model noisy: share of wrong answers, 0 to 1")
	flags.Uint64Var(&o.Faults, "faults", 0, "inject failures into calls of a stub by this `SEED` (default no failures)")
	cmd.PreRun = func(*cobra.Command, []string) { o.Noisy = flags.Changed("noise") }
}

// DatabaseFlag adds --database, which must be explicit so that a command never fills a
// database by accident.
func DatabaseFlag(cmd *cobra.Command, c *database.Choice) {
	cmd.Flags().BoolVar(&c.Named, "database", false,
		"migrate and fill the database at "+variable.DatabaseURL+" instead of a private one")
}
