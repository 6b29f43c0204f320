package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// sessionOptions are the flags of the commands that read a database.
type sessionOptions struct {
	json bool
	keep string
}

func (o *sessionOptions) add(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&o.json, "json", false, "print as JSON")
	return o.addKeep(cmd)
}

func (o *sessionOptions) addKeep(cmd *cobra.Command) *cobra.Command {
	keepFlag(cmd, &o.keep, "the private PostgreSQL that match --keep keeps, in this folder")
	return cmd
}

func (w *invocation) explainCommand() *cobra.Command {
	var o sessionOptions
	return o.add(&cobra.Command{
		Use:   "explain DOC [DOC]",
		Short: "Explain the matches of a document, or compare two documents",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.inSession(cmd.Context(), o, func(s *session) error {
				return s.report(explain.NewReader(s.ctx, s.db).Explain(args))
			})
		},
	})
}

// session is an open database that is not migrated, for a command that reads
// documents.
type session struct {
	*invocation
	sessionOptions
	ctx context.Context
	db  *postgres.DB
}

// inSession opens the database for work.
func (w *invocation) inSession(ctx context.Context, o sessionOptions, work func(*session) error) (err error) {
	url, stop, err := database.Kept(ctx, w.Env, o.keep, w.ErrOut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := database.RefuseNewer(ctx, url); err != nil {
		return err
	}
	db, err := postgres.Open(ctx, url, 2)
	if err != nil {
		return fmt.Errorf("%s: %w", variable.DatabaseURL, err)
	}
	defer db.Close()
	s := &session{w, o, ctx, db}
	return s.advise(work(s))
}

// inTenant is inSession, once some tenant has the id of --tenant, which is zero for all.
func (w *invocation) inTenant(ctx context.Context, o sessionOptions, tenant uuid.UUID, work func(*session) error) error {
	return w.inSession(ctx, o, func(s *session) error {
		if err := s.checkTenant(tenant); err != nil {
			return err
		}
		return work(s)
	})
}

// checkTenant refuses the id of --tenant if no tenant has it.
func (s *session) checkTenant(id uuid.UUID) error {
	return explain.NewReader(s.ctx, s.db).CheckTenant(id)
}

const (
	noSuchTable  = "42P01"
	noSuchColumn = "42703"
)

// advise makes an error of the database one that contains the remedy.
func (s *session) advise(err error) error {
	var ours explain.Error
	var state interface{ SQLState() string }
	switch {
	case err == nil || errors.As(err, &ours) || errors.Is(err, cli.ErrFindings) || s.ctx.Err() != nil:
		return err
	case errors.As(err, &state) && slices.Contains([]string{noSuchTable, noSuchColumn}, state.SQLState()):
		if s.keep != "" {
			return errors.New("the database is older than this program: \"matchbook match DIR --keep\" brings it up to date")
		}
		return errors.New("the database is older than this program: run \"matchbook migrate up\"")
	}
	return errors.New(errtext.Describe(err))
}

// report prints a report, unless there is an error.
func (s *session) report(r explain.Report, err error) error {
	if err != nil {
		return err
	}
	return s.Print(r, s.json)
}
