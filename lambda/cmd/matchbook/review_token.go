package main

import (
	"fmt"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/document"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/review/web"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func (w *invocation) reviewTokenCommand() *cobra.Command {
	var tenant string
	var life time.Duration
	cmd := &cobra.Command{
		Use:   "token --tenant ID",
		Short: "Print an access token for the URL of reviews",
		Args:  cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			id, err := document.ParseID(tenant)
			if err != nil {
				return fmt.Errorf("--tenant: %w", err)
			}
			if life <= 0 || life > web.LongestLife {
				return fmt.Errorf("invalid --life %s: must be above 0s and at most %s (90 days)", life, web.LongestLife)
			}
			secret, err := setup.LoadKey(w.Env, variable.ReviewTokenSecret)
			if err != nil {
				return err
			}
			tokens, err := web.NewTokens(secret)
			if err != nil {
				return fmt.Errorf("%s: %w", variable.ReviewTokenSecret, err)
			}
			fmt.Fprintln(w.Out, tokens.ForTenant(id, life))
			return nil
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "the `ID` of the tenant (required)")
	cmd.Flags().DurationVar(&life, "life", 12*time.Hour, "lifetime of the token, at most 2160h (90 days)")
	cli.Need(cmd, "tenant")
	return cmd
}
