package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"matchbook/lambda/cli/term"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) taughtCommand() *cobra.Command {
	return group("taught", "Show what corrections taught about suppliers",
		ofTenant("list --tenant ID", "Print where corrections taught to look for fields", 0,
			func(ctx context.Context, tenant uuid.UUID, _ []string) error { return w.listTaught(ctx, tenant) }),
		ofTenant("forget --tenant ID RULE", "Forget what a correction taught", 1,
			func(ctx context.Context, tenant uuid.UUID, args []string) error {
				return w.forget(ctx, tenant, args[0])
			}))
}

func (w *invocation) listTaught(ctx context.Context, tenant uuid.UUID) error {
	return w.inSession(ctx, sessionOptions{}, func(s *session) error {
		all, err := s.db.Ingestions().ListTaught(ctx, tenant)
		for _, r := range all {
			fmt.Fprintf(w.Out, "%d  %s  %s, for %s, taught by %s, by %s\n", r.ID, r.Field, term.Clean(r.Place.String(), term.MaxValue),
				term.Clean(r.Supplier(), term.MaxValue), term.Clean(r.Rule.By(), term.MaxValue), term.Clean(r.Person, term.MaxValue))
			if !r.ForgottenAt.IsZero() {
				day, why := r.ForgottenAt.UTC().Format(time.DateOnly), term.Clean(r.ForgottenWhy, term.MaxText)
				fmt.Fprintf(w.Out, "    forgotten on %s: %s\n", day, why)
			}
		}
		return err
	})
}

func (w *invocation) forget(ctx context.Context, tenant uuid.UUID, rule string) error {
	id, err := strconv.ParseInt(rule, 10, 64)
	if err != nil {
		return fmt.Errorf("invalid rule %.50q: expected its number in matchbook taught list", rule)
	}
	return w.inSession(ctx, sessionOptions{}, func(s *session) error {
		found, err := s.db.Ingestions().Forget(ctx, tenant, id)
		if err == nil && !found {
			return errors.New("unknown rule: matchbook taught list has them all")
		}
		return err
	})
}
