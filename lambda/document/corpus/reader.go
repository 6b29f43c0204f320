package corpus

import (
	"fmt"
	"io"
	"sync/atomic"

	"matchbook/lambda/document/csvfile"

	"github.com/google/uuid"
)

// ReadFolder reads every .json, .jsonl, .ndjson and .xml file below path, or path itself, in
// the order of the names. See package einvoice for XML. Malformed documents and unreadable
// files become problems, files of other kinds are counted, and the rest is read.
func ReadFolder(path string) (*Input, error) { return (&Reader{Tenant: DefaultTenant}).Read(path) }

// Reader reads files as ReadFolder does.
type Reader struct {
	Tenant uuid.UUID      // of documents without one; uuid.Nil: they are malformed
	Sheet  *csvfile.Sheet // describes .csv and .tsv files; nil skips them
	read   atomic.Int64   // documents
}

// Count returns the number of documents read so far. It's safe to call during Read.
func (r *Reader) Count() int { return int(r.read.Load()) }

// Read reads the files below these paths as one input.
func (r *Reader) Read(paths ...string) (*Input, error) {
	in := newInput(r)
	values := in.values()
	for _, path := range paths {
		n, err := values.Read(path)
		switch {
		case err != nil:
			return nil, err
		case n == 0 && in.Skipped[".csv"]+in.Skipped[".tsv"] > 0:
			return nil, fmt.Errorf("%s is CSV; use --map PATH=COLUMN,... to map its columns (see matchbook import --help)", path)
		case n == 0:
			return nil, fmt.Errorf("%s contains no .json, .jsonl, .ndjson or .xml file", path)
		}
	}
	in.remarkUnknown()
	return in, nil
}

func newInput(r *Reader) *Input {
	return &Input{seen: make(map[uuid.UUID]int), unknown: make(map[string]int), Skipped: Skipped{}, reader: r}
}

// values reads the documents of files into the input.
func (in *Input) values() Values {
	forms := map[string]func(string, io.Reader) error{".xml": in.readElectronic}
	if in.reader.Sheet != nil {
		forms[".csv"], forms[".tsv"] = in.readSheet, in.readSheet
	}
	return Values{Forms: forms, Refuse: in.Refuse, Skip: func(extension string) { in.Skipped[extension]++ },
		Add: func(file string, line int, raw []byte) { in.add(file, line, raw) }}
}
