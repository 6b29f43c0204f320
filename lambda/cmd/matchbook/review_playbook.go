package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"matchbook/lambda/cli"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/playbook"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) reviewPlaybookCommand() *cobra.Command {
	return group("playbook", "Set or show the playbook of a tenant",
		ofTenant("set --tenant ID FILE", "Store the playbook of a tenant", 1,
			func(ctx context.Context, tenant uuid.UUID, args []string) error {
				return w.setPlaybook(ctx, tenant, args[0])
			}),
		ofTenant("show --tenant ID", "Print the playbook of a tenant", 0,
			func(ctx context.Context, tenant uuid.UUID, _ []string) error { return w.showPlaybook(ctx, tenant) }))
}

// ofTenant returns a command on one tenant, with a required --tenant.
func ofTenant(use, short string, args int, run func(context.Context, uuid.UUID, []string) error) *cobra.Command {
	var tenant string
	cmd := &cobra.Command{Use: use, Short: short, Args: cli.Args(args, args),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := document.ParseID(tenant)
			if err != nil {
				return fmt.Errorf("--tenant: %w", err)
			}
			return run(cmd.Context(), id, args)
		}}
	cmd.Flags().StringVar(&tenant, "tenant", "", "the `ID` of the tenant (required)")
	cli.Need(cmd, "tenant")
	return cmd
}

func (w *invocation) setPlaybook(ctx context.Context, tenant uuid.UUID, file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p, err := playbook.Parse(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return w.inSession(ctx, sessionOptions{}, func(s *session) error {
		err := reviews.New(s.db).PutPlaybook(ctx, tenant, raw)
		if err == nil {
			fmt.Fprintf(w.Out, "stored playbook %[2]s of tenant %[1]s; reviews started from now on use it\n", tenant, p.Version())
		}
		return err
	})
}

// showPlaybook prints nothing but the playbook on standard output, so that the user can edit
// it and set it again.
func (w *invocation) showPlaybook(ctx context.Context, tenant uuid.UUID) error {
	var raw []byte
	err := w.inSession(ctx, sessionOptions{}, func(s *session) (err error) {
		raw, err = reviews.New(s.db).Playbook(ctx, tenant)
		return err
	})
	if err != nil {
		return err
	}
	origin := "its own"
	if raw == nil {
		raw, origin = playbook.Default(), "the default"
	}
	p, err := playbook.Parse(raw)
	if err != nil { // any program may have stored it
		return fmt.Errorf("invalid playbook of tenant %s, so no review can start: %w", tenant, err)
	}
	fmt.Fprintf(w.ErrOut, "tenant %s uses playbook %s (%s)\n", tenant, p.Version(), origin)
	var page bytes.Buffer
	if err := json.Indent(&page, bytes.TrimSpace(raw), "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.Out, page.String())
	return err
}
