// Package ingestrun runs files through the local stack of the ingest and the
// match function: it stores them as a bucket would, waits until each has an
// end, and reports each document with its fields, where they are printed and
// why they are trusted, and what needs a person. It uploads files into a
// deployed stack, too.
package ingestrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/matchrun/model"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Run is one run of files through both functions.
type Run struct {
	Files    []File
	Tenant   uuid.UUID
	OCR      OCR
	Logs     string // the file for the functions' output; - is the meter, empty none
	Progress *term.Meter
	Model    model.Source

	stored  []storedFile
	ids     []uuid.UUID // of the ingestions
	folder  string      // temporary: bootstraps and blobs
	blobs   blob.Store
	logs    io.Writer
	stack   *local.Stack
	took    time.Duration
	cleanup []func() error
}

// storedFile is a file and its ingestion.
type storedFile struct {
	File
	ingestion uuid.UUID
	blob      string // its key in the store
	same      string // the path of an earlier file with the same content
	refused   string // why it has no ingestion
}

// Start starts the stack on a migrated database.
func (r *Run) Start(ctx context.Context, databaseURL string) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	if r.folder, err = os.MkdirTemp("", "matchbook-"); err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, func() error { return os.RemoveAll(r.folder) })
	files := blob.FolderURL(filepath.Join(r.folder, "files"))
	if r.blobs, err = blob.Open(ctx, files, nil); err != nil {
		return err
	}
	logs, stop, err := local.OpenLogs(r.Logs, r.Progress)
	r.cleanup, r.logs = append(r.cleanup, stop), logs
	if err != nil {
		return err
	}
	workloads, err := r.workloads(ctx, files)
	if err != nil {
		return err
	}
	r.stack, err = local.StartStack(ctx, local.StackConfig{DatabaseURL: databaseURL, Workloads: workloads})
	if err == nil {
		r.cleanup = append(r.cleanup, r.stack.Close)
	}
	return err
}

// concurrency is the number of invocations at once, of each function. Each is a
// process that compiles the parser of PDFs once.
const concurrency = 2

// workloads builds the bootstraps of both functions, and starts the model.
func (r *Run) workloads(ctx context.Context, files string) ([]local.WorkloadConfig, error) {
	var stackClock atomic.Pointer[clock.Clock]
	matchEnv, err := r.Model.Start(ctx, func() time.Time {
		if c := stackClock.Load(); c != nil {
			return c.Now()
		}
		return time.Now()
	})
	if err != nil {
		return nil, err
	}
	r.cleanup = append(r.cleanup, r.Model.Close)
	ingestEnv := []string{manifest.EnvBlobURL + "=" + files, manifest.EnvOCR + "=" + r.OCR.Engine}
	if r.Model.Options.Mode == model.OpenAI {
		ingestEnv = append(ingestEnv, matchEnv...)
	}
	list := []local.WorkloadConfig{{Row: manifest.Match, Env: matchEnv}, {Row: manifest.Ingest, Env: ingestEnv}}
	for i := range list {
		c := &list[i]
		c.Concurrency, c.Logs, c.OnInvocation = concurrency, r.logs, r.logFailed
		if c.Bootstrap, err = lambdahost.Bootstrap(ctx, r.folder, c.Row.Package,
			func(s string) { r.Progress.Say("%s", s) }); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// logFailed logs a batch that failed as a whole, or was not deleted.
func (r *Run) logFailed(i eventsource.Invocation) {
	if err := errors.Join(i.Err, i.DeleteErr); err != nil {
		fmt.Fprintf(r.logs, "batch of %d messages: %v\n", len(i.MessageIDs), err)
	}
}

// Close undoes Start, the last step first.
func (r *Run) Close() error {
	var errs []error
	for _, f := range slices.Backward(r.cleanup) {
		errs = append(errs, f())
	}
	r.cleanup = nil
	return errors.Join(errs...)
}

// Do stores and publishes the files, and waits until each has an end.
func (r *Run) Do(ctx context.Context) error {
	started := time.Now()
	reader := r.stack.Workloads[1]
	var known []uuid.UUID
	for i, f := range r.Files {
		r.Progress.Watch(func() string { return fmt.Sprintf("stored %d of %d files", i, len(r.Files)) })
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
	if len(known) > 0 { // by an earlier run, whose files are gone
		if err := reader.Publish().Publish(ctx, known); err != nil {
			return err
		}
	}
	stop := r.watch(ctx)
	err := r.stack.Drain(ctx, r.unfinished)
	stop()
	r.took = time.Since(started)
	return err
}

// store copies a file into the store, and adds its rows.
func (r *Run) store(ctx context.Context, f File) ([]job.Stamped, error) {
	data, kind, refused, err := f.content()
	if err != nil {
		return nil, err
	}
	if refused != "" {
		r.stored = append(r.stored, storedFile{File: f, refused: refused})
		return nil, nil
	}
	in := ingestion.Identify(r.Tenant, sha256.Sum256(data), string(kind))
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
	return r.stack.DB.Ingestions().AddFile(ctx, in)
}

// watch shows the progress of the files until stopped.
func (r *Run) watch(ctx context.Context) (stop func()) {
	var last report.FileProgress
	r.Progress.Watch(func() string {
		// A database that is slow to answer leaves the last counts as they are.
		ctx, cancel := context.WithTimeout(ctx, time.Second/2)
		defer cancel()
		if now, err := report.From(r.stack.DB).FileProgress(ctx, r.ids); err == nil {
			last = now
		}
		return fmt.Sprintf("%d of %d files read, %d failed, %d documents wait for matching",
			last.Completed, len(r.ids), last.Failed, last.Unmatched)
	})
	return func() { r.Progress.Watch(nil) }
}

func (r *Run) unfinished(ctx context.Context) (int, error) {
	p, err := report.From(r.stack.DB).FileProgress(ctx, r.ids)
	return p.InProgress + p.Unmatched, err
}
