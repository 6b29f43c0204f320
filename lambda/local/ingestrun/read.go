package ingestrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// Options configures an ingestion or an upload.
type Options struct {
	Match    bool   // report matches too
	JSON     bool   // print the report as JSON
	HTML     string // file for the page with marked images; empty writes none
	OCR      string // auto, tesseract or none
	Password string // file with passwords of PDFs; empty: none
	Tenant   string // id of the owner; empty uses a fixed one
	Logs     string // file for the functions' logs; "-" writes to the progress meter, empty discards them
	Database database.Choice
	Model    scripted.Flags
}

// Read ingests files and folders, prints the report, and reports whether every ingestion
// completed.
func (o Options) Read(ctx context.Context, paths []string, env setup.Env, out io.Writer, m *term.Meter) (
	completed bool, err error,
) {
	r, err := o.prepare(ctx, paths, env, m)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Open(ctx, o.Database, env, r.configure, manifest.Match, manifest.Ingest); err != nil {
		return false, err
	}
	if err := r.Do(ctx); err != nil {
		return false, err
	}
	report, err := r.Report(ctx, o.Match)
	if err != nil {
		return false, err
	}
	return report.Accounting.AllCompleted(), o.show(ctx, r, report, out)
}

// prepare checks the options and finds the files.
func (o Options) prepare(ctx context.Context, paths []string, env setup.Env, m *term.Meter) (*Run, error) {
	if err := o.Model.Check(env); err != nil {
		return nil, err
	}
	if o.Model.Knowing() {
		return nil, fmt.Errorf("unsupported --model %s: it needs the true links of a corpus, and files have none", o.Model.Mode)
	}
	tenant, err := o.tenant()
	if err != nil {
		return nil, err
	}
	found, err := o.find(ctx, paths)
	if err != nil {
		return nil, err
	}
	ocr, err := chooseOCR(ctx, o.OCR)
	if err != nil {
		return nil, err
	}
	m.Say("%s found, %d left out; OCR: %s", plural.Of(found.found, "file", "files"), len(found.leftOut), ocr.Engine)
	if ocr.Missing != "" && o.OCR == auto {
		m.Say("pages without text are not read: %s", ocr.Missing)
	}
	m.Say("%s", o.Model.Choose(env))
	return &Run{Session: local.Session{Progress: m, LogFile: o.Logs}, found: found, Tenant: tenant, OCR: ocr,
		Model: scripted.Model{Flags: o.Model, Env: env}}, nil
}

// find finds the files, and decrypts PDFs with the passwords given.
func (o Options) find(ctx context.Context, paths []string) (*selection, error) {
	passwords, err := o.passwords()
	if err != nil {
		return nil, err
	}
	found, err := findFiles(paths)
	if err != nil {
		return nil, err
	}
	return found, found.decrypt(ctx, passwords)
}

func (o Options) tenant() (uuid.UUID, error) {
	if o.Tenant == "" {
		return corpus.DefaultTenant, nil
	}
	id, err := document.ParseID(o.Tenant)
	if err != nil {
		return id, fmt.Errorf("--tenant: %w", err)
	}
	return id, nil
}

// show prints the report and writes the page.
func (o Options) show(ctx context.Context, r *Run, report *Report, out io.Writer) error {
	if o.HTML != "" {
		page, err := r.Page(ctx, report)
		if err == nil {
			err = os.WriteFile(o.HTML, page, 0o600)
		}
		if err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	report.width = term.WidthOf(out)
	return term.Print(out, report, o.JSON)
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]+[a-z0-9]$`)

// Upload stores files and folders in a bucket of a deployed stack; their arrival starts the
// ingestions. It prints the number of files.
func (o Options) Upload(ctx context.Context, paths []string, bucket string, out io.Writer, m *term.Meter) error {
	if !bucketName.MatchString(bucket) {
		return errors.New("--bucket: invalid bucket name: expected one such as my-bucket")
	}
	if o.Tenant == "" {
		return errors.New("missing --tenant: --bucket needs one, because the files must belong to a tenant of the stack")
	}
	tenant, err := o.tenant()
	if err != nil {
		return err
	}
	found, err := o.find(ctx, paths)
	if err != nil {
		return err
	}
	store, err := blob.Open(ctx, "s3://"+bucket, setup.LoadSignedIn)
	if err != nil {
		return fmt.Errorf("open bucket %s: %w", bucket, err)
	}
	n, err := upload(ctx, store, tenant, found.files, m)
	for _, l := range found.leftOut {
		fmt.Fprintf(out, "left out: %s: %s\n", term.Clean(l.File, term.MaxText), l.Reason)
	}
	fmt.Fprintf(out, "uploaded %d of %s to s3://%s/inbox/%s/, %d left out\n",
		n, plural.Of(len(found.files), "file", "files"), bucket, tenant, len(found.leftOut))
	if n > 0 {
		fmt.Fprintln(out, "ingestion starts automatically; "+
			"files with the same content as earlier ones change nothing")
	}
	return err
}
