package main

import (
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/offerrun"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/spf13/cobra"
)

// maxSimulated bounds the memory of a simulation.
const maxSimulated = 366

func (w *invocation) offersSimulateCommand() *cobra.Command {
	o := offerrun.SimulateOptions{Settings: roster.Usual()}
	var version, against int
	var change func(*roster.Settings) error
	cmd := &cobra.Command{
		Use:   "simulate DIR",
		Short: "Try the ranking on a folder of users, without a database",
		Args:  cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Versions = []int{version}
			if cmd.Flags().Changed("against") {
				o.Versions = append(o.Versions, against)
			}
			for i, v := range o.Versions {
				if v < 1 || v > ranking.Current {
					return fmt.Errorf("--%s: expected a version from 1 to %d", []string{"version", "against"}[i], ranking.Current)
				}
			}
			if o.Days < 1 || o.Days > maxSimulated {
				return fmt.Errorf("--days: expected a number from 1 to %d", maxSimulated)
			}
			if err := change(&o.Settings); err != nil {
				return err
			}
			return w.Metered(func(m *term.Meter) (bool, error) { return o.Simulate(cmd.Context(), args[0], w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Date, "date", "", "begin with this `DATE`, such as 2026-03-29 (default today in UTC)")
	flags.IntVar(&o.Days, "days", 28, "simulate `N` dates")
	flags.IntVar(&version, "version", ranking.Current, "use version `N` of the ranking")
	flags.IntVar(&against, "against", 0, "compare with version `N` of the ranking")
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	change = choiceFlags(cmd, "rest-days", "delivery-hour") // change no set without answers
	return cmd
}
