package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func (w *invocation) sweepCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Repair crashed and lost work once",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.sweep(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (w *invocation) sweep(ctx context.Context, asJSON bool) error {
	config, err := setup.LoadSweep(w.Env, manifest.Functions())
	if err != nil {
		return fmt.Errorf("%w\nwith matchbook serve, nothing is to be set: its process has the queues, and sweeps while it runs", err)
	}
	if err := database.RefuseNewer(ctx, config.DatabaseURL); err != nil {
		return err
	}
	sweeper, close, err := setup.Sweep(ctx, config, slog.New(slog.NewTextHandler(w.ErrOut, nil)), setup.Workloads())
	if err != nil {
		return err
	}
	defer close()
	report, err := sweeper.Run(ctx)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	if asJSON {
		return json.NewEncoder(w.Out).Encode(report)
	}
	fmt.Fprintf(w.Out, "overdue %d (messages in the queue %d): published %d inserted, "+
		"republished %d overdue and %d abandoned; failed %d as lost, %d as crashed\n",
		report.Overdue, report.Backlog, report.Inserted, report.Republished, report.Recovered, report.Lost, report.Crashed)
	if report.Settled > 0 {
		fmt.Fprintf(w.Out, "dropped %s with nothing left to do\n", plural.Of(report.Settled, "dead letter"))
	}
	return nil
}
