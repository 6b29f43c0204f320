package main

import (
	"matchbook/lambda/cli"
	"matchbook/lambda/job/republish"

	"github.com/spf13/cobra"
)

func (w *invocation) eventsCommand() *cobra.Command {
	return group("events", "Count events that were not accepted, and send them again",
		w.eventsStatusCommand(), w.eventsRequeueCommand())
}

func (w *invocation) eventsStatusCommand() *cobra.Command {
	var o sessionOptions
	var tenant string
	cmd := o.add(&cobra.Command{
		Use:   "status",
		Short: "Count the events that wait or were given up, by tenant and kind, with the latest answer",
		Long: "Status needs DATABASE_URL, or --keep. Exit status: 0 all is well, 1 an event was given up or has waited for an\n" +
			"hour, 2 it could not run.",
		Args: cobra.NoArgs,
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
	cmd.Flags().StringVar(&tenant, "tenant", "", "only events of the tenant with this id")
	return cmd
}

func (w *invocation) eventsRequeueCommand() *cobra.Command {
	var o sessionOptions
	var id, since, tenant string
	var dryRun bool
	cmd := o.add(&cobra.Command{
		Use:   "requeue",
		Short: "Have the events sent at once that were given up, or that wait for their next try",
		Long: "Requeue needs DATABASE_URL, or --keep. The next sweep, or the match function, sends the events, each as it was:\n" +
			"with the same id, which is its idempotency key, and the same sequence. A receiver may have accepted later events\n" +
			"of the same documents since one was given up. One that is refused again is given up after three more days.\n" +
			"Exit status: 0 they are due, 2 it could not run.",
		Args: cobra.NoArgs,
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
	flags.StringVar(&tenant, "tenant", "", "only events of the tenant with this id")
	flags.StringVar(&id, "id", "", "only the event with this id, its idempotency key")
	flags.StringVar(&since, "since", "", "only events recorded since a time such as 2026-03-02T09:00:00Z, or within the last 2h")
	flags.BoolVar(&dryRun, "dry-run", false, "count what would be sent, and change nothing")
	return cmd
}
