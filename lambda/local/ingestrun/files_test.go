package ingestrun

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

// kept is a store in memory.
type kept map[string]string

func (k kept) Write(_ context.Context, key string, file io.ReadSeeker) error {
	content, err := io.ReadAll(file)
	k[key] = string(content)
	return err
}

func TestContainerFiles(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"may/a.xml", "in.zip"} {
		content := "<a/>"
		if name == "in.zip" {
			content = "PK\x03\x04"
		}
		_, err := must.Get(w.Create(name))(t).Write([]byte(content))
		must.OK(t, err)
	}
	must.OK(t, w.Close())
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "all.zip"), b.Bytes(), 0o600))
	must.OK(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("Invoice"), 0o600))

	found, err := findFiles([]string{dir})
	must.OK(t, err)
	files := found.files
	if len(files) != 3 || found.found != 2 || found.containers != 1 || found.inside != 2 || len(found.leftOut) != 0 || files[0].Path != filepath.Join(dir, "all.zip")+": may/a.xml" || files[1].refused == "" {
		t.Fatalf("got %+v", found)
	}
	data, kind, refused, err := files[0].content()
	if string(data) != "<a/>" || kind != "xml" || refused != "" || err != nil {
		t.Errorf("got %s as %s, %s, %v", data, kind, refused, err)
	}
	store := kept{}
	if _, err := upload(t.Context(), store, uuid.Nil, files, term.NewMeter(io.Discard)); err == nil || len(store) != 0 ||
		!strings.Contains(err.Error(), "in.zip: container in a container") {
		t.Errorf("got %v, %v", store, err)
	}
	if n, err := upload(t.Context(), store, uuid.Nil, append(files[:1:1], files[2]), term.NewMeter(io.Discard)); n != 2 || err != nil ||
		store["inbox/"+uuid.Nil.String()+"/all.zip/may/a.xml"] != "<a/>" {
		t.Errorf("got %d, %v, %v", n, err, store)
	}
}

// What --password names is never quoted, since it may be a password.
func TestPasswordFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "p")
	for content, want := range map[string]string{"a b\r\n\nc\n": "a b|c", "": "found 0", strings.Repeat("x\n", 21): "found 21"} {
		must.OK(t, os.WriteFile(file, []byte(content), 0o600))
		list, err := Options{Password: file}.passwords()
		if got := strings.Join(list, "|"); got != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.9q: got %q, %v", content, got, err)
		}
	}
	if _, err := (Options{Password: "hunter2"}).passwords(); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// testdata/locked.pdf is encrypted with the password "Garten 9".
func TestPasswordOpensPDF(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{"Garten 9": true, "Garten": false} {
		file := filepath.Join(t.TempDir(), "p")
		must.OK(t, os.WriteFile(file, []byte("first\n"+password+"\n"), 0o600))
		found, err := Options{Password: file}.find(t.Context(), []string{filepath.Join("testdata", "locked.pdf")})
		must.OK(t, err)
		data, kind, _, err := found.files[0].content()
		if plain := !bytes.Contains(data, []byte("/Encrypt")); plain != want || kind != "pdf" || err != nil {
			t.Errorf("%s: got %v, %s, %v", password, plain, kind, err)
		}
	}
}
