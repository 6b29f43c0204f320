package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) exportCommand() *cobra.Command {
	var o sessionOptions
	var format, tenant string
	cmd := o.add(&cobra.Command{
		Use:       "export VIEW",
		Short:     "Export matches, questions or states as CSV or JSON",
		ValidArgs: report.Views,
		Args:      cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(report.Views, args[0]) {
				return fmt.Errorf("unknown view %.50q: use one of %s", args[0], strings.Join(report.Views, ", "))
			}
			if o.json {
				format = "jsonl"
			}
			if format != "csv" && format != "jsonl" {
				return fmt.Errorf("invalid --format %.50q: expected csv or jsonl", format)
			}
			of, err := tenantFlag(tenant)
			if err != nil {
				return err
			}
			return w.inTenant(cmd.Context(), o, of, func(s *session) error { return s.export(args[0], format, of) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "csv", "csv, or jsonl for one JSON object a line")
	flags.StringVar(&tenant, "tenant", "", "only the tenant with this `ID`")
	flags.Lookup("json").Usage = "short for --format jsonl"
	return cmd
}

// export streams the rows, so that memory doesn't grow with the view.
func (s *session) export(view, format string, tenant uuid.UUID) error {
	reader, out := report.From(s.db), bufio.NewWriter(s.Out)
	if format == "jsonl" {
		err := reader.ExportJSON(s.ctx, view, tenant, func(row string) error {
			_, err := out.WriteString(row + "\n")
			return err
		})
		return errors.Join(err, out.Flush())
	}
	lines := csv.NewWriter(out)
	err := reader.Export(s.ctx, view, tenant, lines.Write)
	lines.Flush()
	return errors.Join(err, lines.Error(), out.Flush())
}
