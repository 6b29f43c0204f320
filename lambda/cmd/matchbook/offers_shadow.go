package main

import (
	"fmt"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/local/offerrun"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"

	"github.com/spf13/cobra"
)

func (w *invocation) offersShadowCommand() *cobra.Command {
	var o sessionOptions
	shadow := offerrun.ShadowOptions{}
	var date, tenant string
	cmd := o.add(&cobra.Command{
		Use:   "shadow",
		Short: "Compare a date's sets with another version of the ranking",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			jobs, err := offerrun.ParseJobs(nil, date, tenant)
			switch {
			case err != nil:
				return err
			case shadow.Version < 1 || shadow.Version > len(ranking.Versions()):
				return fmt.Errorf("--version: expected a version from 1 to %d", len(ranking.Versions()))
			case !(shadow.Share > 0 && shadow.Share <= 1):
				return fmt.Errorf("--share: expected a number above 0, up to 1")
			}
			shadow.Tenant, shadow.Date = jobs.Tenant, day.Of(time.Now().UTC())
			if jobs.Date != nil {
				shadow.Date = *jobs.Date
			}
			return w.inTenant(cmd.Context(), o, tenantOf(jobs), func(s *session) error {
				result, err := shadow.Run(s.ctx, s.db)
				if err != nil {
					return err
				}
				return cli.Findings(result.Succeeded(), s.Print(result, o.json))
			})
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&date, "date", "", "compare the sets of this `DATE`, such as 2026-03-29 (default today in UTC)")
	flags.StringVar(&tenant, "tenant", "", "only the tenant with this `ID`")
	flags.IntVar(&shadow.Version, "version", len(ranking.Versions()), "compare with version `N` of the ranking")
	flags.Float64Var(&shadow.Share, "share", 0.1, "compare this `SHARE` of the users, such as 0.1")
	return cmd
}
