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
	return group("offers", "Daily match offers: run a date, show its state, requeue jobs",
		w.offersRunCommand(), w.offersExplainCommand(), w.offersStatusCommand(), w.offersRequeueCommand())
}

func (w *invocation) offersStatusCommand() *cobra.Command {
	var o sessionOptions
	var date, tenant string
	cmd := o.add(&cobra.Command{
		Use:   "status",
		Short: "Count the jobs of a date by time zone and status, with the reasons of failed and skipped ones",
		Long: "Status needs DATABASE_URL, or --keep. A job is late that has no end an hour after nine in the morning, or had\n" +
			"none then. Exit status: 0 no job of the date failed, 1 one did, 2 it could not run.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			jobs, err := offerrun.ParseJobs(nil, date, tenant)
			if err != nil {
				return err
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
	cmd.Flags().StringVar(&date, "date", "", "the date, such as 2026-03-29 (default today in UTC)")
	cmd.Flags().StringVar(&tenant, "tenant", "", "only users of the tenant with this id")
	return cmd
}

// tenantOf is the tenant of --tenant; the zero id stands for all.
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
		Short: "Publish failed jobs again, once the cause is removed; nothing completed is changed",
		Long: "Requeue needs DATABASE_URL, OFFER_QUEUE_URL and the AWS variables. It publishes the jobs with these ids, or\n" +
			"those of --date, of --tenant, or of both, as far as they failed. Completed jobs keep their sets, skipped dates\n" +
			"stay skipped, and what is pending or running has its message already: these are named, and left alone.\n" +
			"Each job is computed from the roster of its date again: a profile that was corrected since counts from the next\n" +
			"date on. Exit status: 0 all failed ones are published, 1 messages could not be sent, 2 it could not run.",
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := offerrun.ParseJobs(args, date, tenant)
			switch byFlag := jobs.Date != nil || jobs.Tenant != nil; {
			case err != nil:
				return err
			case byFlag == (len(args) > 0):
				return errors.New("which jobs? Name them by their ids, or give --date, --tenant or both")
			}
			return w.requeue(cmd.Context(), jobs, asJSON)
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "the failed jobs of this date, such as 2026-03-29")
	cmd.Flags().StringVar(&tenant, "tenant", "", "the failed jobs of the tenant with this id")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
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
