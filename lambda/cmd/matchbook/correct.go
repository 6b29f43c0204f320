package main

import (
	"context"
	"errors"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/ingestions"

	"github.com/spf13/cobra"
)

func (w *invocation) correctCommand() *cobra.Command {
	var asJSON, done bool
	var by string
	cmd := &cobra.Command{
		Use:   "correct DOC [FIELD=VALUE]...",
		Short: "Correct fields of a document",
		Args:  cli.Args(1, cli.Many),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && !done {
				return errors.New("missing FIELD=VALUE; or use --done if the document is right as it is")
			}
			return w.correct(cmd.Context(), args[0], by, args[1:], done, asJSON)
		},
	}
	cmd.Flags().StringVar(&by, "by", operator(w.Env), "record the lesson under this `NAME` (default the operating system's user)")
	cmd.Flags().BoolVar(&done, "done", false, "the document needs nobody any more: a person has read it all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (w *invocation) correct(ctx context.Context, doc, by string, assignments []string, done, asJSON bool) error {
	return w.withQueue(ctx, manifest.Match, func(s *session, queue job.Sender) error {
		var store explain.Corrections = ingestions.New(s.db)
		if done {
			store = finisher{ingestions.New(s.db)}
		}
		r, stamped, err := explain.NewReader(ctx, s.db).Correct(doc, by, assignments, store)
		if unsent := job.Send(ctx, queue, stamped); unsent != nil {
			return errors.Join(err, errors.New("correction stored: "+errtext.Describe(unsent)))
		}
		if err != nil {
			return s.advise(err)
		}
		return w.Print(r, asJSON)
	})
}
