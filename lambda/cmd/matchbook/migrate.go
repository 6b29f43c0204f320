package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/schema"

	"github.com/spf13/cobra"
)

// migration is a step on the database at a URL. It returns the migrations concerned.
type migration func(ctx context.Context, url string) ([]schema.Migration, error)

func (w *invocation) migrateCommand() *cobra.Command {
	cmd := group("migrate", "Migrate the database schema")
	var asJSON bool
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	add := func(name, short, verb string, run migration) {
		cmd.AddCommand(&cobra.Command{Use: name, Short: short, Args: cli.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return w.migrate(cmd.Context(), run, verb, asJSON) }})
	}
	add("up", "Apply all pending migrations", "applied", database.Migrate)
	add("down", "Undo the newest migration", "undone", database.MigrateDown)
	add("status", "List the migrations", "", schema.Status)
	return cmd
}

func (w *invocation) migrate(ctx context.Context, run migration, verb string, asJSON bool) error {
	url := w.Env(variable.DatabaseURL)
	if url == "" {
		return fmt.Errorf("missing %s: set it to postgres://user:password@host:5432/database",
			variable.DatabaseURL)
	}
	list, err := run(ctx, url)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	if hint, err := schema.RoleHint(ctx, url); err == nil && hint != "" {
		fmt.Fprintln(w.ErrOut, hint)
	}
	if asJSON {
		if list == nil {
			list = []schema.Migration{}
		}
		return json.NewEncoder(w.Out).Encode(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(w.Out, "nothing to do")
	}
	for _, m := range list {
		state := verb
		if verb == "" {
			state = "not applied"
			if !m.AppliedAt.IsZero() {
				state = "applied " + m.AppliedAt.Format("2006-01-02 15:04:05Z07:00")
			}
		}
		fmt.Fprintf(w.Out, "%s  %s\n", m.Name, state)
	}
	return nil
}
