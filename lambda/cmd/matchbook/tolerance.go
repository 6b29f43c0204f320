package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) toleranceCommand() *cobra.Command {
	var o sessionOptions
	var supplier, services, receipt string
	var texts [9]string // by bound
	change := matches.ToleranceChange{Origin: postgres.OriginCommand}
	withSupplier := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().StringVar(&supplier, "supplier", "", "of this supplier: the `NAME`, or better the VAT id (default all others)")
		return o.add(cmd)
	}
	show := withSupplier(ofTenant("show --tenant ID", "Print the tolerances of a tenant", 0,
		func(ctx context.Context, tenant uuid.UUID, _ []string) error {
			return w.showTolerance(ctx, o, tenant, supplier)
		}))
	var set *cobra.Command
	set = withSupplier(ofTenant("set --tenant ID", "Change a tolerance and judge invoices again", 0,
		func(ctx context.Context, tenant uuid.UUID, _ []string) error {
			changes := map[string]string{}
			for i, b := range threeway.Bounds {
				if set.Flags().Changed(b.Name) {
					changes[b.Name] = texts[i]
				}
			}
			for name, text := range map[string]string{threeway.NeedsReceipt: receipt, threeway.Services: services} {
				if set.Flags().Changed(name) {
					changes[name] = text
				}
			}
			return w.setTolerance(ctx, o, tenant, supplier, changes, change)
		}))
	for i, b := range threeway.Bounds {
		set.Flags().StringVar(&texts[i], b.Name, "", b.Purpose+" (`NUMBER`)")
	}
	set.Flags().StringVar(&receipt, "needs-receipt", "", "`true` or false: order and invoice are enough")
	set.Flags().StringVar(&services, "services", "", "comma-separated `UNITS` or articles without a receipt, as hours and months")
	set.Flags().StringVar(&change.Reason, "reason", "", "store this `TEXT` with the change")
	set.Flags().StringVar(&change.By, "by", "", "record the change under this `NAME` (default the operating system's user)")
	return group("tolerance", "Show or set the tolerances of the three-way match", show, set)
}

// supplierKey reads --supplier.
func supplierKey(text string) (string, error) {
	key, err := threeway.ParseSupplier(text)
	if err != nil {
		err = fmt.Errorf("--supplier: %w", err)
	}
	return key, err
}

func (w *invocation) showTolerance(ctx context.Context, o sessionOptions, tenant uuid.UUID, supplier string) error {
	key, err := supplierKey(supplier)
	if err != nil {
		return err
	}
	return w.inSession(ctx, o, func(s *session) error {
		if err := s.checkTenant(tenant); err != nil {
			return err
		}
		all, err := matches.New(s.db).Tolerances(s.ctx, tenant)
		if err != nil {
			return err
		}
		if _, ok := all[""]; !ok {
			all[""] = threeway.Usual()
		}
		if key != "" {
			all = threeway.Tolerances{key: all.For(key)}
		}
		return s.Print(tolerances(all), s.json)
	})
}

func (w *invocation) setTolerance(
	ctx context.Context, o sessionOptions, tenant uuid.UUID, supplier string, changes map[string]string, c matches.ToleranceChange,
) error {
	key, err := supplierKey(supplier)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return errors.New("missing change: pass a flag such as --quantity-percent 5")
	}
	if err := new(threeway.Usual()).Apply(changes); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return w.inSession(ctx, o, func(s *session) error {
		if err := s.checkTenant(tenant); err != nil {
			return err
		}
		queue, err := s.matchQueue()
		if err != nil {
			return err
		}
		c.By = cmp.Or(c.By, operator(w.Env))
		c.Change = func(t *threeway.Tolerance) error { return t.Apply(changes) }
		set, concerned, stamped, err := matches.New(s.db).SetTolerance(s.ctx, tenant, key, c)
		if err != nil {
			return err
		}
		unsent := job.Send(s.ctx, queue, stamped)
		if unsent != nil {
			fmt.Fprintf(s.ErrOut, "tolerance stored: %s\n", errtext.Describe(unsent))
		}
		fmt.Fprintf(s.ErrOut, "%s to judge again\n", plural.Of(concerned, "invoice"))
		return errors.Join(s.Print(tolerances{key: set}, s.json), cli.Findings(unsent == nil, nil))
	})
}

// tolerances prints as a list, the tenant's first.
type tolerances threeway.Tolerances

func (t tolerances) Text() string {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(t)) {
		name := "supplier " + key
		if key == "" {
			name = "all other suppliers"
		}
		fmt.Fprintln(&text, name)
		one := t[key]
		for _, b := range threeway.Bounds {
			fmt.Fprintf(&text, "  %-18s %s\n", b.Name, b.Of(&one).Canonical())
		}
		fmt.Fprintf(&text, "  %-18s %v\n", "needs-receipt", one.NeedsReceipt)
		if len(one.Services) > 0 {
			fmt.Fprintf(&text, "  %-18s %s\n", "services", strings.Join(one.Services, ", "))
		}
	}
	return text.String()
}
