package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/serve"
	"matchbook/lambda/manifest/variable"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

type serveOptions struct {
	data, addr, tenant, name, logs string
	watch                          []string
	review                         bool
	every                          time.Duration
}

func (w *invocation) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run everything in one process, without AWS",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.serve(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", filepath.Dir(database.Folder()), "keep files, keys and a private PostgreSQL in `DIR`")
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8377", "listen on `HOST:PORT`; port 0 picks a free port")
	flags.StringArrayVar(&o.watch, "watch", nil, "ingest files laid into `DIR`, and move them to its done/ or failed/; repeatable")
	flags.StringVar(&o.tenant, "tenant", "", "tenant `ID` of watched files (default a fixed one)")
	flags.BoolVar(&o.review, "review-contracts", false, "review each ingested contract")
	flags.DurationVar(&o.every, "every", serve.DefaultEvery, "look for new rows and files with this `PERIOD`")
	flags.StringVar(&o.name, "by", "", "record decisions in the console under this `NAME` (default the operating system's user)")
	flags.StringVar(&o.logs, "logs", "-", "append JSON lines to `FILE`; - is standard error")
	return cmd
}

const shortestPeriod = 50 * time.Millisecond

// serve runs until the context ends.
func (w *invocation) serve(ctx context.Context, o serveOptions) (err error) {
	tenant, err := tenantFlag(o.tenant)
	if err != nil {
		return err
	}
	if o.every < shortestPeriod {
		return fmt.Errorf("invalid --every %s: must be at least %s", o.every, shortestPeriod)
	}
	m := term.NewMeter(w.ErrOut)
	defer m.Close()
	logs, stopLogs, err := local.OpenLogs(o.logs, w.ErrOut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopLogs()) }()
	if err := os.MkdirAll(o.data, 0o755); err != nil { //nolint:gosec // for the user of a private PostgreSQL
		return fmt.Errorf("--data: %w", err)
	}
	named := w.Env(variable.DatabaseURL) != ""
	choice := database.Choice{Named: named}
	if !named {
		choice.Keep = filepath.Join(o.data, "postgres")
	}
	c := serve.Config{Data: o.data, Env: w.Env, Addr: o.addr, Review: o.review, Log: logs, Every: o.every}
	if err := c.Check(); err != nil {
		return err
	}
	url, stop, err := choice.Fill(ctx, w.Env, m)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return err
	}
	c.DatabaseURL = url
	name := cmp.Or(o.name, operator(w.Env))
	c.Person = login.Person{ID: name, Name: name, Roles: map[uuid.UUID]login.Role{uuid.Nil: login.Operator}}
	for _, dir := range o.watch {
		c.Watch = append(c.Watch, serve.Watch{Dir: dir, Tenant: cmp.Or(tenant, corpus.DefaultTenant)})
	}
	server, err := serve.Start(ctx, c)
	if err != nil {
		return err
	}
	o.announce(w.Out, server, url, named)
	<-ctx.Done()
	fmt.Fprintln(w.ErrOut, "stopping: running work is finished first")
	return server.Close()
}

// announce prints where everything is.
func (o serveOptions) announce(out io.Writer, s *serve.Server, url string, named bool) {
	p := &term.Page{}
	p.Line("Matchbook serves %s", s.URL)
	if !named {
		p.Line("  database  private, in %s; for other programs: %s=%s", filepath.Join(o.data, "postgres"), variable.DatabaseURL, url)
	}
	for _, line := range s.Settings() {
		p.Line("  %s", line)
	}
	fmt.Fprint(out, p.String())
}
