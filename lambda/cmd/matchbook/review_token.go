package main

import (
	"fmt"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/document"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/web"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func (w *invocation) reviewTokenCommand() *cobra.Command {
	var tenant string
	var life time.Duration
	var withdraw bool
	cmd := &cobra.Command{
		Use:   "token --tenant ID",
		Short: "Print an access token for the URL of reviews",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := document.ParseID(tenant)
			if err != nil {
				return fmt.Errorf("--tenant: %w", err)
			}
			if withdraw {
				return w.inTenant(cmd.Context(), sessionOptions{}, id, func(s *session) error {
					err := reviews.New(s.db).WithdrawTokens(s.ctx, id)
					if err == nil {
						fmt.Fprintf(w.Out, "withdrew all tokens of tenant %s, also the ones of its reviews\n", id)
					}
					return err
				})
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
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "withdraw all tokens of the tenant at DATABASE_URL instead")
	cli.Need(cmd, "tenant")
	return cmd
}
