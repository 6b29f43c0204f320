package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/errtext"
	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
	"matchbook/lambda/republish"
	"matchbook/lambda/setup"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// failedOptions are the flags of publish --failed.
type failedOptions struct {
	on, dryRun, json    bool
	kind, since, tenant string
}

func (o *failedOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "failed", false, "publish again what failed, instead of documents by their ids")
	flags.StringVar(&o.kind, "kind", "", "with --failed: only what failed so: "+strings.Join(republish.Kinds, ", "))
	flags.StringVar(&o.since, "since", "", "with --failed: only what failed since a time such as 2026-03-02T09:00:00Z, or within the last 2h")
	flags.StringVar(&o.tenant, "tenant", "", "with --failed: only documents of the tenant with this id")
	flags.BoolVar(&o.dryRun, "dry-run", false, "with --failed: list what would be published, and change nothing")
	flags.BoolVar(&o.json, "json", false, "with --failed: print as JSON")
}

// args checks that documents are named by ids or by --failed.
func (o *failedOptions) args(cmd *cobra.Command, args []string) error {
	if o.on {
		if len(args) > 0 {
			return errors.New("--failed chooses the documents: leave the ids out")
		}
		return nil
	}
	for _, flag := range []string{"kind", "since", "tenant", "dry-run", "json"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for --failed", flag)
		}
	}
	return cobra.MinimumNArgs(1)(cmd, args)
}

// filter reads the flags.
func (o *failedOptions) filter() (f postgres.FailedFilter, err error) {
	if f.Kind = o.kind; f.Kind != "" && !slices.Contains(republish.Kinds, f.Kind) {
		return f, fmt.Errorf("--kind %.50q is not one of %s", o.kind, strings.Join(republish.Kinds, ", "))
	}
	if o.tenant != "" {
		if f.Tenant, err = document.ParseID(o.tenant); err != nil {
			return f, fmt.Errorf("--tenant %.50q is %w", o.tenant, err)
		}
	}
	if o.since == "" {
		return f, nil
	}
	if f.Within, err = time.ParseDuration(o.since); err == nil && f.Within > 0 {
		return f, nil
	}
	f.Within = 0
	if f.Since, err = time.Parse(time.RFC3339, o.since); err != nil {
		return f, fmt.Errorf("--since %.50q is no duration such as 2h and no time such as 2026-03-02T09:00:00Z", o.since)
	}
	return f, nil
}

func (w *invocation) publishFailed(ctx context.Context, o failedOptions) error {
	filter, err := o.filter()
	if err != nil {
		return err
	}
	if o.dryRun {
		return w.inSession(ctx, sessionOptions{json: o.json}, func(s *session) error {
			r, err := republish.List(ctx, s.db, filter)
			if err != nil {
				return err
			}
			return w.writeFailed(r, o.json)
		})
	}
	config, err := setup.LoadPublisher(w.env)
	if err != nil {
		return err
	}
	db, queue, close, err := setup.Republisher(ctx, config)
	if err != nil {
		return err
	}
	defer close()
	m := term.NewMeter(w.errOut)
	r, err := republish.Publish(ctx, db, queue, filter, m)
	m.Close()
	if err != nil && !errors.Is(err, context.Canceled) {
		err = errors.New(errtext.Describe(err))
	}
	if r == nil {
		return err
	}
	if r.Refused != nil {
		fmt.Fprintf(w.errOut, "stopped: %s\n", failure.Of(r.Refused).Text)
		err = errFindings
	}
	return errors.Join(w.writeFailed(r, o.json), err)
}

func (w *invocation) writeFailed(r *republish.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w.out).Encode(r)
	}
	_, err := io.WriteString(w.out, r.Text())
	return err
}
