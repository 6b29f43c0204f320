// Package erase deletes a tenant or a document for good: rows, every version of files, and what
// models answered. Use Plan to show what would go, and Run to delete it.
//
// Files go first, because their keys are in the rows. An attempt in progress loses its fence with
// its row, but may still write a file until its claim ends, so Run waits for that and erases once
// more. After an interruption, run it again.
package erase

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"

	"github.com/google/uuid"
)

// Store is the database. *postgres.DB implements it.
type Store interface {
	Erasable(ctx context.Context, e postgres.Erasure) ([]postgres.TableRows, error)
	ErasedFiles(ctx context.Context, e postgres.Erasure) (postgres.ErasedFiles, error)
	Erase(ctx context.Context, e postgres.Erasure, recluster postgres.Recluster, note func(postgres.TableRows)) ([]job.Stamped, error)
}

// Files is the blob store. blob.Store implements it.
type Files interface {
	Open(ctx context.Context, key, version string) (io.ReadCloser, int64, error)
	List(ctx context.Context, prefix string, each func(blob.Version) error) error
	Erase(ctx context.Context, versions []blob.Version) error
}

// Eraser erases. Store and Say must be set.
type Eraser struct {
	Store Store
	Files Files // nil: unknown
	Queue job.Sender
	Say   func(format string, args ...any) // progress, for people
	Wait  func(context.Context, time.Duration) error
}

// ErrNoFiles reports files in no known store.
var ErrNoFiles = errors.New("missing BLOB_URL: files must be deleted with their rows")

// Report counts the erased rows and files, or with DryRun what Run would erase.
type Report struct {
	Tenant    uuid.UUID            `json:"tenant_id"`
	Documents []uuid.UUID          `json:"documents,omitempty"` // empty: the whole tenant
	DryRun    bool                 `json:"dry_run"`
	Rows      []postgres.TableRows `json:"rows"`
	Files     int                  `json:"files"`         // in the store, with all their versions
	Versions  int                  `json:"file_versions"` // of the files
	Published int                  `json:"published"`     // documents to match again
	Unsent    int                  `json:"unsent"`        // of these, left to the sweep

	DeadLetters int `json:"dead_letters"` // deleted, of the rows and files
}

// Plan returns what Run would delete. It changes nothing.
func (x *Eraser) Plan(ctx context.Context, e postgres.Erasure) (*Report, error) {
	r := &Report{Tenant: e.Tenant, Documents: e.Documents, DryRun: true}
	rows, err := x.Store.Erasable(ctx, e)
	if err != nil {
		return nil, err
	}
	r.Rows = rows
	named, err := x.Store.ErasedFiles(ctx, e)
	if err != nil {
		return nil, err
	}
	return r, x.each(ctx, e, named, func(vs []blob.Version) error { r.count(vs); return nil })
}

// Run erases.
func (x *Eraser) Run(ctx context.Context, e postgres.Erasure) (*Report, error) {
	r := &Report{Tenant: e.Tenant, Documents: e.Documents}
	named, err := x.Store.ErasedFiles(ctx, e)
	if err != nil {
		return nil, err
	}
	remove := func(vs []blob.Version) error {
		r.count(vs)
		return x.Files.Erase(ctx, vs)
	}
	if err := x.each(ctx, e, named, remove); err != nil {
		return nil, err
	}
	stamped, err := x.Store.Erase(ctx, e, matches.Recluster, r.add)
	if err != nil {
		return nil, err
	}
	if err := x.send(ctx, r, stamped); err != nil {
		return nil, err
	}
	if named.Running > 0 {
		x.Say("waiting %s for attempts in progress; if you stop now, run it again with the same ID", named.Running.Round(time.Second))
		if err := x.wait(ctx, named.Running); err != nil {
			return nil, err
		}
	}
	if err := x.each(ctx, e, named, remove); err != nil { // also what arrived meanwhile
		return nil, err
	}
	_, err = x.Store.Erase(ctx, e, matches.Recluster, r.add)
	return r, err
}

// send publishes the documents to match again. The sweep sends what the queue refuses.
func (x *Eraser) send(ctx context.Context, r *Report, stamped []job.Stamped) error {
	r.Published = len(stamped)
	if err := job.Send(ctx, x.Queue, stamped); err != nil {
		var unsent *job.PublishError
		if r.Unsent = len(stamped); errors.As(err, &unsent) {
			r.Unsent = len(unsent.Unsent)
		}
		x.Say("%s left to the sweep: %s", plural.Of(r.Unsent, "message"), failure.Of(err).Text)
	}
	return ctx.Err()
}

func (x *Eraser) wait(ctx context.Context, d time.Duration) error {
	if x.Wait != nil {
		return x.Wait(ctx, d)
	}
	return backoff.Sleep(ctx, d)
}

// each calls do with the versions of each file.
func (x *Eraser) each(ctx context.Context, e postgres.Erasure, named postgres.ErasedFiles, do func([]blob.Version) error) error {
	if x.Files == nil {
		if len(named.Keys) > 0 {
			return ErrNoFiles
		}
		return nil
	}
	inbox, prefixes := manifest.FolderInbox+e.Tenant.String()+"/", named.Prefixes
	if e.Documents == nil {
		prefixes = append([]string{inbox}, prefixes...)
	} else if err := x.originals(ctx, inbox, named, do); err != nil {
		return err
	}
	for _, prefix := range prefixes {
		if err := x.below(ctx, prefix, func(blob.Version) bool { return true }, do); err != nil {
			return err
		}
	}
	for _, key := range named.Keys {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) {
			continue
		}
		if err := x.below(ctx, key, func(v blob.Version) bool { return v.Key == key }, do); err != nil {
			return err
		}
	}
	return nil
}

// mostListed bounds the versions in memory.
const mostListed = 1000

func (x *Eraser) below(ctx context.Context, prefix string, chosen func(blob.Version) bool, do func([]blob.Version) error) error {
	var some []blob.Version
	err := x.Files.List(ctx, prefix, func(v blob.Version) error {
		if !chosen(v) {
			return nil
		}
		if some = append(some, v); len(some) < mostListed {
			return nil
		}
		full := some
		some = nil
		return do(full)
	})
	if err != nil || len(some) == 0 {
		return err
	}
	return do(some)
}

// originals finds the files in the tenant's inbox with the content of the erased ones, under any
// name. A container such as a ZIP archive stays, because it has other files, too.
func (x *Eraser) originals(ctx context.Context, inbox string, named postgres.ErasedFiles, do func([]blob.Version) error) error {
	sizes, contents := map[int64]bool{}, map[[sha256.Size]byte]bool{}
	for _, key := range named.Keys {
		err := x.Files.List(ctx, key, func(v blob.Version) error {
			if v.Key != key || v.Marker {
				return nil
			}
			sum, err := x.sum(ctx, v)
			sizes[v.Size], contents[sum] = true, true
			return err
		})
		if err != nil {
			return err
		}
	}
	var failed error
	err := x.below(ctx, inbox, func(v blob.Version) bool {
		if v.Marker || !sizes[v.Size] || failed != nil || slices.Contains(named.Keys, v.Key) {
			return false
		}
		sum, err := x.sum(ctx, v)
		failed = err
		return contents[sum] && err == nil
	}, do)
	return errors.Join(err, failed)
}

func (x *Eraser) sum(ctx context.Context, v blob.Version) (sum [sha256.Size]byte, err error) {
	file, _, err := x.Files.Open(ctx, v.Key, v.Version)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return [sha256.Size]byte(hash.Sum(nil)), failure.At("read the file", err)
}
