package main

import (
	"errors"
	"fmt"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/document/csvfile"
	"matchbook/lambda/document/reference"

	"github.com/spf13/cobra"
)

type sheetFlags struct{ fields, kind, decimal, dates string }

func (f *sheetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.fields, "map", "", "read CSV files by this `MAP`: PATH=COLUMN,... or a file with one PATH=COLUMN per line")
	flags.StringVar(&f.kind, "type", "", "with --map: the `TYPE` of all documents, such as invoice, if there is no column for it")
	flags.StringVar(&f.decimal, "decimal", "", "with --map: the decimal `SIGN`, . or , (default detected from the amounts)")
	flags.StringVar(&f.dates, "date-format", "", "with --map: the `LAYOUT` of dates, such as DD.MM.YYYY (default YYYY-MM-DD)")
}

// sheet returns the layout of CSV files; nil without --map.
func (f *sheetFlags) sheet() (s *csvfile.Sheet, err error) {
	if f.fields == "" {
		if f.kind+f.decimal+f.dates != "" {
			return nil, errors.New("missing --map: --type, --decimal and --date-format work only with it")
		}
		return nil, nil
	}
	s = &csvfile.Sheet{Decimal: f.decimal, Type: document.Type(reference.Type(f.kind))}
	if s.Fields, err = csvfile.ParseMap(f.fields); err != nil {
		return nil, err
	}
	if s.Layout, err = csvfile.ParseLayout(f.dates); err != nil {
		return nil, err
	}
	typed := slices.ContainsFunc(s.Fields, func(f csvfile.Field) bool { return f.Path == "type" })
	switch {
	case !slices.Contains([]string{"", ".", ","}, f.decimal):
		return nil, fmt.Errorf("invalid --decimal %.10q: expected . or ,", f.decimal)
	case f.kind != "" && s.Type == "":
		return nil, fmt.Errorf("unknown --type %.40q: see matchbook schema", f.kind)
	case !typed && s.Type == "":
		return nil, errors.New("missing --type: --map lacks a column for it; use a type such as invoice")
	}
	return s, nil
}
