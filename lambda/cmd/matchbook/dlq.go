package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/deadletter"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) dlqCommand() *cobra.Command {
	return group("dlq", "List, redrive and drop dead letters", w.dlqListCommand(), w.dlqRedriveCommand(), w.dlqDropCommand())
}

// dlqFlags select dead letters.
type dlqFlags struct {
	stack, function, kind, tenant, by, reason string
	dryRun, json                              bool
}

func (o *dlqFlags) add(cmd *cobra.Command, acts bool) *cobra.Command {
	flags := cmd.Flags()
	flags.StringVar(&o.stack, "stack", "", "read the queues of this deployed `STACK` instead of the variables, such as matchbook-dev")
	flags.StringVar(&o.function, "function", "", "only the queue of this `FUNCTION`: "+strings.Join(functionNames(), ", "))
	flags.StringVar(&o.kind, "kind", "", "only this `KIND` of failure: "+strings.Join(republish.Kinds, ", "))
	flags.StringVar(&o.tenant, "tenant", "", "only the tenant with this `ID`")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	if acts {
		flags.BoolVar(&o.dryRun, "dry-run", false, "count the dead letters, and change nothing")
		flags.StringVar(&o.by, "by", "", "record it under this `NAME` (default the operating system's user)")
		flags.StringVar(&o.reason, "reason", "", "record this `TEXT`")
	}
	return cmd
}

func functionNames() (names []string) {
	for _, f := range manifest.Functions() {
		names = append(names, f.Name)
	}
	return names
}

func (o *dlqFlags) filter(args []string) (f deadletter.Filter, err error) {
	parsed, err := republish.ParseFilter(o.kind, "", o.tenant)
	if err != nil {
		return f, err
	}
	if o.function != "" && !slices.Contains(functionNames(), o.function) {
		return f, fmt.Errorf("unknown --function %.50q: use one of %s", o.function, strings.Join(functionNames(), ", "))
	}
	f.Kind, f.Tenant = parsed.Kind, parsed.Tenant
	for _, arg := range args {
		id, err := document.ParseID(arg)
		if err != nil || id == uuid.Nil {
			return f, fmt.Errorf("invalid ID %.50q: expected the ID of a row or a message", arg)
		}
		f.IDs = append(f.IDs, id)
	}
	return f, nil
}

// atDesk opens database and queues, and runs work on them.
func (w *invocation) atDesk(
	ctx context.Context, o dlqFlags, f deadletter.Filter, work func(*session, *deadletter.Desk, []string) error,
) error {
	return w.inTenant(ctx, sessionOptions{json: o.json}, f.Tenant, func(s *session) error {
		desk, unset, err := s.desk(o)
		if err != nil {
			return err
		}
		if len(desk.Sources) > 0 && desk.Sources[0].Queue == nil {
			fmt.Fprintln(s.ErrOut, "no queue is set: with matchbook serve, the failed rows of the database stand for dead letters")
		}
		return work(s, desk, unset)
	})
}

func (s *session) desk(o dlqFlags) (*deadletter.Desk, []string, error) {
	prices, err := cost.ReadModelPrices("")
	if err != nil {
		return nil, nil, err
	}
	sources, unset, err := deadletter.Open(s.ctx, s.Env, o.stack)
	if err != nil {
		return nil, nil, err
	}
	other := func(s deadletter.Source) bool { return o.function != "" && s.Function.Name != o.function }
	sources = slices.DeleteFunc(sources, other)
	unset = slices.DeleteFunc(unset, func(name string) bool { return o.function != "" && name != o.function })
	return &deadletter.Desk{DB: s.db, Prices: prices, Sources: sources, By: cmp.Or(o.by, operator(s.Env)), Reason: o.reason}, unset, nil
}

func (w *invocation) dlqListCommand() *cobra.Command {
	var o dlqFlags
	return o.add(&cobra.Command{
		Use:   "list [ID...]",
		Short: "List dead letters with the rows they name",
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := o.filter(args)
			if err != nil {
				return err
			}
			return w.atDesk(cmd.Context(), o, f, func(s *session, desk *deadletter.Desk, unset []string) error {
				r, err := desk.List(s.ctx, f)
				if err != nil {
					return stopped(err)
				}
				r.Unread = unset
				return cli.Findings(r.Succeeded(), s.Print(r, o.json))
			})
		},
	}, false)
}

func (w *invocation) dlqRedriveCommand() *cobra.Command {
	var o dlqFlags
	var pace deadletter.Pace
	cmd := o.add(&cobra.Command{
		Use:   "redrive [ID...]",
		Short: "Publish the rows of dead letters, and delete the letters",
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := o.filter(args)
			if err == nil && pace.PerSecond < 1 {
				err = fmt.Errorf("invalid --rate %d: must be 1 or more", pace.PerSecond)
			}
			if err != nil {
				return err
			}
			pace.DryRun = o.dryRun
			return w.atDesk(cmd.Context(), o, f, func(s *session, desk *deadletter.Desk, _ []string) error {
				m := term.NewMeter(w.ErrOut)
				r, err := desk.Redrive(s.ctx, f, pace, m)
				m.Close()
				return cli.Findings(r.Stopped == "", errors.Join(s.Print(r, o.json), stopped(err)))
			})
		},
	}, true)
	cmd.Flags().IntVar(&pace.PerSecond, "rate", 10, "redrive at most `N` a second")
	return cmd
}

func (w *invocation) dlqDropCommand() *cobra.Command {
	var o dlqFlags
	return o.add(&cobra.Command{
		Use:   "drop [ID...]",
		Short: "Delete the dead letters that are done, or these",
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := o.filter(args)
			if err != nil {
				return err
			}
			return w.atDesk(cmd.Context(), o, f, func(s *session, desk *deadletter.Desk, _ []string) error {
				r, err := desk.Drop(s.ctx, f, o.dryRun)
				return errors.Join(s.Print(r, o.json), stopped(err))
			})
		},
	}, true)
}
