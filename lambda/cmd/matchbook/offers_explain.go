package main

import (
	"errors"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/job"
	"matchbook/lambda/local/offerrun"

	"github.com/spf13/cobra"
)

func (w *invocation) offersExplainCommand() *cobra.Command {
	var o sessionOptions
	var candidate string
	cmd := o.add(&cobra.Command{
		Use:   "explain JOB",
		Short: "Compute a set again from its roster, compare it with what is stored, and give a reason for each candidate",
		Long: "Explain needs DATABASE_URL, or --keep, and changes nothing. Each user of the roster is offered, lower, not\n" +
			"admitted (other users suit it better), filtered, has another day with the user, or is unreadable. A job that\n" +
			"failed or was skipped is explained by its reason. Exit status: 0 the stored set is the one that its roster\n" +
			"gives, or there is none yet; 1 it differs; 2 it could not run.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := offerrun.ParseJobs(args, "", "")
			if err != nil {
				return err
			}
			user, err := offerrun.ParseCandidate(candidate)
			if err != nil {
				return err
			}
			err = w.inSession(cmd.Context(), o, func(s *session) error {
				e, err := offerrun.Explain(s.ctx, s.db, jobs.IDs[0], user)
				if err != nil {
					return known(err)
				}
				return cli.Findings(e.Reproduced(), s.Print(e, o.json))
			})
			if errors.Is(err, job.ErrNotFound) {
				err = fmt.Errorf("job not found: %s", jobs.IDs[0])
			}
			return err
		},
	})
	cmd.Flags().StringVar(&candidate, "candidate", "", "explain the candidate with this id only")
	return cmd
}
