package main

import (
	"cmp"
	"os"

	"matchbook/lambda/cli/desk"

	"github.com/spf13/cobra"
)

func (w *invocation) decideCommand() *cobra.Command {
	var o sessionOptions
	var filter waitingFlags
	var by string
	cmd := &cobra.Command{
		Use:   "decide",
		Short: "Walk through what waits for people, and answer each by one key",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := filter.parse()
			if err != nil {
				return err
			}
			return w.inSession(cmd.Context(), o, func(s *session) error {
				if err := s.checkTenant(f.Tenant); err != nil {
					return err
				}
				queue, err := s.matchQueue()
				if err != nil {
					return err
				}
				keys, restore := desk.Keys(s.ctx, os.Stdin)
				defer restore()
				d := desk.Desk{DB: s.db, Sender: queue, Filter: f, By: cmp.Or(by, operator(w.env)), Keys: keys, Out: w.out}
				return d.Walk(s.ctx)
			})
		},
	}
	filter.add(cmd)
	cmd.Flags().StringVar(&by, "by", "", "the person who decides; the user of the operating system by default")
	o.addKeep(cmd)
	return cmd
}
