package main

import (
	"matchbook/lambda/cli"
	"matchbook/lambda/job/republish"

	"github.com/spf13/cobra"
)

func (w *invocation) eventsCommand() *cobra.Command {
	return group("events", "List undelivered webhook events and retry them",
		w.eventsStatusCommand(), w.eventsRequeueCommand())
}

func (w *invocation) eventsStatusCommand() *cobra.Command {
	var o sessionOptions
	var tenant string
	cmd := o.add(&cobra.Command{
		Use:   "status",
		Short: "Count undelivered events by tenant and kind",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := republish.ParseEvents("", "", tenant)
			if err != nil {
				return err
			}
			return w.inTenant(cmd.Context(), o, f.Tenant, func(s *session) error {
				r, err := republish.ReadEvents(s.ctx, s.db, f)
				if err != nil {
					return err
				}
				return cli.Findings(r.Succeeded(), s.Print(r, s.json))
			})
		},
	})
	cmd.Flags().StringVar(&tenant, "tenant", "", "only the tenant with this `ID`")
	return cmd
}

func (w *invocation) eventsRequeueCommand() *cobra.Command {
	var o sessionOptions
	var id, since, tenant string
	var dryRun bool
	cmd := o.add(&cobra.Command{
		Use:   "requeue",
		Short: "Retry undelivered events now",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := republish.ParseEvents(id, since, tenant)
			if err != nil {
				return err
			}
			return w.inTenant(cmd.Context(), o, f.Tenant, func(s *session) error {
				r, err := republish.RequeueEvents(s.ctx, s.db, f, dryRun)
				if err != nil {
					return err
				}
				return s.Print(r, s.json)
			})
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&tenant, "tenant", "", "only the tenant with this `ID`")
	flags.StringVar(&id, "id", "", "only the event with this `ID`, its idempotency key")
	flags.StringVar(&since, "since", "", "only events recorded since this `TIME`, such as 2026-03-02T09:00:00Z, or within the last 2h")
	flags.BoolVar(&dryRun, "dry-run", false, "count the events to retry, and change nothing")
	return cmd
}
