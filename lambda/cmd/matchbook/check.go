package main

import (
	"fmt"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/document/csvfile"
	"matchbook/lambda/document/format"
	"matchbook/lambda/internal/plural"

	"github.com/spf13/cobra"
)

func (w *invocation) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a document",
		Args:  cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := w.Out.Write(format.Schema)
			return err
		},
	}
}

func (w *invocation) checkCommand() *cobra.Command {
	var asJSON bool
	var limit int
	var sheet sheetFlags
	cmd := &cobra.Command{
		Use:   "check DIR|FILE...",
		Short: "Check documents against the schema",
		Args:  cli.Args(1, cli.Many),
		RunE: func(_ *cobra.Command, args []string) error {
			columns, err := sheet.sheet()
			if err != nil {
				return err
			}
			r, err := check(columns, args)
			if err != nil {
				return err
			}
			r.limit = limit
			err = w.Print(r, asJSON)
			if err == nil && len(r.Problems)+r.DepartureCount > 0 {
				err = cli.ErrFindings
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	sheet.add(cmd)
	f.IntVar(&limit, "limit", 20, "show at most this many departures, and count the rest")
	return cmd
}

type checked struct {
	Documents      int                `json:"documents"` // that match accepts
	Problems       []corpus.Problem   `json:"problems"`  // what it rejects
	Departures     []corpus.Departure `json:"departures"`
	DepartureCount int                `json:"departure_count"` // all of them; Departures may be cut
	Skipped        corpus.Skipped     `json:"skipped"`
	limit          int                // of departures, in the text
}

func check(sheet *csvfile.Sheet, paths []string) (r checked, err error) {
	in, err := (&corpus.Reader{Tenant: corpus.DefaultTenant, Sheet: sheet}).Read(paths...)
	if err != nil {
		return r, err
	}
	r = checked{Documents: len(in.Documents), Problems: []corpus.Problem{}, Departures: []corpus.Departure{},
		DepartureCount: in.DepartureCount, Skipped: in.Skipped}
	r.Problems, r.Departures = append(r.Problems, in.Problems...), append(r.Departures, in.Departures...)
	return r, nil
}

// Text lists the departures, then unreadable documents and skipped files.
func (r checked) Text() string {
	var b strings.Builder
	shown := r.Departures[:min(len(r.Departures), max(r.limit, 0))]
	for _, d := range shown {
		fmt.Fprintf(&b, "%s:%d  %s\n      found     %s\n      expected  %s\n", d.File, d.Line, d.Path, d.Found, d.Expected)
		if d.Hint != "" {
			fmt.Fprintf(&b, "      did you mean %s?\n", d.Hint)
		}
	}
	if more := r.DepartureCount - len(shown); more > 0 {
		fmt.Fprintf(&b, "... and %d more\n", more)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s  rejected: %s\n", p.Where(), p.What)
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(&b, "skipped files: %s\n", r.Skipped)
	}
	fmt.Fprintf(&b, "%s can be matched, %d cannot; %s from the schema (see matchbook schema)\n",
		plural.Of(r.Documents, "document"), len(r.Problems), plural.Of(r.DepartureCount, "departure"))
	return b.String()
}
