// Package ingest is the Lambda function for files: it reads the files named in an SQS event.
package ingest

import (
	"context"
	"fmt"
	"log/slog"

	"matchbook/lambda/blob"
	domain "matchbook/lambda/ingest"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

// Opener returns the opener of the function.
func Opener(w setup.Workload) setup.Opener {
	return func(ctx context.Context, c setup.Config, t *telemetry.Telemetry) (any, func(), error) {
		return open(ctx, c, w, t)
	}
}

// open opens what the function uses: the database and the adapters. The domain's package ingest
// opens the file of an ingestion (open.go there).
func open(ctx context.Context, c setup.Config, w setup.Workload, t *telemetry.Telemetry) (
	handler any, close func(), err error) {
	reader, err := openIngester(ctx, c, t.Log)
	if err != nil {
		return nil, nil, err
	}
	h, closeFunction, err := setup.Function(ctx, c, w, t.Log, func(o setup.Opened) job.Work {
		in := *reader
		in.Store, in.Model, in.Log = ingestions.New(o.DB), o.Model, o.Log
		if remote[c.OCR] {
			in.OCR = guarded{in.OCR, o.Breaker(c.OCR)}
		}
		if in.Chunks != nil {
			in.Reviewer = reviewer(c, o)
		}
		return job.Each(in.Ingest)
	})
	if err != nil {
		return nil, nil, err
	}
	return t.Handler(h.Handle), func() { closeFunction(); _ = reader.PDFs.Close() }, nil
}

// openIngester opens the adapters for reading a file: blob store, queues, OCR and PDF parser.
func openIngester(ctx context.Context, c setup.Config, log *slog.Logger) (*domain.Ingester, error) {
	blobs, err := blob.Open(ctx, c.Blobs, setup.LoadAWS)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", variable.BlobURL, err)
	}
	queue, err := c.OpenQueue(ctx, variable.MatchQueueURL, c.Queues[manifest.Match.Name])
	if err != nil {
		return nil, err
	}
	chunks, err := openChunks(ctx, c)
	if err != nil {
		return nil, err
	}
	engine, err := openOCR(ctx, c)
	if err != nil {
		return nil, err
	}
	pdfs, err := pdf.New(pdf.Config{CacheDir: pdf.UserCache(), Time: c.PDFTime})
	if err != nil {
		return nil, err
	}
	return &domain.Ingester{Blobs: blobs, PDFs: pdfs, OCR: engine, NoOCR: variable.OCR + "=none",
		GoodEnough: c.OCRQuality, Sender: queue, Chunks: chunks, Log: log}, nil
}

// openChunks opens the queue of the review function. It returns nil if contracts are not
// reviewed.
func openChunks(ctx context.Context, c setup.Config) (job.Sender, error) {
	url := c.Queues[manifest.Review.Name]
	if url == "" {
		return nil, nil
	}
	return c.OpenQueue(ctx, manifest.Review.QueueEnv(), url)
}

// reviewer returns a starter with the review function's model, since both functions have the
// same settings.
func reviewer(c setup.Config, o setup.Opened) *review.Starter {
	s := &review.Starter{Store: reviews.New(o.DB), Log: o.Log}
	if c.Model != nil {
		s.Model, s.Price = c.Model.OpenAI.Model, c.Model.Price
	}
	return s
}
