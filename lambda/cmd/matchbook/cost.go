package main

import (
	"fmt"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/cost"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

type costOptions struct {
	session               sessionOptions
	since, tenant, prices string
}

func (w *invocation) costCommand() *cobra.Command {
	var o costOptions
	cmd := o.session.add(&cobra.Command{
		Use:   "cost",
		Short: "Sum up the cost of models, and the savings",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, since, tenant, err := o.read()
			if err != nil {
				return err
			}
			return w.inSession(cmd.Context(), o.session, func(s *session) error { return s.cost(r, since, tenant) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&o.since, "since", "", "count from this `DATE` on, in UTC, such as 2026-03-01")
	flags.StringVar(&o.tenant, "tenant", "", "only the tenant with this `ID`")
	flags.StringVar(&o.prices, "prices", "", "read prices from `FILE` (default the built-in list prices)")
	return cmd
}

// read parses the flags, before a database is opened.
func (o *costOptions) read() (r *cost.Spent, since time.Time, tenant uuid.UUID, err error) {
	r = &cost.Spent{Since: o.since, WithoutPrice: []string{}}
	if o.since != "" {
		if since, err = time.Parse(time.DateOnly, o.since); err != nil {
			return nil, since, tenant, fmt.Errorf("invalid --since %.50q: expected a date such as 2026-03-01", o.since)
		}
	}
	if o.tenant != "" {
		if tenant, err = document.ParseID(o.tenant); err != nil {
			return nil, since, tenant, fmt.Errorf("invalid --tenant %.50q: %w", o.tenant, err)
		}
		if tenant == uuid.Nil {
			return nil, since, tenant, fmt.Errorf("invalid --tenant %s: expected the ID of a tenant", tenant)
		}
	}
	r.Prices, err = cost.ReadModelPrices(o.prices)
	return r, since, tenant, err
}

func (s *session) cost(r *cost.Spent, since time.Time, tenant uuid.UUID) error {
	if err := s.checkTenant(tenant); err != nil {
		return err
	}
	spent, err := report.From(s.db).Spent(s.ctx, since, tenant, 0)
	if err != nil {
		return err
	}
	r.Add(spent)
	return s.Print(r, s.json)
}
