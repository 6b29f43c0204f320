package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
)

// LoadIngest reads the configuration of the ingest function, its secrets too.
func LoadIngest(env Env) (Config, error) {
	c, err := LoadFunction(env, manifest.Ingest)
	var errs []error
	c.Blobs = required(env, manifest.EnvBlobURL, storeMeaning, &errs)
	match := required(env, manifest.EnvMatchQueueURL, queueMeaning(manifest.Match), &errs)
	c.Queues = map[string]string{manifest.Match.Name: match}
	errs = append(errs, loadOCR(env, &c)...)
	return c, errors.Join(err, report(errs))
}

// Ingest opens the ingest function. close closes its adapters.
func Ingest(ctx context.Context, c Config, log *slog.Logger) (h *sqsjob.Handler, close func(), err error) {
	reader, closeReader, err := NewIngester(ctx, c, log)
	if err != nil {
		return nil, nil, err
	}
	w := Workload{manifest.Ingest, postgres.Tables[manifest.Ingest.Name]}
	h, closeFunction, err := Function(ctx, c, w, log, func(o Opened) job.Work {
		in := *reader
		in.Store, in.Model, in.Log = o.DB.Ingestions(), o.Model, o.Log
		return in.Ingest
	})
	if err != nil {
		closeReader()
		return nil, nil, err
	}
	return h, func() { closeFunction(); closeReader() }, nil
}

// NewIngester opens everything that reading a file needs but the database.
func NewIngester(ctx context.Context, c Config, log *slog.Logger) (in *ingest.Ingester, close func(), err error) {
	blobs, err := blob.Open(ctx, c.Blobs, loadAWS)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvBlobURL, err)
	}
	queue, err := openQueue(ctx, manifest.EnvMatchQueueURL, c.Queues[manifest.Match.Name])
	if err != nil {
		return nil, nil, err
	}
	in = &ingest.Ingester{Blobs: blobs, Sender: queue, Log: log, NoOCR: manifest.EnvOCR + "=none"}
	if in.OCR, err = openOCR(ctx, c); err != nil {
		return nil, nil, err
	}
	if in.PDFs, err = pdf.New(pdf.Config{CacheDir: parserCache()}); err != nil {
		return nil, nil, err
	}
	return in, func() { _ = in.PDFs.Close() }, nil
}

// parserCache is a folder of the user for the compiled parser; empty, and the
// parser is compiled at each start, where the user has none.
func parserCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "matchbook", "pdfium")
}
