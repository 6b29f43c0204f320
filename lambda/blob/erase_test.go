package blob_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/blob"
	"matchbook/lambda/internal/must"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

func listed(t *testing.T, s blob.Store, prefix string) (versions []blob.Version, keys string) {
	t.Helper()
	var names []string
	must.OK(t, s.List(t.Context(), prefix, func(v blob.Version) error {
		versions, names = append(versions, v), append(names, v.Key)
		return nil
	}))
	slices.Sort(names)
	return versions, strings.Join(names, " ")
}

// versioned is a bucket that keeps old versions, as the stack's does.
func versioned(t *testing.T) (blob.Store, *s3mem.Backend) {
	t.Helper()
	backend := s3mem.New()
	must.OK(t, backend.CreateBucket("files"))
	must.OK(t, backend.SetVersioningConfiguration("files", gofakes3.VersioningConfiguration{Status: gofakes3.VersioningEnabled}))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return bucketAt(t, "s3://files/below", server.URL), backend
}

func TestErase(t *testing.T) {
	t.Parallel()
	bucket, _ := versioned(t)
	folder := must.Get(blob.Open(t.Context(), blob.FolderURL(t.TempDir()), nil))(t)
	for name, s := range map[string]blob.Store{"folder": folder, "bucket": bucket} {
		t.Run(name, func(t *testing.T) {
			for _, key := range []string{"documents/1.pdf", "documents/11.pdf", "ingestions/1/page-1.png", "ingestions/1/text.json", "ingestions/12/text.json"} {
				must.OK(t, s.Write(t.Context(), key, strings.NewReader(key)))
			}
			for prefix, want := range map[string]string{"documents/1.": "documents/1.pdf", "ingestions/1/": "ingestions/1/page-1.png ingestions/1/text.json",
				"ingestions/1": "ingestions/1/page-1.png ingestions/1/text.json ingestions/12/text.json", "none/1": "", "documents/2": ""} {
				if _, got := listed(t, s, prefix); got != want {
					t.Errorf("%s: got %s, want %s", prefix, got, want)
				}
			}
			gone, _ := listed(t, s, "ingestions/1/")
			must.OK(t, s.Erase(t.Context(), gone))
			must.OK(t, s.Erase(t.Context(), gone)) // once more
			if _, got := listed(t, s, ""); got != "documents/1.pdf documents/11.pdf ingestions/12/text.json" {
				t.Errorf("left: %s", got)
			}
		})
	}
}

// A marker has the key of the deleted file, so it goes, too.
func TestEraseAllVersions(t *testing.T) {
	t.Parallel()
	s, backend := versioned(t)
	for _, text := range []string{"first", "other"} {
		must.OK(t, s.Write(t.Context(), "documents/1.pdf", strings.NewReader(text)))
	}
	must.Get(backend.DeleteObject("files", "below/documents/1.pdf"))(t)
	all, _ := listed(t, s, "documents/")
	markers := slices.DeleteFunc(slices.Clone(all), func(v blob.Version) bool { return !v.Marker })
	if len(all) != 3 || len(markers) != 1 || all[0].Version == all[1].Version {
		t.Fatalf("got %+v", all)
	}
	must.OK(t, s.Erase(t.Context(), all))
	if left, _ := listed(t, s, ""); len(left) > 0 {
		t.Errorf("left: %+v", left)
	}
}

// An emptied folder has an id in its name.
func TestEraseEmptiedFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := must.Get(blob.Open(t.Context(), blob.FolderURL(dir), nil))(t)
	must.OK(t, s.Write(t.Context(), "inbox/1/a/b.pdf", strings.NewReader("x")))
	all, _ := listed(t, s, "inbox/1/")
	must.OK(t, s.Erase(t.Context(), all))
	if left := must.Get(os.ReadDir(filepath.Join(dir, "inbox")))(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

var errEnough = errors.New("enough")

func TestListStops(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		for _, key := range []string{"a/1", "a/2"} {
			must.OK(t, s.Write(t.Context(), key, strings.NewReader(key)))
		}
		n := 0
		if err := s.List(t.Context(), "a/", func(blob.Version) error { n++; return errEnough }); !errors.Is(err, errEnough) || n != 1 {
			t.Errorf("got %d, %v", n, err)
		}
	})
}
