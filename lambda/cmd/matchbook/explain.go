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

type sessionOptions struct {
	json  bool
	keep  string
	named bool // --database, which is the default
}

func (o *sessionOptions) add(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return o.addKeep(cmd)
}

func (o *sessionOptions) addKeep(cmd *cobra.Command) *cobra.Command {
	keepFlag(cmd, &o.keep, "use the private database kept by match --keep, in `DIR`")
	cmd.Flags().BoolVar(&o.named, "database", false, "use the database at "+variable.DatabaseURL+", as without --keep")
	return cmd
}

func (w *invocation) explainCommand() *cobra.Command {
	var o sessionOptions
	return o.add(&cobra.Command{
		Use:   "explain DOC [DOC]",
		Short: "Explain the matches of a document or a pair",
		Args:  cli.Args(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.inSession(cmd.Context(), o, func(s *session) error {
				return s.report(explain.NewReader(s.ctx, s.db).Explain(args))
			})
		},
	})
}

// session is an open database, which the command must not migrate.
type session struct {
	*invocation
	sessionOptions
	ctx context.Context
	db  *postgres.DB
}

// inSession opens the database, runs work, and closes it.
func (w *invocation) inSession(ctx context.Context, o sessionOptions, work func(*session) error) (err error) {
	if o.named && o.keep != "" {
		return errors.New("--keep must not be used with --database: it names a private PostgreSQL")
	}
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

// inTenant is inSession, and refuses an unknown --tenant first. The zero id stands for all tenants.
func (w *invocation) inTenant(ctx context.Context, o sessionOptions, tenant uuid.UUID, work func(*session) error) error {
	return w.inSession(ctx, o, func(s *session) error {
		if err := s.checkTenant(tenant); err != nil {
			return err
		}
		return work(s)
	})
}

// checkTenant returns an error for an unknown tenant, unless the id is zero.
func (s *session) checkTenant(id uuid.UUID) error {
	return explain.NewReader(s.ctx, s.db).CheckTenant(id)
}

const (
	noSuchTable  = "42P01"
	noSuchColumn = "42703"
)

// advise adds the remedy to an error of the database.
func (s *session) advise(err error) error {
	var ours explain.Error
	var state interface{ SQLState() string }
	switch {
	case err == nil || errors.As(err, &ours) || errors.Is(err, cli.ErrFindings) || s.ctx.Err() != nil:
		return err
	case errors.As(err, &state) && slices.Contains([]string{noSuchTable, noSuchColumn}, state.SQLState()):
		if s.keep != "" {
			return errors.New("database schema too old for this program: run matchbook match DIR --keep")
		}
		return errors.New("database schema too old for this program: run matchbook migrate up")
	}
	return errors.New(errtext.Describe(err))
}

func (s *session) report(r explain.Report, err error) error {
	if err != nil {
		return err
	}
	return s.Print(r, s.json)
}
