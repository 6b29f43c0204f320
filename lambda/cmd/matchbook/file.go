package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// finisher stores corrections of a person who has read the whole document.
type finisher struct{ *ingestions.Store }

// Correct implements explain.Corrections.
func (f finisher) Correct(ctx context.Context, id uuid.UUID, by string, corrections map[string]json.RawMessage) (
	[]job.Stamped, []taught.Lesson, error,
) {
	return f.Finish(ctx, id, postgres.Action{ID: uuid.New(), By: by}, corrections)
}

func (w *invocation) dismissCommand() *cobra.Command {
	a := postgres.Action{ID: uuid.New()}
	cmd := &cobra.Command{
		Use:   "dismiss DOC",
		Short: "Settle a file that is no business document",
		Args:  cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Reason == "" {
				return errors.New("missing --reason")
			}
			return w.fileAct(cmd.Context(), manifest.Match, args[0], "dismissed", func(s *session, id uuid.UUID) ([]job.Stamped, error) {
				return ingestions.New(s.db).Dismiss(s.ctx, id, a)
			})
		},
	}
	cmd.Flags().StringVar(&a.Reason, "reason", "", "store this `TEXT` with the name")
	cmd.Flags().StringVar(&a.By, "by", operator(w.Env), "record the answer under this `NAME` (default the operating system's user)")
	return cmd
}

func (w *invocation) pagesCommand() *cobra.Command {
	a := postgres.Action{ID: uuid.New()}
	cmd := &cobra.Command{
		Use:   "pages DOC PAGE...",
		Short: "Split or join the pages of a file",
		Args:  cli.Args(2, cli.Many),
		RunE: func(cmd *cobra.Command, args []string) error {
			begins, err := pagesOf(args[1:])
			if err != nil {
				return err
			}
			divide := func(s *session, id uuid.UUID) ([]job.Stamped, error) {
				return ingestions.New(s.db).Divide(s.ctx, id, a, begins)
			}
			return w.fileAct(cmd.Context(), manifest.Ingest, args[0], "published its file", divide)
		},
	}
	cmd.Flags().StringVar(&a.By, "by", operator(w.Env), "record the answer under this `NAME` (default the operating system's user)")
	return cmd
}

// pagesOf returns the pages at which documents begin, in order. The first always does.
func pagesOf(args []string) ([]int, error) {
	begins := []int{1}
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("invalid PAGE %.20q: expected a number from 1", arg)
		}
		begins = append(begins, n)
	}
	slices.Sort(begins)
	return slices.Compact(begins), nil
}

// fileAct does something about the file of a document, and sends the messages to the queue of f.
func (w *invocation) fileAct(ctx context.Context, f manifest.Function, doc, done string,
	act func(*session, uuid.UUID) ([]job.Stamped, error),
) error {
	return w.withQueue(ctx, f, func(s *session, queue job.Sender) error {
		ids, err := explain.NewReader(ctx, s.db).Find([]string{doc})
		if err != nil {
			return s.advise(err)
		}
		stamped, err := act(s, ids[0])
		switch {
		case errors.Is(err, ingestions.ErrNoFile), errors.Is(err, ingestions.ErrNoSuchPage), errors.Is(err, ingestions.ErrElectronic),
			errors.Is(err, job.ErrNotFound):
			return err
		case err != nil:
			return errors.New(errtext.Describe(err))
		}
		if unsent := job.Send(ctx, queue, stamped); unsent != nil {
			return errors.New("stored: " + errtext.Describe(unsent))
		}
		fmt.Fprintf(w.Out, "%s %s\n", done, ids[0])
		return nil
	})
}
