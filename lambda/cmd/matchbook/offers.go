package main

import (
	"context"
	"errors"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/local/offerrun"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) offersCommand() *cobra.Command {
	return group("offers", "Run, simulate, explain and requeue match offers",
		w.offersRunCommand(), w.offersSimulateCommand(), w.offersExplainCommand(), w.offersStatusCommand(), w.offersRequeueCommand(),
		w.offersFeedbackCommand(), w.offersSettingsCommand())
}

func (w *invocation) offersStatusCommand() *cobra.Command {
	var o sessionOptions
	var date, month, tenant string
	cmd := o.add(&cobra.Command{
		Use:   "status",
		Short: "Count the jobs of a date or month by status",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			jobs, err := offerrun.ParseJobs(nil, date, tenant)
			if err != nil {
				return err
			}
			if month != "" {
				return w.offersMonth(cmd.Context(), o, jobs, month)
			}
			if jobs.Date == nil {
				today := day.Of(time.Now().UTC())
				jobs.Date = &today
			}
			return w.inTenant(cmd.Context(), o, tenantOf(jobs), func(s *session) error {
				status, err := offerrun.ReadStatus(s.ctx, s.db, *jobs.Date, jobs.Tenant)
				if err != nil {
					return err
				}
				return cli.Findings(status.Succeeded(), s.Print(status, o.json))
			})
		},
	})
	cmd.Flags().StringVar(&date, "date", "", "count the jobs of this `DATE`, such as 2026-03-29 (default today in UTC)")
	cmd.Flags().StringVar(&month, "month", "", "count the jobs of this `MONTH` instead, such as 2026-03, with the share completed")
	cmd.Flags().StringVar(&tenant, "tenant", "", "only the tenant with this `ID`")
	return cmd
}

func (w *invocation) offersMonth(ctx context.Context, o sessionOptions, jobs offerrun.Jobs, month string) error {
	first, err := offerrun.ParseMonth(month)
	switch {
	case err != nil:
		return err
	case jobs.Date != nil:
		return errors.New("expected --date or --month, not both")
	}
	return w.inTenant(ctx, o, tenantOf(jobs), func(s *session) error {
		m, err := offerrun.ReadMonth(s.ctx, s.db, first, jobs.Tenant)
		if err != nil {
			return err
		}
		return cli.Findings(m.Succeeded(), s.Print(m, o.json))
	})
}

// tenantOf returns the tenant of --tenant; zero for all tenants.
func tenantOf(jobs offerrun.Jobs) uuid.UUID {
	if jobs.Tenant == nil {
		return uuid.Nil
	}
	return *jobs.Tenant
}

func (w *invocation) offersRequeueCommand() *cobra.Command {
	var date, tenant string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "requeue [JOB ...]",
		Short: "Retry failed jobs",
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := offerrun.ParseJobs(args, date, tenant)
			switch byFlag := jobs.Date != nil || jobs.Tenant != nil; {
			case err != nil:
				return err
			case byFlag == (len(args) > 0):
				return errors.New("expected JOB IDs, or --date, --tenant or both")
			}
			return w.requeue(cmd.Context(), jobs, asJSON)
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "retry the failed jobs of this `DATE`, such as 2026-03-29")
	cmd.Flags().StringVar(&tenant, "tenant", "", "retry the failed jobs of the tenant with this `ID`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (w *invocation) requeue(ctx context.Context, jobs offerrun.Jobs, asJSON bool) error {
	return w.withQueue(ctx, manifest.Offer, func(s *session, queue job.Sender) error {
		if err := s.checkTenant(tenantOf(jobs)); err != nil {
			return s.advise(err)
		}
		m := term.NewMeter(w.ErrOut)
		r, err := jobs.Requeue(ctx, s.db, queue, m)
		m.Close()
		if r == nil {
			return stopped(err)
		}
		return errors.Join(w.Print(r, asJSON), s.refused(r.Refused, stopped(err)))
	})
}
