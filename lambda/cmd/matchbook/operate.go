package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"matchbook/lambda/document"
	"matchbook/lambda/errtext"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/schema"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) publishCommand() *cobra.Command {
	var failed failedOptions
	cmd := &cobra.Command{
		Use:   "publish ID... | --failed",
		Short: "Publish documents for matching, whatever their state, or all that failed",
		Args:  failed.args,
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
	if err := database.RefuseNewer(ctx, config.DatabaseURL); err != nil {
		return err
	}
	publisher, close, err := setup.Publisher(ctx, config)
	if err != nil {
		return err
	}
	defer close()
	if err := publisher.Publish(ctx, ids); err != nil {
		return errors.New(errtext.Describe(err))
	}
	fmt.Fprintf(w.out, "published %d documents\n", len(ids))
	return nil
}

func (w *invocation) sweepCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Repair once what crashed or got lost, as the scheduled function does",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.sweep(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

func (w *invocation) sweep(ctx context.Context, asJSON bool) error {
	config, err := setup.LoadSweep(w.env, manifest.Functions())
	if err != nil {
		return err
	}
	if err := database.RefuseNewer(ctx, config.DatabaseURL); err != nil {
		return err
	}
	sweeper, close, err := setup.Sweep(ctx, config, slog.New(slog.NewTextHandler(w.errOut, nil)), setup.Workloads())
	if err != nil {
		return err
	}
	defer close()
	report, err := sweeper.Run(ctx)
	if err != nil {
		return errors.New(errtext.Describe(err))
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
		Args:  cobra.NoArgs, // with a RunE, or else any word would do
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print as JSON")
	add := func(name, short, verb string, run func(context.Context, string) ([]schema.Migration, error)) {
		cmd.AddCommand(&cobra.Command{Use: name, Short: short, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return w.migrate(cmd.Context(), run, verb, asJSON) }})
	}
	add("up", "Apply what is missing", "applied", database.Migrate)
	add("down", "Undo the newest migration", "undone", func(ctx context.Context, url string) ([]schema.Migration, error) {
		if err := database.RefuseNewer(ctx, url); err != nil {
			return nil, err
		}
		return schema.MigrateDown(ctx, url)
	})
	add("status", "List the migrations", "", schema.Status)
	return cmd
}

func (w *invocation) migrate(ctx context.Context, run func(context.Context, string) ([]schema.Migration, error), verb string, asJSON bool) error {
	url := w.env(manifest.EnvDatabaseURL)
	if url == "" {
		return fmt.Errorf("%s is not set: the PostgreSQL database, postgres://user:password@host:5432/database", manifest.EnvDatabaseURL)
	}
	list, err := run(ctx, url)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	if asJSON {
		if list == nil {
			list = []schema.Migration{}
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
