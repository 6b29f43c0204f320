package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/blob"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const megabyte = 1 << 20

// stores are a folder, and a bucket behind the real SDK and HTTP.
func stores(t *testing.T) map[string]blob.Store {
	t.Helper()
	folder := must.Get(blob.Open(t.Context(), "file://"+filepath.Join(t.TempDir(), "made here"), nil))(t)
	backend := s3mem.New()
	must.OK(t, backend.CreateBucket("files"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return map[string]blob.Store{"folder": folder, "bucket": bucketAt(t, "s3://files/below/this", server.URL)}
}

func bucketAt(t *testing.T, url, endpoint string) blob.Store {
	t.Helper()
	store := must.Get(blob.Open(t.Context(), url, func(context.Context) (aws.Config, error) {
		return aws.Config{Region: "eu-central-1", BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider("AKID", "secret", "")}, nil
	}))(t)
	return store
}

func each(t *testing.T, test func(*testing.T, blob.Store)) {
	t.Helper()
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) { test(t, store) })
	}
}

func TestReadLastWrite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		for _, text := range []string{"first", "", strings.Repeat("long", megabyte/4)} {
			must.OK(t, s.Write(t.Context(), "ingestions/1/transcription.json", strings.NewReader(text)))
			got, err := s.Read(t.Context(), "ingestions/1/transcription.json", megabyte)
			if err != nil || string(got) != text {
				t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(text))
			}
		}
	})
}

func TestMissingAndLargeFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		must.OK(t, s.Write(t.Context(), "documents/large.pdf", bytes.NewReader(make([]byte, megabyte+1))))
		const upload = " not found in storage; upload it and publish the ingestion again"
		for key, want := range map[string]failure.Failure{
			"documents/none.pdf":  {Kind: failure.Permanent, Text: "file documents/none.pdf" + upload},
			"documents":           {Kind: failure.Permanent, Text: "file documents" + upload},
			"documents/large.pdf": {Kind: failure.Permanent, Text: "file large.pdf too large: 2 MB, but the limit is 1 MB"},
		} {
			if _, err := s.Read(t.Context(), key, megabyte); err == nil || failure.Of(err) != want {
				t.Errorf("%s: got %+v, want %+v", key, failure.Of(err), want)
			}
		}
	})
}

func TestCopy(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		const from, to = "inbox/a/Rechnung 1+2 ä%.pdf", "documents/1.pdf"
		must.OK(t, s.Write(t.Context(), from, strings.NewReader("content")))
		must.OK(t, s.Copy(t.Context(), from, "", to))
		for _, key := range []string{from, to} {
			file, size, err := s.Open(t.Context(), key, "")
			must.OK(t, err)
			got, err := io.ReadAll(file)
			if string(got) != "content" || size != 7 || err != nil || file.Close() != nil {
				t.Errorf("%s: got %q of %d bytes, %v", key, got, size, err)
			}
		}
	})
}

func TestGoneFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		must.OK(t, s.Write(t.Context(), "a/b", strings.NewReader("x")))
		for _, key := range []string{"none", "a"} {
			if _, _, err := s.Open(t.Context(), key, ""); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("open %s: got %v", key, err)
			}
			if err := s.Copy(t.Context(), key, "", "c"); err == nil {
				t.Errorf("%s was copied", key)
			}
		}
		if err := s.Copy(t.Context(), "none", "", "c"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("copy: got %v", err)
		}
	})
}

// A reader never sees half of a file.
func TestWritesAreWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		const size = 200_000
		var writers sync.WaitGroup
		for n := range 8 {
			writers.Go(func() {
				if err := s.Write(t.Context(), "a/b", bytes.NewReader(bytes.Repeat([]byte{byte('0' + n)}, size))); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		got, err := s.Read(t.Context(), "a/b", megabyte)
		if err != nil || len(got) != size || !bytes.Equal(got, bytes.Repeat(got[:1], size)) {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
}

func TestKeysStayInFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("mine"), 0o600))
	s := must.Get(blob.Open(t.Context(), "file://"+filepath.Join(dir, "files"), nil))(t)
	must.OK(t, os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "files", "link")))
	for _, key := range []string{"../setup/secret", "/secret", "link", "a/../../secret"} {
		if got, err := s.Read(t.Context(), key, megabyte); err == nil {
			t.Errorf("%s: read %q", key, got)
		}
		_ = s.Write(t.Context(), key, strings.NewReader("changed"))
	}
	if got, err := os.ReadFile(filepath.Join(dir, "secret")); string(got) != "mine" {
		t.Errorf("outside the folder: %q, %v", got, err)
	}
}

