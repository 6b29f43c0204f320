package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"matchbook/lambda/document"
	"matchbook/lambda/review/playbook"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) reviewPlaybookCommand() *cobra.Command {
	return group("playbook", "Set or show the positions of a tenant on clauses, for its reviews",
		ofTenant("set --tenant ID FILE", "Store the playbook of a tenant, for the reviews that begin from now on", 1,
			func(ctx context.Context, tenant uuid.UUID, args []string) error {
				return w.setPlaybook(ctx, tenant, args[0])
			}),
		ofTenant("show --tenant ID", "Print the playbook with which a review of the tenant begins, and its version", 0,
			func(ctx context.Context, tenant uuid.UUID, _ []string) error { return w.showPlaybook(ctx, tenant) }))
}

// ofTenant makes a command about one tenant, with this number of arguments.
func ofTenant(use, short string, args int, run func(context.Context, uuid.UUID, []string) error) *cobra.Command {
	var tenant string
	cmd := &cobra.Command{Use: use, Short: short, Long: short + ". It needs DATABASE_URL.", Args: cobra.ExactArgs(args),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := document.ParseID(tenant)
			if err != nil {
				return fmt.Errorf("--tenant: %w", err)
			}
			return run(cmd.Context(), id, args)
		}}
	cmd.Flags().StringVar(&tenant, "tenant", "", "the id of the tenant")
	_ = cmd.MarkFlagRequired("tenant") // fails only for a flag that is not there
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
		err := s.db.Reviews().PutPlaybook(ctx, tenant, raw)
		if err == nil {
			fmt.Fprintf(w.Out, "tenant %s has the playbook %s: reviews that begin from now on use it\n", tenant, p.Version())
		}
		return err
	})
}

// showPlaybook prints the playbook alone on standard output, so that it can be
// edited and set again.
func (w *invocation) showPlaybook(ctx context.Context, tenant uuid.UUID) error {
	var raw []byte
	err := w.inSession(ctx, sessionOptions{}, func(s *session) (err error) {
		raw, err = s.db.Reviews().Playbook(ctx, tenant)
		return err
	})
	if err != nil {
		return err
	}
	whose := "its own"
	if raw == nil {
		raw, whose = playbook.Default(), "the default, since it has none of its own"
	}
	p, err := playbook.Parse(raw)
	if err != nil { // any program may have stored it
		return fmt.Errorf("no review of tenant %s can begin: its playbook: %w", tenant, err)
	}
	fmt.Fprintf(w.ErrOut, "tenant %s has the playbook %s, %s\n", tenant, p.Version(), whose)
	var page bytes.Buffer
	if err := json.Indent(&page, bytes.TrimSpace(raw), "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.Out, page.String())
	return err
}
