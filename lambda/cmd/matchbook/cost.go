package main

import (
	"errors"
	"fmt"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/explain"
	"matchbook/lambda/plan"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/term"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// costOptions are the flags of cost.
type costOptions struct {
	desk                  sessionOptions
	since, tenant, prices string
	plan                  planOptions
}

func (w *invocation) costCommand() *cobra.Command {
	var o costOptions
	cmd := o.desk.add(&cobra.Command{
		Use:   "cost",
		Short: "Say what models were paid, by tenant, day and model, and what kept answers saved",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.plan.alone(cmd); err != nil {
				return err
			}
			if o.plan.on {
				return w.costPlan(&o)
			}
			r, since, tenant, err := o.read()
			if err != nil {
				return err
			}
			return w.inSession(cmd.Context(), o.desk, func(d *session) error { return d.cost(r, since, tenant) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&o.since, "since", "", "the first day that counts, in UTC, such as 2026-03-01")
	flags.StringVar(&o.tenant, "tenant", "", "the id of the tenant that counts")
	flags.StringVar(&o.prices, "prices", "", "a file with the prices to reckon with")
	o.plan.add(cmd)
	return cmd
}

// read reads the flags, before a database is looked for.
func (o *costOptions) read() (r *plan.Spent, since time.Time, tenant uuid.UUID, err error) {
	r = &plan.Spent{Since: o.since, WithoutPrice: []string{}}
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
			return nil, since, tenant, fmt.Errorf("--tenant %s is nobody's id", tenant)
		}
	}
	r.Prices, err = plan.ReadModelPrices(o.prices)
	return r, since, tenant, err
}

func (d *session) cost(r *plan.Spent, since time.Time, tenant uuid.UUID) error {
	spent, err := report.From(d.db).Spent(d.ctx, since, tenant)
	if errors.Is(err, report.ErrNoSuchTenant) {
		return explain.Errorf("%w", err)
	}
	if err != nil {
		return err
	}
	r.Add(spent)
	if d.json {
		return term.JSON(d.out, r)
	}
	fmt.Fprint(d.out, r.Text())
	return nil
}
