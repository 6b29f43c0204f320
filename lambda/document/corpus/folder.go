package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
)

var (
	// DefaultTenant owns documents without a tenant.
	DefaultTenant = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	// contentSpace is the UUIDv5 name space for documents without an id.
	contentSpace = uuid.MustParse("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
)

// Problem is malformed input: its place, and the fault.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0: the file as a whole
	What string `json:"what"`
}

// Where returns the file, and the line if the problem is in one line.
func (p Problem) Where() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Input is the content of a folder: its documents, and its malformed parts.
type Input struct {
	Documents []Document
	Problems  []Problem
	Remarks   []Problem // about accepted documents: unreadable values, or marks such as "test"
	// Departures holds the first departures of all documents; DepartureCount counts all.
	Departures     []Departure
	DepartureCount int
	Skipped        Skipped
	reader         *Reader
	seen           map[uuid.UUID]int // the document with this id
	unknown        map[string]int    // places of each unknown field
}

// Skipped counts files of other kinds by their extension.
type Skipped map[string]int

// String lists the kinds: 2 .csv, 1 .pdf.
func (s Skipped) String() string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(s)) {
		list = append(list, fmt.Sprintf("%d %s", s[kind], cmp.Or(kind, "without an extension")))
	}
	return strings.Join(list, ", ")
}

// add takes a document and returns true, or reports the reason and returns false.
func (in *Input) add(file string, line int, raw []byte) bool {
	in.check(file, line, raw)
	doc, offset, err := readRecord(raw, in.reader.Tenant)
	if err != nil {
		in.Refuse(file, line+lineAt(raw, offset)-1, err.Error())
		return false
	}
	doc.FilePath, doc.Line = file, line
	if i, ok := in.seen[doc.ID]; ok {
		in.Refuse(file, line, in.Documents[i].repeatedBy(doc))
		return false
	}
	in.seen[doc.ID] = len(in.Documents)
	in.Documents = append(in.Documents, doc)
	in.reader.read.Add(1)
	return true
}

// repeatedBy describes a later document with the same id.
func (d Document) repeatedBy(later Document) string {
	first := Problem{File: d.FilePath, Line: d.Line}.Where()
	if d.TenantID == later.TenantID && d.Type == later.Type && bytes.Equal(d.Data, later.Data) {
		return "duplicate of the document in " + first
	}
	return fmt.Sprintf("duplicate id %s, with other content than in %s; only the first is used", d.ID, first)
}

// Refuse adds a problem.
func (in *Input) Refuse(file string, line int, what string) {
	in.Problems = append(in.Problems, Problem{file, line, what})
}

func (in *Input) readSheet(file string, r io.Reader) error {
	sheet := *in.reader.Sheet
	sheet.Tenant = in.reader.Tenant
	read, err := sheet.Read(r)
	if err != nil {
		return err
	}
	if len(read.Unknown) > 0 {
		in.Remarks = append(in.Remarks, Problem{file, 1, "ignored columns: " + strings.Join(read.Unknown, ", ")})
	}
	for _, p := range read.Problems {
		in.Refuse(file, p.Line, p.What)
	}
	for _, row := range read.Rows {
		in.add(file, row.Line, row.JSON)
	}
	return nil
}