// Such a key would name another file in a bucket, and may be another tenant's.
func TestInvalidKeys(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		must.OK(t, s.Write(t.Context(), "inbox/a/secret", strings.NewReader("mine")))
		for _, key := range []string{"", "/", "inbox/b/../a/secret", "inbox/a/./secret", "inbox//a/secret", "../x", "a/..", "inbox/a/\x00", "inbox/a/\xff"} {
			_, read := s.Read(t.Context(), key, megabyte)
			_, _, open := s.Open(t.Context(), key, "")
			for what, err := range map[string]error{"read": read, "open": open, "write": s.Write(t.Context(), key, strings.NewReader("x")),
				"copy": s.Copy(t.Context(), key, "", "b"), "copy to": s.Copy(t.Context(), "inbox/a/secret", "", key)} {
				if got := failure.Of(err); got.Kind != failure.Permanent || !strings.HasPrefix(got.Text, fmt.Sprintf("invalid key %q: ", key)) {
					t.Errorf("%s %q: got %v", what, key, err)
				}
			}
		}
		for _, key := range []string{"inbox/a/x..pdf", "inbox/a/...", "inbox/a/ .pdf", "inbox/a/ä"} {
			must.OK(t, s.Write(t.Context(), key, strings.NewReader("x")))
		}
	})
}

// A failed write leaves what was there.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		must.OK(t, s.Write(t.Context(), "k", strings.NewReader("whole")))
		if err := s.Write(t.Context(), "k", &broken{strings.NewReader("half"), 2}); err == nil {
			t.Error("a broken file was stored")
		}
		if got, err := s.Read(t.Context(), "k", megabyte); string(got) != "whole" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

type broken struct {
	io.ReadSeeker
	left int
}

var errBroken = errors.New("the disk is broken")

func (b *broken) Read(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errBroken
	}
	return b.ReadSeeker.Read(p[:1])
}

func TestRefusalsOfS3(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]failure.Kind{
		"NoSuchBucket": failure.Permanent, "AccessDenied": failure.Permanent, "SlowDown": failure.Transient, "InternalError": failure.Transient,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprintf(w, "<Error><Code>%s</Code><Message>about arn:aws:s3:::files/secret-name</Message></Error>", code)
			}))
			defer server.Close()
			_, err := bucketAt(t, "s3://files", server.URL).Read(t.Context(), "k", megabyte)
			if got := failure.Of(err); got.Kind != want || strings.Contains(got.Text, "secret-name") {
				t.Errorf("got %+v, want %s", got, want)
			}
		})
	}
}

// However S3 is missed, it's one error.
func TestStorageAway(t *testing.T) {
	t.Parallel()
	const want = "read the file: file storage is away"
	answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	busy := httptest.NewServer(answers)
	defer busy.Close()
	gone := httptest.NewServer(answers)
	gone.Close()
	for _, url := range []string{busy.URL, gone.URL} {
		_, err := bucketAt(t, "s3://files", url).Read(t.Context(), "k", megabyte)
		if got := failure.Of(err); got.Text != want || got.Kind != failure.Transient {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

// A folder may have any name.
func TestFolderURL(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "100% of #1? a b", "ä")
	s := must.Get(blob.Open(t.Context(), blob.FolderURL(dir), nil))(t)
	must.OK(t, s.Write(t.Context(), "a/b", strings.NewReader("content")))
	if got, err := os.ReadFile(filepath.Join(dir, "a", "b")); err != nil || string(got) != "content" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOpenInvalidURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "s3://", "s3:bucket", "file://host/folder", "file:folder", "/folder", "gs://bucket", "s3://b?x=1", "%",
		"file:///a#b", "file:///a?b"} {
		if _, err := blob.Open(t.Context(), url, nil); err == nil {
			t.Errorf("%q: opened", url)
		}
	}
}
