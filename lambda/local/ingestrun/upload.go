package ingestrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"unicode/utf8"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"

	"github.com/google/uuid"
)

// maxKey is S3's limit for a key, in bytes.
const maxKey = 1024

// Store writes files by key.
type Store interface {
	Write(ctx context.Context, key string, file io.ReadSeeker) error
}

// upload stores the files in a bucket below inbox/{tenant}/, where an event starts their
// ingestion. Files of a folder keep their path below it. It returns the number of stored
// files, even on error.
func upload(ctx context.Context, store Store, tenant uuid.UUID, files []File, m *term.Meter) (stored int, err error) {
	if err := checkKeys(tenant, files); err != nil {
		return 0, err
	}
	m.Watch(func() string { return fmt.Sprintf("uploaded %d of %d files", stored, len(files)) })
	defer m.Watch(nil)
	for _, f := range files {
		if err := f.upload(ctx, store, f.inbox(tenant)); err != nil {
			return stored, fmt.Errorf("%s: %w", f.Path, err)
		}
		stored++
	}
	return stored, nil
}

func (f File) inbox(tenant uuid.UUID) string { return path.Join("inbox", tenant.String(), f.Key) }

// checkKeys checks all files before the first is stored.
func checkKeys(tenant uuid.UUID, files []File) error {
	var errs []error
	first := make(map[string]string)
	for _, f := range files {
		key := f.inbox(tenant)
		var info os.FileInfo
		var err error
		if f.inner == nil && f.refused == "" {
			info, err = os.Stat(f.Path)
		}
		switch {
		case f.refused != "":
			err = errors.New(f.refused)
			errs = append(errs, fmt.Errorf("%s: %w", f.Path, err))
		case err != nil:
			errs = append(errs, err)
		case info != nil && !info.Mode().IsRegular():
			errs = append(errs, fmt.Errorf("%s: not a regular file", f.Path))
		case info != nil && info.Size() > filetype.MaxBytes:
			_, err := filetype.Of(nil, info.Size())
			errs = append(errs, fmt.Errorf("%s: %w", f.Path, err))
		case len(key) > maxKey || !utf8.ValidString(key):
			errs = append(errs, fmt.Errorf("%q: invalid S3 key: must be at most %d bytes of UTF-8", f.Path, maxKey))
		case first[key] != "":
			errs = append(errs, fmt.Errorf("%s would replace %s: duplicate key %s", f.Path, first[key], key))
		}
		first[key] = f.Path
	}
	return errors.Join(errs...)
}

func (f File) upload(ctx context.Context, store Store, key string) error {
	var file io.ReadSeeker = bytes.NewReader(f.inner)
	if f.inner == nil {
		opened, err := os.Open(f.Path)
		if err != nil {
			return err
		}
		defer opened.Close()
		file = opened
	}
	if err := store.Write(ctx, key, file); err != nil {
		return errors.New(failure.Of(err).Text) // drops names of requests and hosts
	}
	return nil
}
