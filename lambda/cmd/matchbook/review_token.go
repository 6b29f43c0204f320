package main

import (
	"fmt"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/review/web"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

// reviewTokenCommand prints a token with which a program starts the reviews of a
// tenant.
func (w *invocation) reviewTokenCommand() *cobra.Command {
	var tenant string
	var life time.Duration
	cmd := &cobra.Command{
		Use:   "token --tenant ID",
		Short: "Print a token with which a program starts and reads the reviews of a tenant over HTTP",
		Long: "Token needs REVIEW_TOKEN_SECRET, the key of the web function, or its ARN. The token is a password: it starts\n" +
			"reviews of the tenant, and reads them, until it expires.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			id, err := document.ParseID(tenant)
			if err != nil {
				return fmt.Errorf("--tenant: %w", err)
			}
			if life <= 0 || life > web.LongestLife {
				return fmt.Errorf("--life: %s is not above 0s and at most %s (90 days)", life, web.LongestLife)
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
	cmd.Flags().StringVar(&tenant, "tenant", "", "the id of the tenant")
	cmd.Flags().DurationVar(&life, "life", 12*time.Hour, "the time until the token expires, 2160h (90 days) at most")
	_ = cmd.MarkFlagRequired("tenant") // fails only for a flag that is not there
	return cmd
}
