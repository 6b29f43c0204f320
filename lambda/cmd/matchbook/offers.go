package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/local/offerrun"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) offersCommand() *cobra.Command {
	return group("offers", "Run, simulate, explain and requeue match offers",
		w.offersRunCommand(), w.offersSimulateCommand(), w.offersExplainCommand(), w.offersStatusCommand(), w.offersRequeueCommand(),
		w.offersShadowCommand(), w.offersFeedbackCommand(), w.offersSettingsCommand())
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
	var refreeze offerrun.Refreeze
	cmd := &cobra.Command{
		Use:   "requeue [JOB ...]",
		Short: "Retry failed jobs, or give jobs a corrected profile",
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := offerrun.ParseJobs(args, date, tenant)
			switch byFlag := jobs.Date != nil || jobs.Tenant != nil; {
			case err != nil:
				return err
			case byFlag == (len(args) > 0):
				return errors.New("expected JOB IDs, or --date, --tenant or both")
			case refreeze.Wanted:
				if err := refreeze.Check(byFlag); err != nil {
					return err
				}
				refreeze.By = cmp.Or(refreeze.By, operator(w.Env))
				return w.requeue(cmd.Context(), jobs, asJSON, refreeze.Requeue)
			case refreeze.Reason != "" || refreeze.By != "":
				return errors.New("--reason and --by need --refreeze")
			}
			return w.requeue(cmd.Context(), jobs, asJSON, requeueFailed)
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "retry the failed jobs of this `DATE`, such as 2026-03-29")
	cmd.Flags().StringVar(&tenant, "tenant", "", "retry the failed jobs of the tenant with this `ID`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&refreeze.Wanted, "refreeze", false,
		"compose the sets of these JOBs with the users' profiles as they are now, unless a set may have been received")
	cmd.Flags().StringVar(&refreeze.Reason, "reason", "", "store this `TEXT` with --refreeze")
	cmd.Flags().StringVar(&refreeze.By, "by", "", "record --refreeze under this `NAME` (default the operating system's user)")
	return cmd
}

func requeueFailed(
	ctx context.Context, jobs offerrun.Jobs, db *postgres.DB, queue job.Sender, m *term.Meter,
) (*offerrun.Requeued, error) {
	return jobs.Requeue(ctx, db, queue, m)
}

// requeuing publishes jobs again.
type requeuing func(context.Context, offerrun.Jobs, *postgres.DB, job.Sender, *term.Meter) (*offerrun.Requeued, error)

func (w *invocation) requeue(ctx context.Context, jobs offerrun.Jobs, asJSON bool, publish requeuing) error {
	return w.withQueue(ctx, manifest.Offer, func(s *session, queue job.Sender) error {
		if err := s.checkTenant(tenantOf(jobs)); err != nil {
			return s.advise(err)
		}
		m := term.NewMeter(w.ErrOut)
		r, err := publish(ctx, jobs, s.db, queue, m)
		m.Close()
		if r == nil {
			return stopped(err)
		}
		return errors.Join(w.Print(r, asJSON), s.refused(r.Refused, stopped(err)))
	})
}
