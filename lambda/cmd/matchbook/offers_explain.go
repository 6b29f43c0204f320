package main

import (
	"errors"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/offerset"
	"matchbook/lambda/job"
	"matchbook/lambda/local/offerrun"

	"github.com/spf13/cobra"
)

func (w *invocation) offersExplainCommand() *cobra.Command {
	var o sessionOptions
	var candidate string
	cmd := o.add(&cobra.Command{
		Use:   "explain JOB",
		Short: "Recompute a set of offers and explain each candidate",
		Args:  cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := offerrun.ParseJobs(args, "", "")
			if err != nil {
				return err
			}
			user, err := offerset.ParseCandidate(candidate)
			if err != nil {
				return err
			}
			err = w.inSession(cmd.Context(), o, func(s *session) error {
				e, err := offerset.Explain(s.ctx, s.db, jobs.IDs[0], user)
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
	cmd.Flags().StringVar(&candidate, "candidate", "", "explain only the candidate with this `ID`")
	return cmd
}
