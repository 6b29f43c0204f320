package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"matchbook/lambda/document/company"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) companyCommand() *cobra.Command {
	var name, vatID string
	withName := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().StringVar(&name, "name", "", "the name of the company, as invoices print it")
		_ = cmd.MarkFlagRequired("name") // fails only for a flag that is not there
		return cmd
	}
	add := withName(ofTenant("add --tenant ID --name NAME", "Add a company of the tenant, or replace its VAT id", 0,
		func(ctx context.Context, tenant uuid.UUID, _ []string) error {
			return w.addCompany(ctx, tenant, name, vatID)
		}))
	add.Flags().StringVar(&vatID, "vat-id", "", "the VAT id of the company")
	return group("company", "Name a tenant's own companies, never suppliers", add,
		withName(ofTenant("remove --tenant ID --name NAME", "Remove a company of the tenant", 0,
			func(ctx context.Context, tenant uuid.UUID, _ []string) error {
				return w.removeCompany(ctx, tenant, name)
			})),
		ofTenant("list --tenant ID", "Print the companies of the tenant, with their VAT ids", 0,
			func(ctx context.Context, tenant uuid.UUID, _ []string) error { return w.listCompanies(ctx, tenant) }))
}

func (w *invocation) addCompany(ctx context.Context, tenant uuid.UUID, name, vatID string) error {
	if name = strings.TrimSpace(name); company.ParseName(name).Key() == "" {
		return errors.New("--name: missing name")
	}
	plain, ok := company.VATID(vatID)
	if vatID != "" && !ok {
		return errors.New("--vat-id: invalid check digits or country")
	}
	return w.inSession(ctx, sessionOptions{}, func(s *session) error {
		err := ingestions.New(s.db).AddOwnCompany(ctx, tenant, name, plain)
		if err == nil {
			fmt.Fprintf(w.Out, "files that are read from now on know %s as the tenant's own\n", name)
		}
		return err
	})
}

func (w *invocation) removeCompany(ctx context.Context, tenant uuid.UUID, name string) error {
	return w.inSession(ctx, sessionOptions{}, func(s *session) error {
		found, err := ingestions.New(s.db).RemoveOwnCompany(ctx, tenant, strings.TrimSpace(name))
		if err == nil && !found {
			return errors.New("--name: unknown company")
		}
		return err
	})
}

func (w *invocation) listCompanies(ctx context.Context, tenant uuid.UUID) error {
	return w.inSession(ctx, sessionOptions{}, func(s *session) error {
		all, err := ingestions.New(s.db).OwnCompanies(ctx, tenant)
		for _, p := range all {
			fmt.Fprintln(w.Out, strings.TrimSpace(p.Name+"  "+p.VATID))
		}
		return err
	})
}
