// Package blob stores files under keys such as documents/ID.pdf, in an S3 bucket or in a local
// folder. It uses the SDK's client and os.Root directly, because a library over both costs too
// much for the four functions needed: with gocloud.dev/blob a bootstrap is 12 MB larger (20.1
// MB instead of 7.5 for a program that reads and writes one file, arm64, stripped).
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"matchbook/lambda/failure"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Store stores files by their keys. It is safe for concurrent use.
type Store interface {
	// Read returns a file. It returns a permanent failure if the file is missing or exceeds
	// most bytes; it then reads nothing.
	Read(ctx context.Context, key string, most int64) ([]byte, error)
	// Write stores a file whole or not at all, and replaces any previous one.
	Write(ctx context.Context, key string, file io.ReadSeeker) error
	// Open opens a version of a file, and returns its size. Use an empty version for the
	// latest. You must close the reader. If the version is gone, the error is fs.ErrNotExist.
	Open(ctx context.Context, key, version string) (file io.ReadCloser, size int64, err error)
	// Copy copies a version of a file, whole or not at all, without its name and other
	// properties.
	Copy(ctx context.Context, key, version, to string) error
	// List calls each for every version of the files with keys that begin with prefix, until
	// it returns an error. A marker left by deleting a file is a version, too.
	List(ctx context.Context, prefix string, each func(Version) error) error
	// Erase deletes versions for good, as List returned them. A missing one is no error.
	Erase(ctx context.Context, versions []Version) error
}

// Version is a stored version of a file.
type Version struct {
	Key     string
	Version string // empty in a folder
	Size    int64
	Marker  bool // of a deleted file, without content
}

// Open opens the store with this URL: s3://bucket, s3://bucket/prefix or file:///folder. It
// makes a missing folder. load configures the SDK; it is used for S3 only.
func Open(ctx context.Context, rawURL string, load func(context.Context) (aws.Config, error)) (Store, error) {
	u, err := parse(rawURL)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "file" {
		folder, err := openFolder(filepath.FromSlash(u.Path))
		if err != nil {
			return nil, err
		}
		return checked{folder}, nil
	}
	c, err := load(ctx)
	if err != nil {
		return nil, err
	}
	return checked{openBucket(c, u.Host, strings.Trim(u.Path, "/"))}, nil
}

// Check returns Open's error for an invalid URL. It opens nothing.
func Check(rawURL string) error {
	_, err := parse(rawURL)
	return err
}

// FolderURL returns the URL of a folder. Use it because a folder's name may contain any
// character.
func FolderURL(dir string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
}

func parse(rawURL string) (*url.URL, error) {
	u, err := url.Parse(rawURL)
	if err == nil && u.RawQuery == "" && u.Fragment == "" &&
		(u.Scheme == "s3" && u.Host != "" || u.Scheme == "file" && u.Host == "" && path.IsAbs(u.Path)) {
		return u, nil
	}
	return nil, errors.New("expected a URL like s3://bucket or file:///folder")
}

// folder keeps files in a folder; no key can name anything outside.
type folder struct{ root *os.Root }

func openFolder(dir string) (Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return folder{root}, nil
}

// Read implements Store.
func (f folder) Read(_ context.Context, key string, most int64) ([]byte, error) {
	file, err := f.root.Open(filepath.FromSlash(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(key)
	}
	if err != nil {
		return nil, failure.At("open the file", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, failure.At("open the file", err)
	}
	if info.IsDir() {
		return nil, missing(key)
	}
	return readAll(file, key, info.Size(), most)
}

// Open ignores the version, because a folder has only one of each file.
func (f folder) Open(_ context.Context, key, _ string) (io.ReadCloser, int64, error) {
	file, err := f.root.Open(filepath.FromSlash(key))
	if err != nil {
		return nil, 0, failure.At("open the file", err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		_ = file.Close()
		return nil, 0, failure.At("open the file", err)
	}
	return file, info.Size(), nil
}

// Copy ignores the version too.
func (f folder) Copy(ctx context.Context, key, _, to string) error {
	file, err := f.root.Open(filepath.FromSlash(key))
	if err != nil {
		return failure.At("open the file", err)
	}
	defer file.Close()
	return f.Write(ctx, to, file)
}

// Write writes to another file and renames it, so that readers see all of the file or nothing.
func (f folder) Write(_ context.Context, key string, file io.ReadSeeker) error {
	name := filepath.FromSlash(key)
	if err := f.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return failure.At("store the file", err)
	}
	part := fmt.Sprintf("%s.%x.part", name, rand.Uint64()) // random, because two writers must not share a file
	if err := f.write(part, file); err != nil {
		_ = f.root.Remove(part) // ignore this error, since the first has the reason
		return failure.At("store the file", err)
	}
	return failure.At("store the file", f.root.Rename(part, name))
}

func (f folder) write(name string, from io.Reader) (err error) {
	to, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	_, err = io.Copy(to, from)
	return err
}

// List implements Store.
func (f folder) List(ctx context.Context, prefix string, each func(Version) error) error {
	dir := path.Dir(prefix + "x")
	err := fs.WalkDir(f.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // nothing there, or just deleted
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case entry.IsDir():
			if inside := name + "/"; name != "." && !strings.HasPrefix(inside, prefix) && !strings.HasPrefix(prefix, inside) {
				return fs.SkipDir
			}
			return nil
		case !strings.HasPrefix(name, prefix):
			return nil
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return each(Version{Key: name, Size: info.Size()})
	})
	return failure.At("list the files", err)
}

// Erase implements Store. It deletes folders that it empties, because their names are ids, too.
func (f folder) Erase(_ context.Context, versions []Version) error {
	for _, v := range versions {
		name := filepath.FromSlash(v.Key)
		if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failure.At("delete the file", err)
		}
		for dir := filepath.Dir(name); filepath.Dir(dir) != "."; dir = filepath.Dir(dir) {
			if f.root.Remove(dir) != nil {
				break // not empty
			}
		}
	}
	return nil
}

// readAll reads a file of known size into memory without growing a buffer.
func readAll(from io.Reader, key string, size, most int64) ([]byte, error) {
	if size > most {
		return nil, failure.Permanently("file %s too large: %d MB, but the limit is %d MB",
			path.Base(key), (size+1<<20-1)>>20, most>>20)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(from, data); err != nil {
		return nil, failure.At("read the file", err)
	}
	return data, nil
}

// missing is fs.ErrNotExist too, so that a caller may wait for a file that comes late.
func missing(key string) error {
	return errors.Join(failure.Permanently("file %s not found in storage; upload it and publish the ingestion again", key), fs.ErrNotExist)
}
