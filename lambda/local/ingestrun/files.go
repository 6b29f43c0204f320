package ingestrun

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"matchbook/lambda/ingest/container"
	"matchbook/lambda/ingest/filetype"
)

// extensions selects the files of a folder. A file given by name is always used, because its
// content decides.
var extensions = []string{".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".xml", ".txt", ".zip", ".eml"}

// File is a file to ingest.
type File struct {
	Path string // for display
	Key  string // slash-separated path relative to the folder on the command line

	inner   []byte // of a file in a container
	refused string // why a file in a container was not taken
}

// unpack replaces ZIP archives and mails by the files in them, because each is an ingestion.
func unpack(files []File) (all []File, err error) {
	for _, f := range files {
		data, _, refused, err := f.content()
		if err != nil {
			return nil, err
		}
		inside, ok := container.Open(data)
		if refused != "" || !ok {
			all = append(all, f)
			continue
		}
		for _, in := range inside {
			all = append(all, File{Path: f.Path + ": " + in.Name, Key: path.Join(f.Key, in.Name), inner: in.Content, refused: in.Refused})
		}
	}
	return all, nil
}

// findFiles lists the files for paths, walking folders in name order. skipped counts the files
// of folders with other extensions.
func findFiles(paths []string) (files []File, skipped int, err error) {
	for _, root := range paths {
		found, others, err := walk(root)
		if err != nil {
			return nil, 0, err
		}
		if len(found) == 0 {
			return nil, 0, fmt.Errorf("missing files in %s: expected %s", root, strings.Join(extensions, ", "))
		}
		files, skipped = append(files, found...), skipped+others
	}
	files, err = unpack(files)
	return files, skipped, err
}

func walk(root string) (files []File, skipped int, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s not found", path)
		case err != nil:
			return err
		case path == root && !entry.IsDir():
			files = append(files, File{Path: path, Key: filepath.Base(path)})
			return nil
		case strings.HasPrefix(entry.Name(), ".") && path != root:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		case !slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
			skipped++
			return nil
		}
		key, err := filepath.Rel(root, path)
		files = append(files, File{Path: path, Key: filepath.ToSlash(key)})
		return err
	})
	return files, skipped, err
}

// content reads a file and its type. refused is the reason it can't be an ingestion at all: it
// isn't a regular file, or it's too large to copy.
func (f File) content() (data []byte, kind filetype.Type, refused string, err error) {
	if f.refused != "" {
		return nil, "", f.refused, nil
	}
	if f.inner != nil {
		return f.inner, typeOf(f.inner), "", nil
	}
	info, err := os.Stat(f.Path) // before opening it, since a pipe would block
	switch {
	case err != nil:
		return nil, "", "", err
	case !info.Mode().IsRegular():
		return nil, "", "not a regular file", nil
	case info.Size() > filetype.MaxBytes:
		_, large := filetype.Of(nil, info.Size())
		return nil, "", large.Error(), nil
	}
	if data, err = os.ReadFile(f.Path); err != nil {
		return nil, "", "", err
	}
	return data, typeOf(data), "", nil
}

func typeOf(data []byte) filetype.Type {
	kind, err := filetype.Of(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "bin" // the function refuses it, with the reason
	}
	return kind
}
