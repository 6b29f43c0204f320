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

// sheetFlags are the flags of the commands that read CSV files.
type sheetFlags struct{ fields, kind, decimal, dates string }

func (f *sheetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.fields, "map", "", "read CSV files: PATH=COLUMN,... or a file with a PATH=COLUMN a line")
	flags.StringVar(&f.kind, "type", "", "with --map: the type of documents without a column for it, such as invoice")
	flags.StringVar(&f.decimal, "decimal", "", "with --map: the decimal sign, . or , (default: found by the amounts)")
	flags.StringVar(&f.dates, "date-format", "", "with --map: the form of dates, such as DD.MM.YYYY (default YYYY-MM-DD)")
}

// sheet returns the description of CSV files, nil without --map.
func (f *sheetFlags) sheet() (s *csvfile.Sheet, err error) {
	if f.fields == "" {
		if f.kind+f.decimal+f.dates != "" {
			return nil, errors.New("--type, --decimal and --date-format are for --map")
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
		return nil, fmt.Errorf("--decimal %.10q is neither . nor ,", f.decimal)
	case f.kind != "" && s.Type == "":
		return nil, fmt.Errorf("--type %.40q is no type of documents", f.kind)
	case !typed && s.Type == "":
		return nil, errors.New("--map has no column for the type: --type is the type of all documents, such as invoice")
	}
	return s, nil
}
