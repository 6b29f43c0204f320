package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// maxRecord bounds one document of an input file, in bytes.
const maxRecord = 4 << 20

var (
	// DefaultTenant owns the documents that name no tenant.
	DefaultTenant = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	// contentSpace is the UUIDv5 name space of documents without an id.
	contentSpace = uuid.MustParse("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
)

var extensions = []string{".json", ".jsonl", ".xml"}

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
	Remarks   []Problem            // of documents that are taken: values that cannot be read, or marks such as "test"
	seen      map[uuid.UUID]string // where an id was first read
}

// ReadFolder reads every .json, .jsonl and .xml file below path, or path itself,
// in the order of the names. XML is that of package einvoice. Malformed documents and files that cannot be read
// become problems; the rest goes on.
func ReadFolder(path string) (*Input, error) {
	in := &Input{seen: make(map[uuid.UUID]string)}
	var files []string
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && file == path:
			return err
		case err != nil: // a folder without permission
			in.Refuse(file, 0, "cannot be read: "+reason(err))
		case !entry.IsDir() && slices.Contains(extensions, strings.ToLower(filepath.Ext(file))):
			files = append(files, file)
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case len(files) == 0:
		return nil, fmt.Errorf("%s holds no .json, .jsonl or .xml file", path)
	}
	for _, file := range files {
		if err := in.readFile(file); err != nil {
			in.Refuse(file, 0, "cannot be read: "+reason(err))
		}
	}
	return in, nil
}

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

func (in *Input) readFile(file string) error {
	f, err := openFile(file)
	if err != nil {
		return err
	}
	defer f.Close()
	switch strings.ToLower(filepath.Ext(file)) {
	case ".jsonl":
		return in.readLines(file, f)
	case ".xml":
		return in.readElectronic(file, f)
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	in.readWhole(file, raw)
	return nil
}

// readLines reads one document per line. A line that is too long is skipped
// without being held in memory.
func (in *Input) readLines(file string, r io.Reader) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, tooLong, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		switch {
		case tooLong:
			in.Refuse(file, number, fmt.Sprintf("longer than %d bytes", maxRecord))
		case len(bytes.TrimSpace(line)) > 0:
			in.add(file, number, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxRecord; !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// readWhole reads a file that holds one document or an array of them.
func (in *Input) readWhole(file string, raw []byte) {
	start := bytes.IndexFunc(raw, func(r rune) bool { return !strings.ContainsRune(" \t\r\n", r) })
	switch {
	case start < 0:
		in.Refuse(file, 1, "the file is empty")
		return
	case raw[start] != '[':
		in.add(file, lineAt(raw, int64(start)), raw)
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, _ = decoder.Token() // the bracket, seen above
	count := 0
	for ; decoder.More(); count++ {
		var element json.RawMessage
		err := decoder.Decode(&element)
		line := lineAt(raw, decoder.InputOffset()-int64(len(element)))
		if err != nil {
			in.Refuse(file, lineAt(raw, decoder.InputOffset()), jsonProblem(err))
			return
		}
		in.add(file, line, element)
	}
	if _, err := decoder.Token(); err != nil {
		in.Refuse(file, lineAt(raw, int64(len(raw))), jsonProblem(err))
	} else if count == 0 {
		in.Refuse(file, 1, "the array is empty")
	}
}

func lineAt(raw []byte, offset int64) int {
	return 1 + bytes.Count(raw[:min(max(offset, 0), int64(len(raw)))], []byte("\n"))
}

// record is a document as it stands in a file.
type record struct {
	ID       string          `json:"id"`
	TenantID string          `json:"tenant_id"`
	Type     string          `json:"type"`
	Received time.Time       `json:"received_at"`
	Data     json.RawMessage `json:"structured_data"`
}

// add takes a document, or reports why it does not.
func (in *Input) add(file string, line int, raw []byte) bool {
	doc, offset, err := readRecord(raw)
	if err != nil {
		in.Refuse(file, line+lineAt(raw, offset)-1, err.Error())
		return false
	}
	doc.FilePath = file
	here := fmt.Sprintf("%s:%d", file, line)
	if first, ok := in.seen[doc.ID]; ok {
		in.Refuse(file, line, fmt.Sprintf("the same document as in %s, which is taken", first))
		return false
	}
	in.seen[doc.ID] = here
	in.Documents = append(in.Documents, doc)
	return true
}

// Refuse adds a problem.
func (in *Input) Refuse(file string, line int, what string) {
	in.Problems = append(in.Problems, Problem{file, line, what})
}

// readRecord makes a document of its JSON. The offset is where it went wrong.
func readRecord(raw []byte) (doc Document, offset int64, err error) {
	if len(raw) > maxRecord {
		return doc, 0, fmt.Errorf("longer than %d bytes", maxRecord)
	}
	if !utf8.Valid(raw) {
		return doc, firstInvalid(raw), errors.New("not valid UTF-8")
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return doc, errorOffset(err, raw), errors.New(jsonProblem(err))
	}
	if doc.Type, err = document.ParseType(r.Type); err != nil {
		return doc, 0, err
	}
	if len(r.Data) == 0 || string(r.Data) == "null" {
		return doc, 0, errors.New("no structured_data: there is nothing to match")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, r.Data); err != nil {
		return doc, 0, errors.New("structured_data is not valid JSON")
	}
	doc.Data, doc.Received = compact.Bytes(), r.Received
	if _, err := document.Parse(doc.Data); err != nil {
		return doc, 0, fmt.Errorf("structured_data: %w", err)
	}
	if doc.TenantID, err = idOr(r.TenantID, DefaultTenant); err != nil {
		return doc, 0, fmt.Errorf("tenant_id is %w", err)
	}
	content := strings.Join([]string{doc.TenantID.String(), r.Type, compact.String()}, "\n")
	if doc.ID, err = idOr(r.ID, uuid.NewSHA1(contentSpace, []byte(content))); err != nil {
		return doc, 0, fmt.Errorf("id is %w", err)
	}
	return doc, 0, nil
}

func idOr(text string, missing uuid.UUID) (uuid.UUID, error) {
	if text == "" {
		return missing, nil
	}
	return document.ParseID(text)
}

func firstInvalid(raw []byte) (offset int64) {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size <= 1 {
			return offset
		}
		raw, offset = raw[size:], offset+int64(size)
	}
	return offset
}

func errorOffset(err error, raw []byte) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		return int64(len(raw))
	}
	return 0
}

// jsonProblem describes faulty JSON in our own words.
func jsonProblem(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		return fmt.Sprintf("%q has another type than it should", kind.Field)
	case errors.As(err, &syntax):
		return "not valid JSON: " + syntax.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "not valid JSON: it ends too early"
	}
	var when *time.ParseError
	if errors.As(err, &when) {
		return "received_at is not a time such as 2026-03-02T09:00:00Z"
	}
	return "not valid JSON"
}
