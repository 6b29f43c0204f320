package main

import (
	"context"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/doctor"
	"matchbook/lambda/cli/term"

	"github.com/spf13/cobra"
)

type doctorOptions struct {
	stack             string
	connections       int
	ask, strict, json bool
}

func (w *invocation) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check a configuration or a deployed stack",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.doctor(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.stack, "stack", "", "check the deployed stack with this `NAME`")
	flags.IntVar(&o.connections, "connections", 0,
		"assume `N` database connections for Matchbook if the database is out of reach")
	flags.BoolVar(&o.ask, "ask", false, "also send requests to the model, the embedding model, Document AI and Slack")
	flags.BoolVar(&o.strict, "strict", false, "exit with status 1 on warnings as well")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (w *invocation) doctor(ctx context.Context, o doctorOptions) error {
	options := doctor.Options{Env: w.Env, Stack: o.stack, Connections: o.connections, Ask: o.ask}
	if o.connections < 0 {
		return fmt.Errorf("invalid --connections %d: must be 0 or more", o.connections)
	}
	step, done := term.Steps(w.ErrOut)
	options.Progress = step
	report, err := doctor.Examine(ctx, options)
	done()
	if err != nil {
		return err
	}
	if err := w.Print(report, o.json); err != nil {
		return err
	}
	if report.Errors > 0 || o.strict && report.Warnings > 0 {
		return cli.ErrFindings
	}
	return nil
}
