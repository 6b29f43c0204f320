package ingestrun

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"matchbook/lambda/ingest/filetype"
)

// extensions selects the files of a folder. A file given by name is always used, because its
// content decides.
var extensions = []string{".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".xml", ".txt"}

// File is a file to ingest.
type File struct {
	Path string // for display
	Key  string // slash-separated path relative to the folder on the command line
}

// findFiles lists the files for paths, walking folders in name order. skipped counts the files
// of folders with other extensions.
func findFiles(paths []string) (files []File, skipped int, err error) {
	for _, path := range paths {
		found, others, err := walk(path)
		if err != nil {
			return nil, 0, err
		}
		if len(found) == 0 {
			return nil, 0, fmt.Errorf("missing files in %s: expected %s", path, strings.Join(extensions, ", "))
		}
		files, skipped = append(files, found...), skipped+others
	}
	return files, skipped, nil
}

func walk(root string) (files []File, skipped int, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s not found", path)
		case err != nil:
			return err
		case path == root && !entry.IsDir():
			files = append(files, File{path, filepath.Base(path)})
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
		files = append(files, File{path, filepath.ToSlash(key)})
		return err
	})
	return files, skipped, err
}

// content reads a file and its type. refused is the reason it can't be an ingestion at all: it
// isn't a regular file, or it's too large to copy.
func (f File) content() (data []byte, kind filetype.Type, refused string, err error) {
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
	kind, typeErr := filetype.Of(bytes.NewReader(data), int64(len(data)))
	if typeErr != nil {
		kind = "bin" // the function refuses it, with the reason
	}
	return data, kind, "", nil
}
