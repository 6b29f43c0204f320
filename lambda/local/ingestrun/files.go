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

// extensions selects the files that are taken from a folder. A file that is named
// itself is taken whatever its name is: its content decides.
var extensions = []string{".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".xml", ".txt"}

// File is a file to be read.
type File struct {
	Path string // as it is shown
	Key  string // its name below the folder that was named: a path with slashes
}

// findFiles lists the files that the paths name, those of a folder and its
// folders in the order of their names. skipped counts the files of folders that
// are of another kind by their names.
func findFiles(paths []string) (files []File, skipped int, err error) {
	for _, path := range paths {
		found, others, err := walk(path)
		if err != nil {
			return nil, 0, err
		}
		if len(found) == 0 {
			return nil, 0, fmt.Errorf("%s holds no %s file", path, strings.Join(extensions, ", "))
		}
		files, skipped = append(files, found...), skipped+others
	}
	return files, skipped, nil
}

func walk(root string) (files []File, skipped int, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s does not exist", path)
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

// content reads a file and its type. refused is the reason why it cannot be an
// ingestion at all: it is not a file, or it is too large to be copied.
func (f File) content() (data []byte, kind filetype.Type, refused string, err error) {
	info, err := os.Stat(f.Path) // before it is opened: a pipe would wait for a writer
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
