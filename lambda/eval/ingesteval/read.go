package ingesteval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"

	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// find lists the PDFs below folders, in name order. A content counts once, because the public
// corpora copy each other's files.
func find(dirs []string) (paths []string, err error) {
	seen := map[[sha256.Size]byte]bool{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
				return err
			}
			content, err := os.ReadFile(path)
			if sum := sha256.Sum256(content); err == nil && !seen[sum] {
				seen[sum] = true
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find PDFs: %w", err)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("missing PDFs in %s", strings.Join(dirs, ", "))
	}
	return paths, nil
}

// outcome is a file's truth, and the documents read from its pages.
type outcome struct {
	truth  *einvoice.Document // nil: the PDF has none
	docs   []ingestion.Extracted
	pages  transcript.Transcription
	failed string // why the pages couldn't be read
}

func (r reader) measure(ctx context.Context, name string) (o outcome, err error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return o, err
	}
	if o.truth, err = r.truth(ctx, content); err != nil || o.truth == nil {
		return o, err
	}
	once := &memory{content: content}
	in := &ingest.Ingester{Store: once, Blobs: once, PDFs: r.pdfs, OCR: r.engine, NoOCR: r.ocr, Sender: once,
		Log: slog.New(slog.DiscardHandler), PagesOnly: true}
	err = in.Ingest(ctx, job.Attempt{Number: 1})
	if why := failure.Of(err); err != nil && why.Kind == failure.Permanent {
		o.failed, err = why.Text, nil
	}
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	o.docs = once.docs
	if len(once.pages) > 0 {
		o.pages, err = transcript.Decode(once.pages)
	}
	return o, err
}

// truth reads the embedded e-invoice. A PDF that can't be opened, or with a broken e-invoice, has
// none.
func (r reader) truth(ctx context.Context, content []byte) (*einvoice.Document, error) {
	doc, err := r.pdfs.Open(ctx, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, unlessPermanent(err)
	}
	defer doc.Close()
	files, err := doc.Embedded(ctx)
	if err != nil {
		return nil, unlessPermanent(err)
	}
	for _, f := range files {
		if _, ok := einvoice.Detect(f.Content); !ok {
			continue
		}
		truth, err := einvoice.Read(bytes.NewReader(f.Content))
		if err == nil {
			return &truth, nil
		}
		var refused *einvoice.Refused
		if !errors.As(err, &refused) {
			return nil, err
		}
	}
	return nil, nil
}

func unlessPermanent(err error) error {
	if failure.Of(err).Kind == failure.Permanent {
		return nil
	}
	return err
}

// memory is the storage of one file: nothing outlives the measurement.
type memory struct {
	content []byte
	docs    []ingestion.Extracted
	pages   []byte // the transcription
}

// Ingestion implements ingest.Store.
func (m *memory) Ingestion(context.Context, uuid.UUID) (ingestion.Row, error) {
	return ingestion.Row{FilePath: "documents/file.pdf"}, nil
}

// Transcribed implements ingest.Store; nothing is kept.
func (m *memory) Taught(context.Context, uuid.UUID, uuid.UUID, []string) ([]taught.Rule, error) {
	return nil, nil
}

func (m *memory) Transcribed(context.Context, job.Attempt, ingestion.Checkpoint) error { return nil }

// Complete implements ingest.Store and keeps the documents for the measurement.
func (m *memory) Complete(_ context.Context, _ job.Attempt, docs []ingestion.Extracted) (_, _ []job.Stamped, _ error) {
	m.docs = docs
	return nil, nil, nil
}

// Read implements ingest.Blobs.
func (m *memory) Read(context.Context, string, int64) ([]byte, error) { return m.content, nil }

// Send implements job.Sender; nothing is sent.
func (m *memory) Send(context.Context, []job.Stamped) ([]uuid.UUID, error) { return nil, nil }

// Write implements ingest.Blobs and keeps the transcription.
func (m *memory) Write(_ context.Context, key string, file io.ReadSeeker) (err error) {
	if path.Base(key) == "transcription.json" {
		m.pages, err = io.ReadAll(file)
	}
	return err
}
