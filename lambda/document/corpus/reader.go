package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"matchbook/lambda/document/csvfile"

	"github.com/google/uuid"
)

// ReadFolder reads every .json, .jsonl, .ndjson and .xml file below path, or path
// itself, in the order of the names. XML is that of package einvoice. Malformed
// documents and files that cannot be read become problems; files of other kinds are
// counted; the rest goes on.
func ReadFolder(path string) (*Input, error) { return (&Reader{Tenant: DefaultTenant}).Read(path) }

// Reader reads files as ReadFolder does.
type Reader struct {
	Tenant uuid.UUID      // of documents that name none; uuid.Nil: they are malformed
	Sheet  *csvfile.Sheet // describes .csv and .tsv files; nil: they are not read
	read   atomic.Int64   // documents
}

// Count is the number of documents that were read so far.
func (r *Reader) Count() int { return int(r.read.Load()) }

// Read reads the files below these paths as one input.
func (r *Reader) Read(paths ...string) (*Input, error) {
	in := &Input{seen: make(map[uuid.UUID]string), Skipped: Skipped{}, reader: r}
	for _, path := range paths {
		files, err := in.find(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if err := in.readFile(file); err != nil {
				in.Refuse(file, 0, "cannot be read: "+reason(err))
			}
		}
	}
	in.remarkUnknown()
	return in, nil
}

// find lists the files below path that are to be read.
func (in *Input) find(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && file == path:
			return err
		case err != nil: // a folder without permission
			in.Refuse(file, 0, "cannot be read: "+reason(err))
		case entry.IsDir():
		case in.reads(strings.ToLower(filepath.Ext(file))):
			files = append(files, file)
		default:
			in.Skipped[strings.ToLower(filepath.Ext(file))]++
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case len(files) == 0:
		if in.Skipped[".csv"]+in.Skipped[".tsv"] > 0 {
			return nil, fmt.Errorf("%s is CSV: --map PATH=COLUMN,... has the fields of its columns, as matchbook import --help shows", path)
		}
		return nil, fmt.Errorf("%s holds no .json, .jsonl, .ndjson or .xml file", path)
	}
	return files, nil
}

// reads reports whether files with this extension are read.
func (in *Input) reads(extension string) bool {
	return slices.Contains(extensions, extension) || in.reader.Sheet != nil && isSheet(extension)
}

func isSheet(extension string) bool { return extension == ".csv" || extension == ".tsv" }

// reason describes why a file cannot be read, without its name.
func reason(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "a link that leads nowhere"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

// openFile opens a regular file and refuses all others: opening a FIFO would
// wait for a writer, or interrupt a waiting one. A FIFO that replaces the file
// after the check does not block either.
func openFile(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
