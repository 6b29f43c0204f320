package main

import (
	"matchbook/lambda/cli/cost"

	"github.com/spf13/cobra"
)

func (w *invocation) capacityCommand() *cobra.Command {
	o, b := planOptions{}, cost.NewBacklog()
	cmd := &cobra.Command{
		Use:   "capacity",
		Short: "Show how many documents an hour a system can do, what limits it, and what to change next",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return w.capacity(b, o) },
	}
	o.add(cmd, &b.Assumptions, &b.Others)
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print as JSON")
	flags.IntVar(&b.Concurrency, "concurrency", b.Concurrency, "MaximumConcurrency of the event source mapping")
	flags.IntVar(&b.Connections, "connections", b.Connections, "connections that the database allows")
	flags.Float64Var(&b.Cores, "cores", b.Cores, "cores of the database; an ACU has a quarter")
	flags.Float64Var(&b.Requests, "requests", b.Requests,
		"requests a minute that the model's provider allows; 0: any number")
	flags.Float64Var(&b.Tokens, "tokens", b.Tokens, "tokens a minute that the model's provider allows; 0: any number")
	return cmd
}

func (w *invocation) capacity(b cost.Backlog, o planOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	r, err := b.Throughput()
	if err != nil {
		return err
	}
	if err := w.printPage(r, r.Page(), o); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return errFindings
	}
	return nil
}
