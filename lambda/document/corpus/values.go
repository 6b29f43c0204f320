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
	"strings"
	"syscall"
)

// maxRecord bounds one document of an input file, in bytes.
const maxRecord = 4 << 20

// byteOrderMark stands at the start of files from some Windows editors.
var byteOrderMark = []byte("\uFEFF")

// Values reads the JSON values of files: one per line of .jsonl and .ndjson, one or an array
// of them from .json.
type Values struct {
	Forms  map[string]func(file string, r io.Reader) error // readers of other forms, by extension
	Add    func(file string, line int, raw []byte)         // takes a value
	Refuse func(file string, line int, what string)        // a malformed value; line 0: the file as a whole
	Skip   func(extension string)                          // of an ignored file
}

// Read reads all files below path, or path itself, in the order of the names, and returns
// their number. It refuses unreadable files and reads the rest.
func (v Values) Read(path string) (files int, err error) {
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		extension := strings.ToLower(filepath.Ext(file))
		read := v.form(extension)
		switch {
		case err != nil && file == path:
			return err
		case err != nil || entry.IsDir(): // err: a folder without permission
		case read == nil:
			v.Skip(extension)
		default:
			files++
			err = readFile(file, read)
		}
		if err != nil {
			v.Refuse(file, 0, "cannot be read: "+reason(err))
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return files, nil
}

// form returns the reader of files with this extension, or nil to ignore them.
func (v Values) form(extension string) func(string, io.Reader) error {
	switch extension {
	case ".jsonl", ".ndjson":
		return v.readLines
	case ".json":
		return v.readWhole
	}
	return v.Forms[extension]
}

func readFile(file string, read func(string, io.Reader) error) error {
	f, err := openFile(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(file, f)
}

// readLines reads one value per line. It skips a line that is too long without holding it
// in memory.
func (v Values) readLines(file string, r io.Reader) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, tooLong, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		switch {
		case tooLong:
			v.Refuse(file, number, fmt.Sprintf("too long: over %d bytes", maxRecord))
		case len(bytes.TrimSpace(line)) > 0:
			v.Add(file, number, bytes.TrimRight(line, "\r\n"))
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

// readWhole reads a file with one value or an array of them.
func (v Values) readWhole(file string, r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	raw = bytes.TrimPrefix(raw, byteOrderMark)
	start := bytes.IndexFunc(raw, func(r rune) bool { return !strings.ContainsRune(" \t\r\n", r) })
	switch {
	case start < 0:
		v.Refuse(file, 1, "empty file")
		return nil
	case raw[start] != '[':
		v.Add(file, lineAt(raw, int64(start)), raw)
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, _ = decoder.Token() // the bracket, seen above
	count := 0
	for ; decoder.More(); count++ {
		var element json.RawMessage
		err := decoder.Decode(&element)
		line := lineAt(raw, decoder.InputOffset()-int64(len(element)))
		if err != nil {
			v.Refuse(file, lineAt(raw, decoder.InputOffset()), jsonProblem(err))
			return nil
		}
		v.Add(file, line, element)
	}
	if _, err := decoder.Token(); err != nil {
		v.Refuse(file, lineAt(raw, int64(len(raw))), jsonProblem(err))
	} else if count == 0 {
		v.Refuse(file, 1, "empty array")
	}
	return nil
}

func lineAt(raw []byte, offset int64) int {
	return 1 + bytes.Count(raw[:min(max(offset, 0), int64(len(raw)))], []byte("\n"))
}

// reason describes why a file cannot be read, without its name.
func reason(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "dangling link"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

// openFile opens a regular file and refuses all others, because opening a FIFO would wait for
// a writer, or interrupt a waiting one. A FIFO that replaces the file after the check doesn't
// block either.
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
