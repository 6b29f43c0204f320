package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"matchbook/lambda/errtext"
	"matchbook/lambda/explain"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// sessionOptions are the flags of the commands that look at a database.
type sessionOptions struct {
	json bool
	keep string
}

func (o *sessionOptions) add(cmd *cobra.Command) *cobra.Command {
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print as JSON")
	flags.StringVar(&o.keep, "keep", "", "the private PostgreSQL that match --keep keeps, in this folder")
	flags.Lookup("keep").NoOptDefVal = database.Folder()
	return cmd
}

func (w *invocation) explainCommand() *cobra.Command {
	var o sessionOptions
	return o.add(&cobra.Command{
		Use:   "explain DOC [DOC]",
		Short: "Say what was considered for a document and why, or why two documents are a match or none",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.inSession(cmd.Context(), o, func(d *session) error { return d.print(explain.NewReader(d.ctx, d.db).Explain(args)) })
		},
	})
}

// session is where a person looks at documents: a database, which is not
// migrated.
type session struct {
	*invocation
	sessionOptions
	ctx context.Context
	db  *postgres.DB
}

// inSession opens the database and has work done.
func (w *invocation) inSession(ctx context.Context, o sessionOptions, work func(*session) error) (err error) {
	url, stop, err := database.Kept(ctx, w.env, o.keep, w.errOut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := database.RefuseNewer(ctx, url); err != nil {
		return err
	}
	db, err := postgres.Open(ctx, url, 2)
	if err != nil {
		return fmt.Errorf("%s: %w", manifest.EnvDatabaseURL, err)
	}
	defer db.Close()
	d := &session{w, o, ctx, db}
	return d.mend(work(d))
}

// mend makes an error of the database one that says what to do.
func (d *session) mend(err error) error {
	var ours explain.Error
	var state interface{ SQLState() string }
	switch {
	case err == nil || errors.As(err, &ours) || errors.Is(err, errFindings) || d.ctx.Err() != nil:
		return err
	case errors.As(err, &state) && (state.SQLState() == "42P01" || state.SQLState() == "42703"): // no such table, no such column
		if d.keep != "" {
			return errors.New("the database is older than this program: \"matchbook match DIR --keep\" brings it up to date")
		}
		return errors.New("the database is older than this program: run \"matchbook migrate up\"")
	}
	return errors.New(errtext.Describe(err))
}

// print prints a report, as text or as JSON.
func (d *session) print(r explain.Report, err error) error {
	if err != nil {
		return err
	}
	if d.json {
		return term.JSON(d.out, r)
	}
	_, err = io.WriteString(d.out, r.Text())
	return err
}
