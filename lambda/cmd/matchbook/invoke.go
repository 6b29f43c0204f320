package main

import (
	"context"
	"errors"
	"io"
	"os"

	"matchbook/lambda/corpus"
	"matchbook/lambda/local/database"
	"matchbook/lambda/rehearsal"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// sampleDocuments is the default of --documents.
const sampleDocuments = "testdata/documents"

// invokeOptions are the flags of the invoke command.
type invokeOptions struct {
	event     string
	documents string
	json      bool
	logs      string
	database  database.Choice
}

func (w *invocation) invokeCommand() *cobra.Command {
	var o invokeOptions
	cmd := &cobra.Command{
		Use:   "invoke -e FILE",
		Short: "Invoke the function once with an SQS event, as sam local invoke does, without Docker",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(o.documents); err != nil && !cmd.Flags().Changed("documents") {
				o.documents = ""
			}
			return w.invoke(cmd.Context(), cmd.InOrStdin(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.event, "event", "e", "", "file with the event; - is standard input")
	flags.StringVar(&o.documents, "documents", sampleDocuments,
		"folder of documents to import first; the default counts only if it exists")
	flags.BoolVar(&o.json, "json", false, "print the outcome as JSON")
	flags.StringVar(&o.logs, "logs", "", "append what the function logs to this file; - is standard error")
	databaseFlag(cmd, &o.database)
	_ = cmd.MarkFlagRequired("event") // fails only for a flag that is not there
	return cmd
}

func (w *invocation) invoke(ctx context.Context, stdin io.Reader, o invokeOptions) (err error) {
	p := term.NewMeter(w.errOut)
	defer p.Close()
	event, err := rehearsal.ReadEvent(o.event, stdin)
	if err != nil {
		return err
	}
	in := &corpus.Input{}
	if o.documents != "" {
		if in, err = corpus.ReadFolder(o.documents); err != nil {
			return err
		}
	}
	url, stop, err := o.database.Fill(ctx, w.env, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r := &rehearsal.Run{In: in, Options: rehearsal.Options{Logs: o.logs, Concurrency: 1}, Progress: p, NoMapping: true}
	if err := r.Start(ctx, url); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Store(ctx); err != nil {
		return err
	}
	for _, problem := range in.Problems {
		p.Say("not imported: %s: %s", problem.Where(), problem.What)
	}
	p.Say("%d documents imported, none of them published", len(r.IDs))
	outcome, err := r.Invoke(ctx, event)
	if err != nil {
		return err
	}
	if err := outcome.Write(w.out, o.json); err != nil {
		return err
	}
	if !outcome.AllAcknowledged() {
		return errFindings
	}
	return nil
}
