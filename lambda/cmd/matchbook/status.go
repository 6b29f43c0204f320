package main

import (
	"errors"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/deadletter"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/status"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

type statusOptions struct {
	session       sessionOptions
	tenant, stack string
	failed, stuck bool
}

func (w *invocation) statusCommand() *cobra.Command {
	var o statusOptions
	cmd := o.session.add(&cobra.Command{
		Use:   "status [ID]",
		Short: "Show the state of all workloads, or a row's story",
		Args:  cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			tenant, err := tenantFlag(o.tenant)
			if err != nil {
				return err
			}
			if len(args) > 0 && (o.failed || o.stuck || o.tenant != "" || o.stack != "") {
				return errors.New("unexpected flag: with an ID, only --json and --keep apply")
			}
			return w.inTenant(cmd.Context(), o.session, tenant, func(s *session) error { return s.status(o, tenant, args) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&o.tenant, "tenant", "", "only the tenant with this `ID`")
	flags.StringVar(&o.stack, "stack", "", "read the queues of this deployed `STACK` instead of the variables, such as matchbook-dev")
	flags.BoolVar(&o.failed, "failed", false, "list failed rows of all workloads")
	flags.BoolVar(&o.stuck, "stuck", false, "list rows beyond the time at which they should go on")
	cli.Exclusive(cmd, "failed", "stuck")
	return cmd
}

func (s *session) status(o statusOptions, tenant uuid.UUID, args []string) error {
	prices, err := cost.ReadModelPrices("")
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return s.report(explain.NewReader(s.ctx, s.db).Story(args[0], prices))
	}
	r := status.Reader{DB: s.db, Prices: prices, Stack: o.stack}
	if o.failed || o.stuck {
		rows, err := r.Rows(s.ctx, o.stuck, tenant)
		if err != nil {
			return err
		}
		return cli.Findings(rows.Succeeded(), s.Print(rows, s.json))
	}
	if s.keep == "" {
		if r.Sources, _, err = deadletter.Open(s.ctx, s.Env, o.stack); err != nil {
			return err
		}
	}
	overview, err := r.Overview(s.ctx, tenant)
	if err != nil {
		return err
	}
	return cli.Findings(overview.Succeeded(), s.Print(overview, s.json))
}
