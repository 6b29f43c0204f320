// Package ingestrun runs files through the local stack of the ingest and match functions. It
// stores them like a bucket, waits until each has been processed, and reports each document
// with its fields, their places and the reasons to trust them, and everything for a person.
// Use it also to upload files to a deployed stack.
package ingestrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Run is one run of files through both functions.
type Run struct {
	local.Session
	Tenant uuid.UUID
	OCR    OCR
	Model  scripted.Model

	found  *selection
	stored []storedFile
	ids    []uuid.UUID // of the ingestions
	blobs  blob.Store
	took   time.Duration
}

// storedFile is a file and its ingestion.
type storedFile struct {
	File
	ingestion uuid.UUID
	blob      string // key in the store
	same      string // path of an earlier file with the same content
	refused   string // why it was not ingested
}

// concurrency is the number of concurrent invocations per function. It is low because each
// process must compile the PDF parser once.
const concurrency = 2

func (r *Run) configure(ctx context.Context) (c local.StackConfig, err error) {
	files := blob.FolderURL(filepath.Join(r.Folder, "files"))
	if r.blobs, err = blob.Open(ctx, files, nil); err != nil {
		return c, err
	}
	matchEnv, err := r.Model.Start(ctx, r.Now)
	if err != nil {
		return c, err
	}
	r.OnClose(r.Model.Close)
	ingestEnv := []string{variable.BlobURL + "=" + files, variable.OCR + "=" + r.OCR.Engine}
	if r.Model.Flags.Mode == scripted.ModeOpenAI {
		ingestEnv = append(ingestEnv, matchEnv...)
	}
	return local.StackConfig{Functions: []local.FunctionConfig{
		{Row: manifest.Match, Env: matchEnv, Concurrency: concurrency},
		{Row: manifest.Ingest, Env: ingestEnv, Concurrency: concurrency}}}, nil
}

// Do stores and publishes the files, and waits until each has ended.
func (r *Run) Do(ctx context.Context) error {
	started := time.Now()
	reader := r.Stack.Consumers[1]
	var known []uuid.UUID
	for i, f := range r.found.files {
		r.Progress.Watch(func() string { return fmt.Sprintf("stored %d of %d files", i, len(r.found.files)) })
		stamped, err := r.store(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		s := r.stored[len(r.stored)-1]
		if len(stamped) == 0 && s.ingestion != uuid.Nil && s.same == "" {
			known = append(known, s.ingestion)
		}
		if unsent, err := reader.Queue.Send(ctx, stamped); err != nil {
			return &job.PublishError{Unsent: unsent, Err: err}
		}
	}
	if len(known) > 0 { // from an earlier run, so its files are gone
		if err := reader.Publish().Publish(ctx, known); err != nil {
			return err
		}
	}
	err := r.Drain(ctx, r.standing)
	r.took = time.Since(started)
	return err
}

// store copies a file into the store and adds its rows.
func (r *Run) store(ctx context.Context, f File) ([]job.Stamped, error) {
	data, kind, refused, err := f.content()
	if err != nil {
		return nil, err
	}
	if refused != "" {
		r.stored = append(r.stored, storedFile{File: f, refused: refused})
		return nil, nil
	}
	name, inside := f.name()
	in := ingestion.Identify(r.Tenant, sha256.Sum256(data), string(kind)).Named(name, inside...)
	s := storedFile{File: f, ingestion: in.ID, blob: in.FilePath}
	for _, earlier := range r.stored {
		if earlier.ingestion == in.ID {
			s.same = earlier.Path
			r.stored = append(r.stored, s)
			return nil, nil
		}
	}
	r.stored, r.ids = append(r.stored, s), append(r.ids, in.ID)
	if err := r.blobs.Write(ctx, in.FilePath, bytes.NewReader(data)); err != nil {
		return nil, err
	}
	return ingestions.New(r.Stack.DB).AddFile(ctx, in)
}

func (r *Run) standing(ctx context.Context) (unfinished int, line string, err error) {
	p, err := report.From(r.Stack.DB).FileProgress(ctx, r.ids)
	return p.InProgress + p.Unmatched, fmt.Sprintf("%d of %d files read, %d failed, %d documents waiting for matching",
		p.Completed, len(r.ids), p.Failed, p.Unmatched), err
}
