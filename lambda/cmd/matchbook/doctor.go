package main

import (
	"context"
	"errors"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/doctor"
	"matchbook/lambda/cli/term"

	"github.com/spf13/cobra"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	stack             string
	connections       int
	ask, strict, json bool
}

func (w *invocation) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find problems of a configuration or a deployed stack",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.doctor(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.stack, "stack", "", "the name of a deployed stack")
	flags.IntVar(&o.connections, "connections", 0,
		"connections that the database has for Matchbook, where it cannot be queried")
	flags.BoolVar(&o.ask, "ask", false, "send requests to the model, the embedding model, Document AI and Slack, too")
	flags.BoolVar(&o.strict, "strict", false, "exit with 1 for warnings, too")
	flags.BoolVar(&o.json, "json", false, "print as JSON")
	return cmd
}

func (w *invocation) doctor(ctx context.Context, o doctorOptions) error {
	options := doctor.Options{Env: w.Env, Stack: o.stack, Connections: o.connections, Ask: o.ask}
	if o.connections < 0 {
		return errors.New("--connections is negative")
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
