package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/matches"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) taughtCommand() *cobra.Command {
	return group("taught", "Show what corrections and matches taught about suppliers",
		ofTenant("list --tenant ID", "Print what people's answers taught", 0,
			func(ctx context.Context, tenant uuid.UUID, _ []string) error { return w.listTaught(ctx, tenant) }),
		ofTenant("forget --tenant ID RULE", "Forget what a correction or a match taught", 1,
			func(ctx context.Context, tenant uuid.UUID, args []string) error {
				return w.forget(ctx, tenant, args[0])
			}))
}

func (w *invocation) listTaught(ctx context.Context, tenant uuid.UUID) error {
	return w.inSession(ctx, sessionOptions{}, func(s *session) error {
		all, err := ingestions.New(s.db).ListTaught(ctx, tenant)
		for _, r := range all {
			fmt.Fprintf(w.Out, "%d  %s  %s, for %s, taught by %s, by %s\n", r.ID, r.Field, term.Clean(r.Place.String(), term.MaxValue),
				term.Clean(r.Supplier(), term.MaxValue), term.Clean(r.Rule.By(), term.MaxValue), term.Clean(r.Person, term.MaxValue))
			if !r.ForgottenAt.IsZero() {
				day, why := r.ForgottenAt.UTC().Format(time.DateOnly), term.Clean(r.ForgottenWhy, term.MaxText)
				fmt.Fprintf(w.Out, "    forgotten on %s: %s\n", day, why)
			}
		}
		if err != nil {
			return err
		}
		facts, err := matches.New(s.db).TaughtFacts(ctx, tenant)
		for _, f := range facts {
			kind, words, source := score.Lesson(f.Fact)
			fmt.Fprintf(w.Out, "%s  %s  %s, for %s, taught by %s on %s, by %s\n", f.ID, kind, term.Clean(words, term.MaxText),
				term.Clean(f.Supplier, term.MaxValue), term.Clean(source, term.MaxText), f.At.UTC().Format(time.DateOnly),
				term.Clean(f.Person, term.MaxValue))
		}
		if err != nil {
			return err
		}
		t, err := matches.New(s.db).Threshold(ctx, tenant)
		for _, line := range t.Lines() {
			fmt.Fprintf(w.Out, "%s  %s, by %d confirmed and %d rejected matches, the last on %s by %s\n", thresholdRule, line,
				t.Confirmed, t.Rejected, t.At.UTC().Format(time.DateOnly), term.Clean(t.Person, term.MaxValue))
		}
		return err
	})
}

// thresholdRule names the thresholds of a tenant as a rule to forget.
const thresholdRule = "threshold"

func (w *invocation) forget(ctx context.Context, tenant uuid.UUID, rule string) error {
	id, err := strconv.ParseInt(rule, 10, 64)
	ofMatch := strings.HasPrefix(rule, "m") || rule == thresholdRule
	if err != nil && !ofMatch {
		return fmt.Errorf("invalid rule %.50q: expected its number in matchbook taught list", rule)
	}
	return w.inSession(ctx, sessionOptions{}, func(s *session) (err error) {
		var found bool
		if ofMatch {
			found, err = s.forgetFact(tenant, rule)
		} else {
			found, err = ingestions.New(s.db).Forget(ctx, tenant, id)
		}
		if err == nil && !found {
			return errors.New("unknown rule: matchbook taught list has them all")
		}
		return err
	})
}

func (s *session) forgetFact(tenant uuid.UUID, id string) (found bool, err error) {
	queue, err := s.matchQueue()
	if err != nil {
		return false, err
	}
	found, stamped, err := s.forgetInDB(tenant, id)
	unsent := job.Send(s.ctx, queue, stamped)
	if unsent != nil {
		fmt.Fprintf(s.ErrOut, "rule forgotten: %s\n", errtext.Describe(unsent))
	}
	return found, errors.Join(err, cli.Findings(unsent == nil, nil))
}

func (s *session) forgetInDB(tenant uuid.UUID, id string) (found bool, published []job.Stamped, err error) {
	if id == thresholdRule {
		return matches.New(s.db).ForgetThreshold(s.ctx, tenant)
	}
	return matches.New(s.db).ForgetFact(s.ctx, tenant, id)
}
