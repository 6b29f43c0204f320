package main

import (
	"context"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/failure"
	"matchbook/lambda/llm/openai/recording"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func (w *invocation) recordCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "record FILE",
		Short: "Record one exchange with the model for the tests",
		Args:  cli.Args(1, 1),
		RunE:  func(cmd *cobra.Command, args []string) error { return w.record(cmd.Context(), args[0]) },
	}
}

func (w *invocation) record(ctx context.Context, file string) error {
	config, err := setup.LoadModel(w.Env)
	if err != nil {
		return err
	}
	e, err := recording.Take(ctx, config.OpenAI)
	if err != nil {
		return err
	}
	if err := e.Store(file); err != nil {
		return err
	}
	fmt.Fprintf(w.Out, "%s: HTTP %d, %d + %d tokens, stored in %s\n", e.Model, e.Status,
		e.Usage.PromptTokens, e.Usage.CompletionTokens, file)
	if e.Failure != nil {
		fmt.Fprintf(w.Out, "failed: %s\n", failure.Of(e.Failure).Text)
		return cli.ErrFindings
	}
	return nil
}
