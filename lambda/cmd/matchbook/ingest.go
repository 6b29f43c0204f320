package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"matchbook/lambda/corpus"
	"matchbook/lambda/document"
	"matchbook/lambda/local/database"
	"matchbook/lambda/reading"
	"matchbook/lambda/rehearsal/model"
	"matchbook/lambda/setup"
	"matchbook/lambda/term"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// ingestOptions are the flags of the ingest command.
type ingestOptions struct {
	match, json                     bool
	html, ocr, bucket, tenant, logs string
	database                        database.Choice
	model                           model.Options
}

func (w *invocation) ingestCommand() *cobra.Command {
	var o ingestOptions
	cmd := &cobra.Command{
		Use:   "ingest FILE|DIR...",
		Short: "Read files into documents, and print each field with its place and why it is trusted",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.bucket == "" {
				return w.ingest(cmd.Context(), args, o)
			}
			for _, flag := range []string{"match", "json", "html", "ocr", "logs", "database", "model"} {
				if cmd.Flags().Changed(flag) {
					return fmt.Errorf("--%s is for files that are read here: leave it or --bucket out", flag)
				}
			}
			return w.upload(cmd.Context(), args, o)
		},
	}
	o.add(cmd)
	return cmd
}

func (o *ingestOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.match, "match", false, "print what belongs together, too")
	flags.BoolVar(&o.json, "json", false, "print the report as JSON")
	flags.StringVar(&o.html, "html", "", "write a page to this file, with the image of each page and its fields marked")
	flags.StringVar(&o.ocr, "ocr", "auto",
		"auto, tesseract, none: reads pages without text; auto: tesseract where it is installed")
	flags.StringVar(&o.bucket, "bucket", "",
		"upload into the inbox of this bucket of a deployed stack, and read nothing here")
	flags.StringVar(&o.tenant, "tenant", "",
		"the id of the tenant that owns the files (default a fixed one; --bucket needs it)")
	flags.StringVar(&o.logs, "logs", "", "append what the functions log to this file; - is standard error")
	databaseFlag(cmd, &o.database)
	modelFlags(&o.model, cmd, "openai with a key, else none")
}

func (o *ingestOptions) tenantID() (uuid.UUID, error) {
	if o.tenant == "" {
		return corpus.DefaultTenant, nil
	}
	id, err := document.ParseID(o.tenant)
	if err != nil {
		return id, fmt.Errorf("--tenant: %w", err)
	}
	return id, nil
}

func (w *invocation) ingest(ctx context.Context, paths []string, o ingestOptions) (err error) {
	m := term.NewMeter(w.errOut)
	defer m.Close()
	r, err := w.prepare(ctx, paths, o, m)
	if err != nil {
		return err
	}
	url, stop, err := o.database.Fill(ctx, w.env, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := r.Start(ctx, url); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Do(ctx); err != nil {
		return err
	}
	report, err := r.Report(ctx, o.match)
	if err != nil {
		return err
	}
	if err := w.showIngested(ctx, r, report, o); err != nil {
		return err
	}
	if !report.Accounting.AllCompleted() {
		return errFindings
	}
	return nil
}

// prepare checks the flags and finds the files.
func (w *invocation) prepare(ctx context.Context, paths []string, o ingestOptions, m *term.Meter) (
	*reading.Run, error) {
	if err := o.model.Check(w.env); err != nil {
		return nil, err
	}
	if o.model.Knowing() {
		return nil, fmt.Errorf("--model %s answers from the true links of a corpus, and files have none", o.model.Mode)
	}
	tenant, err := o.tenantID()
	if err != nil {
		return nil, err
	}
	files, skipped, err := reading.FindFiles(paths)
	if err != nil {
		return nil, err
	}
	ocr, err := reading.ChooseOCR(ctx, o.ocr)
	if err != nil {
		return nil, err
	}
	m.Say("%d files found, %d of other kinds left out; OCR: %s", len(files), skipped, ocr.Engine)
	m.Say("%s", o.model.Choose(w.env))
	return &reading.Run{Files: files, Tenant: tenant, OCR: ocr, Logs: o.logs, Progress: m,
		Model: model.Source{Options: o.model, Env: w.env}}, nil
}

// showIngested prints the report, and writes the page.
func (w *invocation) showIngested(ctx context.Context, r *reading.Run, report *reading.Report, o ingestOptions) error {
	if o.html != "" {
		page, err := r.Page(ctx, report)
		if err == nil {
			err = os.WriteFile(o.html, page, 0o600)
		}
		if err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if o.json {
		return term.JSON(w.out, report)
	}
	_, err := io.WriteString(w.out, report.Text())
	return err
}

// upload stores the files in a bucket, where their arrival starts ingestions.
func (w *invocation) upload(ctx context.Context, paths []string, o ingestOptions) error {
	if o.tenant == "" {
		return errors.New("--bucket needs --tenant: the files would belong to no tenant of the stack")
	}
	tenant, err := o.tenantID()
	if err != nil {
		return err
	}
	files, skipped, err := reading.FindFiles(paths)
	if err != nil {
		return err
	}
	store, err := setup.Bucket(ctx, o.bucket)
	if err != nil {
		return err
	}
	m := term.NewMeter(w.errOut)
	n, err := reading.Upload(ctx, store, tenant, files, m)
	m.Close()
	fmt.Fprintf(w.out, "uploaded %d of %d files to s3://%s/inbox/%s/, %d of other kinds left out\n",
		n, len(files), o.bucket, tenant, skipped)
	if n > 0 {
		fmt.Fprintln(w.out, "their ingestions start by themselves; "+
			"a file with the content of an earlier one changes nothing")
	}
	return err
}
