package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/document"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) openCommand() *cobra.Command {
	var o sessionOptions
	var filter waitingFlags
	var limit int
	var all bool
	cmd := o.add(&cobra.Command{
		Use:   "open",
		Short: "List open work for people, the most valuable first",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := filter.parse()
			if err == nil && limit < 1 {
				err = fmt.Errorf("invalid --limit %d: must be 1 or more", limit)
			}
			if err != nil {
				return err
			}
			f.All = all
			return w.inTenant(cmd.Context(), o, f.Tenant, func(s *session) error {
				r, err := explain.NewReader(s.ctx, s.db).Waiting(f, limit)
				if err != nil {
					return err
				}
				return s.Print(r, s.json)
			})
		},
	})
	filter.add(cmd)
	cmd.Flags().IntVar(&limit, "limit", 20, "list at most this many, and count the rest")
	cmd.Flags().BoolVar(&all, "all", false, "also list questions about documents with other matches of that kind")
	return cmd
}

type waitingFlags struct {
	kinds                             []string
	tenant, minValue, since, document string
}

func (w *waitingFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&w.kinds, "kind", nil, "only this `KIND`; repeat or separate by commas: "+strings.Join(report.WaitingKinds, ", "))
	flags.StringVar(&w.tenant, "tenant", "", "only the tenant with this `ID`")
	flags.StringVar(&w.minValue, "min-value", "", "only totals of at least this `AMOUNT`, such as 1000, in any currency")
	flags.StringVar(&w.since, "since", "", "only work that has waited since this `TIME`, such as 2026-03-02T09:00:00Z, or for the last 24h")
	flags.StringVar(&w.document, "document", "", "only work on a document of this `TYPE`, such as invoice")
}

func (w *waitingFlags) parse() (f report.WaitingFilter, err error) {
	for _, kind := range w.kinds {
		if !slices.Contains(report.WaitingKinds, kind) {
			return f, fmt.Errorf("unknown --kind %.50q: use one of %s", kind, strings.Join(report.WaitingKinds, ", "))
		}
	}
	if f.Tenant, err = tenantFlag(w.tenant); err != nil {
		return f, err
	}
	if f.MinValue = w.minValue; f.MinValue != "" && !plainDecimal.MatchString(f.MinValue) {
		return f, fmt.Errorf("invalid --min-value %.50q: expected an amount such as 1000 or 99.50", w.minValue)
	}
	if w.document != "" {
		if f.Type, err = document.ParseType(w.document); err != nil {
			return f, fmt.Errorf("--document: %w", err)
		}
	}
	times, err := republish.ParseFilter("", w.since, "")
	f.Kinds, f.Since, f.Within = w.kinds, times.Since, times.Within
	return f, err
}

var plainDecimal = regexp.MustCompile(`^[0-9]{1,18}(\.[0-9]{1,9})?$`)

// tenantFlag parses --tenant; zero stands for all tenants.
func tenantFlag(tenant string) (id uuid.UUID, err error) {
	if tenant == "" {
		return uuid.Nil, nil
	}
	if id, err = document.ParseID(tenant); err != nil || id == uuid.Nil {
		return id, fmt.Errorf("invalid --tenant %.50q: expected a UUID of 36 characters", tenant)
	}
	return id, nil
}
