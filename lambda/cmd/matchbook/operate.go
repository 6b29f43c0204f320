package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"matchbook/lambda/document"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) publishCommand() *cobra.Command {
	var failed failedOptions
	cmd := &cobra.Command{
		Use:   "publish ID... | --failed",
		Short: "Publish documents for matching, whatever their state, or all that failed",
		Long: `Publish makes documents pending and sends a message for each. A worker that has
one of them loses it. It needs DATABASE_URL, MATCH_QUEUE_URL (or QUEUE_URL) and
the AWS variables.

With --failed it publishes again what failed, once the cause is mended: all, or
by the kind of failure, its time and the tenant. It goes in batches of ` + fmt.Sprint(failedBatch) + `: one
is made pending and its messages are sent before the next. Interrupted, it
finishes its batch; run it again for the rest. What failed again meanwhile, or
was published by others, is skipped. What is unsent is pending, and the sweep
sends it: then it stops, and ends with status 1. --dry-run needs DATABASE_URL
only, counts by kind, shows the first ` + fmt.Sprint(failedShown) + ` of each, and changes nothing.

--json of --failed:
  dry_run, selected, published, unsent, skipped, left (not tried)
  kinds          {kind: count} of what was selected
  examples       [{kind, id, tenant_id, error}], with --dry-run`,
		Example: `  matchbook publish 10000000-0000-4000-8000-000000000101
  matchbook publish --failed --dry-run
  matchbook publish --failed --kind permanent --since 2h
  matchbook publish --failed --since 2026-03-02T09:00:00Z --tenant 10000000-0000-4000-8000-000000000001 --json`,
		Args: failed.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if failed.on {
				return w.publishFailed(cmd.Context(), failed)
			}
			ids := make([]uuid.UUID, len(args))
			for i, arg := range args {
				id, err := document.ParseID(arg)
				if err != nil {
					return fmt.Errorf("%.50q is %w", arg, err)
				}
				ids[i] = id
			}
			return w.publish(cmd.Context(), ids)
		},
	}
	failed.add(cmd)
	return cmd
}

func (w *invocation) publish(ctx context.Context, ids []uuid.UUID) error {
	config, err := setup.LoadPublisher(w.env)
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, config.DatabaseURL); err != nil {
		return err
	}
	publisher, close, err := setup.Publisher(ctx, config)
	if err != nil {
		return err
	}
	defer close()
	if err := publisher.Publish(ctx, ids); err != nil {
		return errors.New(describe(err))
	}
	fmt.Fprintf(w.out, "published %d documents\n", len(ids))
	return nil
}

func (w *invocation) sweepCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Repair once what crashed or got lost, as the scheduled function does",
		Long: `Sweep publishes what was inserted and never published, what is pending although
the queue has come to later messages, and what is in progress although its
lease ended. It fails, with a notification, what that did not help. In a
healthy system it finds nothing. It needs the same variables as publish.`,
		Example: "  matchbook sweep --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return w.sweep(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

func (w *invocation) sweep(ctx context.Context, asJSON bool) error {
	config, err := setup.LoadSweep(w.env, manifest.Functions())
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, config.DatabaseURL); err != nil {
		return err
	}
	sweeper, close, err := setup.Sweep(ctx, config, slog.New(slog.NewTextHandler(w.errOut, nil)), setup.Workloads())
	if err != nil {
		return err
	}
	defer close()
	report, err := sweeper.Run(ctx)
	if err != nil {
		return errors.New(describe(err))
	}
	if asJSON {
		return json.NewEncoder(w.out).Encode(report)
	}
	fmt.Fprintf(w.out, "overdue %d (messages in the queue %d): published %d inserted, again %d overdue and %d left by their worker; failed %d as lost, %d as crashed\n",
		report.Overdue, report.Backlog, report.Inserted, report.Republished, report.Recovered, report.Lost, report.Crashed)
	return nil
}

func (w *invocation) migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of the database at DATABASE_URL up to date, or back",
		Example: `  DATABASE_URL=postgres://localhost/dev matchbook migrate up
  matchbook migrate status --json
  matchbook migrate down      # undoes the newest one`,
		Args: cobra.NoArgs, // with a RunE, or else any word would do
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print as JSON")
	add := func(name, short, verb string, run func(context.Context, string) ([]postgres.Migration, error)) {
		cmd.AddCommand(&cobra.Command{Use: name, Short: short, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return w.migrate(cmd.Context(), run, verb, asJSON) }})
	}
	add("up", "Apply what is missing", "applied", migrateKnown)
	add("down", "Undo the newest migration", "undone", func(ctx context.Context, url string) ([]postgres.Migration, error) {
		if err := refuseNewer(ctx, url); err != nil {
			return nil, err
		}
		return postgres.MigrateDown(ctx, url)
	})
	add("status", "List the migrations", "", postgres.MigrationStatus)
	return cmd
}

func (w *invocation) migrate(ctx context.Context, run func(context.Context, string) ([]postgres.Migration, error), verb string, asJSON bool) error {
	url := w.env(manifest.EnvDatabaseURL)
	if url == "" {
		return fmt.Errorf("%s is not set: the PostgreSQL database, postgres://user:password@host:5432/database", manifest.EnvDatabaseURL)
	}
	list, err := run(ctx, url)
	if err != nil {
		return errors.New(describe(err))
	}
	if asJSON {
		if list == nil {
			list = []postgres.Migration{}
		}
		return json.NewEncoder(w.out).Encode(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(w.out, "nothing to do")
	}
	for _, m := range list {
		state := verb
		if verb == "" {
			state = "not applied"
			if !m.AppliedAt.IsZero() {
				state = "applied " + m.AppliedAt.Format("2006-01-02 15:04:05Z07:00")
			}
		}
		fmt.Fprintf(w.out, "%s  %s\n", m.Name, state)
	}
	return nil
}
