package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/postgres"

	"github.com/spf13/cobra"
)

// youngestPruned is the smallest age. Younger rows may still be sent or asked for.
const youngestPruned = 14 * 24 * time.Hour

// pruneReport counts rows by kind.
type pruneReport struct {
	DryRun bool         `json:"dry_run"`
	Kinds  []prunedKind `json:"kinds"`
}

type prunedKind struct {
	Kind string `json:"kind"`
	Rows int64  `json:"rows"`
}

// Text returns the report for a terminal.
func (r *pruneReport) Text() string {
	var p term.Page
	verb := "pruned"
	if r.DryRun {
		verb = "would prune"
	}
	for _, k := range r.Kinds {
		p.Line("%s %s of %s", verb, plural.Of(int(k.Rows), "row"), k.Kind)
	}
	return p.String()
}

func prunedNames() (names []string) {
	for _, k := range postgres.PrunedKinds {
		names = append(names, k.Kind)
	}
	return names
}

// prunedHelp lists the kinds for the help.
func prunedHelp() string {
	var p term.Page
	for _, k := range postgres.PrunedKinds {
		p.Hang(fmt.Sprintf("  %-14s ", k.Kind), k.What)
	}
	return p.String()
}

func (w *invocation) pruneCommand() *cobra.Command {
	var o sessionOptions
	var kinds []string
	var olderThan string
	var dryRun bool
	cmd := o.add(&cobra.Command{
		Use:   "prune --kind KIND --older-than AGE",
		Short: "Delete old data by kind, such as answers of models",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			age, err := parseAge(olderThan)
			if err != nil {
				return err
			}
			for _, k := range kinds {
				if !slices.Contains(prunedNames(), k) {
					return fmt.Errorf("unknown --kind %.50q: use one of %s", k, strings.Join(prunedNames(), ", "))
				}
			}
			return w.inSession(cmd.Context(), o, func(s *session) error { return s.prune(kinds, age, dryRun) })
		},
	})
	flags := cmd.Flags()
	flags.StringSliceVar(&kinds, "kind", nil, "prune this `KIND`; repeat or separate by commas: "+strings.Join(prunedNames(), ", "))
	flags.StringVar(&olderThan, "older-than", "", "prune what is older than this `AGE` in days, such as 90d; 14d or more")
	flags.BoolVar(&dryRun, "dry-run", false, "count the rows, and change nothing")
	cli.Need(cmd, "kind")
	cli.Need(cmd, "older-than")
	return cmd
}

func parseAge(age string) (time.Duration, error) {
	days, err := strconv.ParseUint(strings.TrimSuffix(age, "d"), 10, 16)
	d := time.Duration(days) * 24 * time.Hour
	if err != nil || !strings.HasSuffix(age, "d") || d < youngestPruned {
		return 0, fmt.Errorf("invalid --older-than %.50q: expected days, 14d or more", age)
	}
	return d, nil
}

func (s *session) prune(kinds []string, age time.Duration, dryRun bool) error {
	r := &pruneReport{DryRun: dryRun}
	var failed error
	for _, k := range postgres.PrunedKinds {
		if failed != nil || !slices.Contains(kinds, k.Kind) {
			continue
		}
		count := prunedKind{Kind: k.Kind}
		failed = s.db.Prune(s.ctx, k, age, dryRun, func(n int64) { count.Rows += n })
		r.Kinds = append(r.Kinds, count)
	}
	return errors.Join(s.Print(r, s.json), failed)
}
