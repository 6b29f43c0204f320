package main

import (
	"fmt"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// costOptions are the flags of cost.
type costOptions struct {
	session               sessionOptions
	since, tenant, prices string
}

func (w *invocation) costCommand() *cobra.Command {
	var o costOptions
	cmd := o.session.add(&cobra.Command{
		Use:   "cost",
		Short: "Show what models were paid, and what kept answers saved",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, since, tenant, err := o.read()
			if err != nil {
				return err
			}
			return w.inSession(cmd.Context(), o.session, func(s *session) error { return s.cost(r, since, tenant) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&o.since, "since", "", "the first day that counts, in UTC, such as 2026-03-01")
	flags.StringVar(&o.tenant, "tenant", "", "the id of the tenant that counts")
	flags.StringVar(&o.prices, "prices", "", "a file with the prices to calculate with")
	return cmd
}

// read reads the flags, before a database is opened.
func (o *costOptions) read() (r *cost.Spent, since time.Time, tenant uuid.UUID, err error) {
	r = &cost.Spent{Since: o.since, WithoutPrice: []string{}}
	if o.since != "" {
		if since, err = time.Parse(time.DateOnly, o.since); err != nil {
			return nil, since, tenant, fmt.Errorf("--since %.50q is not a day such as 2026-03-01", o.since)
		}
	}
	if o.tenant != "" {
		if tenant, err = document.ParseID(o.tenant); err != nil {
			return nil, since, tenant, fmt.Errorf("--tenant %.50q is %w", o.tenant, err)
		}
		if tenant == uuid.Nil {
			return nil, since, tenant, fmt.Errorf("--tenant %s is no tenant's id", tenant)
		}
	}
	r.Prices, err = cost.ReadModelPrices(o.prices)
	return r, since, tenant, err
}

func (s *session) cost(r *cost.Spent, since time.Time, tenant uuid.UUID) error {
	if err := s.checkTenant(tenant); err != nil {
		return err
	}
	spent, err := report.From(s.db).Spent(s.ctx, since, tenant)
	if err != nil {
		return err
	}
	r.Add(spent)
	return s.Print(r, s.json)
}
