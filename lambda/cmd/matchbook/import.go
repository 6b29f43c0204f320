package main

import (
	"context"
	"errors"
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/importer"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"

	"github.com/spf13/cobra"
)

func (w *invocation) importCommand() *cobra.Command {
	var o importOptions
	cmd := o.add(&cobra.Command{
		Use:   "import DIR|FILE...",
		Short: "Import documents into the database",
		Args:  cli.Args(1, cli.Many),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.inSession(cmd.Context(), o.sessionOptions, func(s *session) error { return s.importFiles(args, o) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&o.tenant, "tenant", "", "use this tenant `ID` for documents without one")
	o.sheet.add(cmd)
	flags.BoolVar(&o.replace, "replace", false, "replace documents stored with other content, and publish them again")
	return cmd
}

type importOptions struct {
	sessionOptions
	tenant  string
	replace bool
	sheet   sheetFlags
}

func (s *session) importFiles(paths []string, o importOptions) (err error) {
	reader := &corpus.Reader{}
	if reader.Sheet, err = o.sheet.sheet(); err != nil {
		return err
	}
	if o.tenant != "" {
		if reader.Tenant, err = document.ParseID(o.tenant); err != nil {
			return fmt.Errorf("invalid --tenant %.50q: %w", o.tenant, err)
		}
	}
	m := term.NewMeter(s.ErrOut)
	defer m.Close()
	i := importer.Import{DB: s.db, Replace: o.replace, Meter: m}
	if i.Queue, err = s.matchQueue(); err != nil {
		return err
	}
	in, err := readAll(s.ctx, reader, paths, m)
	if err != nil {
		return err
	}
	r, err := i.Run(s.ctx, in)
	return errors.Join(s.Print(r, o.json), cli.Findings(r.Succeeded(), err))
}

// readAll reads the files. It returns early when ctx ends.
func readAll(ctx context.Context, reader *corpus.Reader, paths []string, m *term.Meter) (*corpus.Input, error) {
	m.Watch(importer.Progress(reader))
	defer m.Watch(nil)
	type result struct {
		in  *corpus.Input
		err error
	}
	read := make(chan result, 1)
	go func() {
		in, err := reader.Read(paths...)
		read <- result{in, err}
	}()
	select {
	case r := <-read:
		return r.in, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
