package main

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/explain"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) openCommand() *cobra.Command {
	var o sessionOptions
	var tenant string
	var kinds []string
	var limit int
	cmd := o.add(&cobra.Command{
		Use:   "open",
		Short: "List what waits for people, the most valuable first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := waitingFilter(tenant, kinds)
			if err == nil && limit < 1 {
				err = fmt.Errorf("--limit %d is less than 1", limit)
			}
			if err != nil {
				return err
			}
			return w.inSession(cmd.Context(), o, func(s *session) error {
				r, err := explain.NewReader(s.ctx, s.db).Waiting(f, limit)
				if err != nil {
					return err
				}
				return s.print(r, s.json)
			})
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&tenant, "tenant", "", "the id of the tenant whose documents are listed")
	flags.StringSliceVar(&kinds, "kind", nil, "list these kinds only: "+strings.Join(report.WaitingKinds, ", "))
	flags.IntVar(&limit, "limit", 20, "list this many, and count the rest")
	return cmd
}

func waitingFilter(tenant string, kinds []string) (f report.WaitingFilter, err error) {
	for _, kind := range kinds {
		if !slices.Contains(report.WaitingKinds, kind) {
			return f, fmt.Errorf("--kind %.50q is none of %s", kind, strings.Join(report.WaitingKinds, ", "))
		}
	}
	f.Kinds = kinds
	f.Tenant, err = tenantFlag(tenant)
	return f, err
}

// tenantFlag reads --tenant; the zero id stands for all tenants.
func tenantFlag(tenant string) (id uuid.UUID, err error) {
	if tenant == "" {
		return uuid.Nil, nil
	}
	if id, err = document.ParseID(tenant); err != nil || id == uuid.Nil {
		return id, fmt.Errorf("--tenant %.50q is no tenant's id, a UUID of 36 characters", tenant)
	}
	return id, nil
}
