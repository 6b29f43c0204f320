package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// bound is a flag of tolerance set for a number of the tolerance.
type bound struct {
	name, purpose string
	of            func(*tolerance) *document.Amount
}

type tolerance = threeway.Tolerance

var bounds = []bound{
	{"price-percent", "accept a price that differs by so much", func(t *tolerance) *document.Amount { return &t.PricePercent }},
	{"price-absolute", "or by this amount", func(t *tolerance) *document.Amount { return &t.PriceAbsolute }},
	{"quantity-percent", "accept so many more than ordered or received", func(t *tolerance) *document.Amount { return &t.QuantityPercent }},
	{"measured-percent", "the same, for goods by weight or length", func(t *tolerance) *document.Amount { return &t.MeasuredPercent }},
	{"quantity-absolute", "or this many units more", func(t *tolerance) *document.Amount { return &t.QuantityAbsolute }},
	{"total-percent", "accept so much more than the order in all", func(t *tolerance) *document.Amount { return &t.TotalPercent }},
	{"total-absolute", "or by this amount", func(t *tolerance) *document.Amount { return &t.TotalAbsolute }},
	{"charge-percent", "accept unplanned charges of so much of the goods", func(t *tolerance) *document.Amount { return &t.ChargePercent }},
	{"charge-absolute", "or of this amount", func(t *tolerance) *document.Amount { return &t.ChargeAbsolute }},
}

func (w *invocation) toleranceCommand() *cobra.Command {
	var o sessionOptions
	var supplier, services, receipt string
	var texts [9]string // by bound
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
			for i, b := range bounds {
				if set.Flags().Changed(b.name) {
					changes[b.name] = texts[i]
				}
			}
			for name, text := range map[string]string{"needs-receipt": receipt, "services": services} {
				if set.Flags().Changed(name) {
					changes[name] = text
				}
			}
			return w.setTolerance(ctx, o, tenant, supplier, changes)
		}))
	for i, b := range bounds {
		set.Flags().StringVar(&texts[i], b.name, "", b.purpose+" (`NUMBER`)")
	}
	set.Flags().StringVar(&receipt, "needs-receipt", "", "`true` or false: order and invoice are enough")
	set.Flags().StringVar(&services, "services", "", "comma-separated `UNITS` or articles without a receipt, as hours and months")
	return group("tolerance", "Show or set the tolerances of the three-way match", show, set)
}

// supplierKey reads --supplier.
func supplierKey(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if _, ok := company.VATID(text); !ok && likeVATID.MatchString(strings.ReplaceAll(text, " ", "")) {
		return "", errors.New("--supplier: invalid check digits or country of the VAT id")
	}
	key := threeway.SupplierKey(document.Party{Name: text, VATID: text})
	if key == "" {
		return "", errors.New("--supplier: missing name")
	}
	return key, nil
}

var likeVATID = regexp.MustCompile(`^[A-Za-z]{2}[0-9]{8,12}$`)

func (w *invocation) showTolerance(ctx context.Context, o sessionOptions, tenant uuid.UUID, supplier string) error {
	key, err := supplierKey(supplier)
	if err != nil {
		return err
	}
	return w.inSession(ctx, o, func(s *session) error {
		if err := s.checkTenant(tenant); err != nil {
			return err
		}
		all, err := s.db.Tolerances(s.ctx, tenant)
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
	ctx context.Context, o sessionOptions, tenant uuid.UUID, supplier string, changes map[string]string,
) error {
	key, err := supplierKey(supplier)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return errors.New("missing change: pass a flag such as --quantity-percent 5")
	}
	change := func(t *threeway.Tolerance) error { return apply(t, changes) }
	if err := change(new(threeway.Usual())); err != nil {
		return err
	}
	return w.inSession(ctx, o, func(s *session) error {
		if err := s.checkTenant(tenant); err != nil {
			return err
		}
		queue, err := s.matchQueue()
		if err != nil {
			return err
		}
		set, concerned, stamped, err := s.db.SetTolerance(s.ctx, tenant, key, change)
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

var most = document.MustAmount("1000000000000")

// apply changes a tolerance by the flags of tolerance set.
func apply(t *threeway.Tolerance, changes map[string]string) error {
	for _, b := range bounds {
		text, ok := changes[b.name]
		if !ok {
			continue
		}
		n, err := document.ParseAmount(text)
		switch {
		case err != nil:
			return fmt.Errorf("--%s: %w", b.name, err)
		case n.Sign() < 0 || n.Cmp(most) > 0 || strings.HasSuffix(b.name, "percent") && n.Cmp(document.MustAmount("1000")) > 0:
			return fmt.Errorf("--%s: invalid number %s", b.name, text)
		}
		*b.of(t) = n.Round(4)
	}
	switch text, ok := changes["needs-receipt"]; {
	case ok && text != "true" && text != "false":
		return fmt.Errorf("--needs-receipt: invalid value %q, expected true or false", text)
	case ok:
		t.NeedsReceipt = text == "true"
	}
	if text, ok := changes["services"]; ok {
		t.Services = []string{}
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				t.Services = append(t.Services, one)
			}
		}
	}
	return nil
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
		for _, b := range bounds {
			fmt.Fprintf(&text, "  %-18s %s\n", b.name, b.of(&one).Canonical())
		}
		fmt.Fprintf(&text, "  %-18s %v\n", "needs-receipt", one.NeedsReceipt)
		if len(one.Services) > 0 {
			fmt.Fprintf(&text, "  %-18s %s\n", "services", strings.Join(one.Services, ", "))
		}
	}
	return text.String()
}
