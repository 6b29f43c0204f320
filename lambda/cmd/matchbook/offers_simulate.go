package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/offerrun/simulate"
	"matchbook/lambda/offer/day"

	"github.com/spf13/cobra"
)

func (w *invocation) offersSimulateCommand() *cobra.Command {
	var zones, from, html string
	var asJSON bool
	var o simulate.Options
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Let days of match offers pass in seconds, with crashes, outages and travellers, and examine each promise",
		Long: "Simulate needs nothing: time, database, queue and users are simulated; scheduler, runtime and ranking are the\n" +
			"real ones. Two schedulers have wrong clocks, workers die, messages come late, twice and out of order, users\n" +
			"travel, jobs are published by hand, and there is an outage of 8 hours and, in more than 10 days, one of 3 days.\n" +
			"The same options give the same days. Exit status: 0 all promises were kept, 1 one was broken, 2 it could not run.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.From, err = day.Parse(from); err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			if o.Zones = strings.Split(zones, ","); zones == "all" {
				o.Zones = day.Zones()
			}
			return w.simulate(cmd.Context(), o, html, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Users, "users", 1000, "users at the beginning")
	flags.IntVar(&o.Days, "days", 30, "days")
	flags.StringVar(&zones, "zones", "all", "time zones of users: all, or names such as Europe/Berlin,Asia/Kathmandu")
	flags.StringVar(&from, "from", "2026-01-01", "the first date")
	flags.Uint64Var(&o.Seed, "seed", 1, "of all that is random")
	flags.StringVar(&html, "html", "", "write zones and days as a heat map to this file, as a page")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func (w *invocation) simulate(ctx context.Context, o simulate.Options, html string, asJSON bool) error {
	m := term.NewMeter(w.errOut)
	progress := make(chan string, 1)
	progress <- "simulating"
	o.Progress = func(done int, r *simulate.Result) {
		<-progress
		progress <- fmt.Sprintf("day %d of %d, %d sets, %d skipped, %d promises broken", max(done, 0), r.Days, r.Completed,
			r.Skipped, r.Broken)
	}
	m.Watch(func() string {
		text := <-progress
		progress <- text
		return text
	})
	r, err := simulate.Run(ctx, o)
	m.Close()
	if err != nil {
		return err
	}
	if html != "" {
		page, err := r.Page()
		if err != nil {
			return err
		}
		if err := os.WriteFile(html, page, 0o600); err != nil {
			return err
		}
	}
	return findings(r.Kept(), w.print(r, asJSON))
}
