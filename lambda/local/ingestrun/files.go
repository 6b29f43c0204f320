package ingestrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"matchbook/lambda/ingest/container"
	"matchbook/lambda/ingest/filetype"
)

// extensions selects the files of a folder. A file with another name is taken if its content is a
// PDF, an image or a container; texts need their extension, because any source code is a text. A
// file given by name is always used.
var extensions = []string{".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".xml", ".txt", ".zip", ".eml", ".p7m"}

// File is a file to ingest.
type File struct {
	Path string // for display
	Key  string // slash-separated path relative to the folder on the command line

	inner   []byte // of a file in a container
	outer   string // the container's name
	refused string // why a file in a container was not taken
}

// name returns the name of a file as it is kept: a file in a container has the container's, too.
func (f File) name() (path string, inside []string) {
	if f.outer == "" {
		return f.Key, nil
	}
	return f.outer, []string{strings.TrimPrefix(f.Key, f.outer+"/")}
}

// leftOut is a file of a folder that is no ingestion.
type leftOut struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// selection is the files for paths. What was found is files, left out, or a container.
type selection struct {
	files      []File
	leftOut    []leftOut
	found      int // on disk
	containers int
	inside     int // files in containers
}

// findFiles lists the files for paths, walking folders in name order.
func findFiles(paths []string) (*selection, error) {
	s := &selection{}
	for _, root := range paths {
		before := len(s.files)
		if err := s.walk(root); err != nil {
			return nil, err
		}
		if len(s.files) == before {
			return nil, s.missing(root)
		}
	}
	s.found = len(s.files) + len(s.leftOut)
	return s, s.unpack()
}

// missing returns the error for a path without files, with the first reasons.
func (s *selection) missing(root string) error {
	text := fmt.Sprintf("missing files in %s: expected %s", root, strings.Join(extensions, ", "))
	for _, l := range s.leftOut[:min(len(s.leftOut), 5)] {
		text += fmt.Sprintf("\nleft out: %s: %s", l.File, l.Reason)
	}
	return errors.New(text)
}

// unpack replaces ZIP archives, mails and signed files by the files in them, because each is an
// ingestion.
func (s *selection) unpack() error {
	all := make([]File, 0, len(s.files))
	for _, f := range s.files {
		data, _, refused, err := f.content()
		if err != nil {
			return err
		}
		inside, ok := container.Open(data)
		if refused != "" || !ok {
			all = append(all, f)
			continue
		}
		s.containers, s.inside = s.containers+1, s.inside+len(inside)
		for _, in := range inside {
			all = append(all, File{Path: f.Path + ": " + in.Name, Key: path.Join(f.Key, in.Name), outer: f.Key,
				inner: in.Content, refused: in.Refused})
		}
	}
	s.files = all
	return nil
}

func (s *selection) walk(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s not found", path)
		case errors.Is(err, fs.ErrPermission) && path != root:
			s.leave(path, "no permission to read it")
			return nil
		case err != nil:
			return err
		case path == root && !entry.IsDir():
			s.files = append(s.files, File{Path: path, Key: filepath.Base(path)})
			return nil
		case strings.HasPrefix(entry.Name(), ".") && path != root:
			if entry.IsDir() {
				s.leave(path, "hidden folder; give it by name to read it")
				return fs.SkipDir
			}
			s.leave(path, "hidden file; give it by name to read it")
			return nil
		case entry.IsDir():
			return nil
		}
		if why := excluded(path, entry); why != "" {
			s.leave(path, why)
			return nil
		}
		key, err := filepath.Rel(root, path)
		s.files = append(s.files, File{Path: path, Key: filepath.ToSlash(key)})
		return err
	})
}

func (s *selection) leave(path, reason string) { s.leftOut = append(s.leftOut, leftOut{path, reason}) }

// excluded returns why a file of a folder is left out, or an empty text.
func excluded(path string, entry fs.DirEntry) string {
	if slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) {
		return "" // refusals are failures, so that they aren't overlooked
	}
	if !entry.Type().IsRegular() {
		return "not a regular file"
	}
	file, err := os.Open(path)
	if err != nil {
		return "no permission to read it"
	}
	defer file.Close()
	var sample filetype.Sample
	head := make([]byte, container.Head)
	n, _ := io.ReadFull(file, head)
	if container.Is(head[:n]) {
		return ""
	}
	if _, err = sample.Write(head[:n]); err == nil {
		_, err = io.Copy(&sample, io.LimitReader(file, filetype.MaxBytes))
	}
	kind, refused := sample.Type()
	switch {
	case err != nil:
		return "unreadable"
	case refused != nil:
		return refused.Error()
	case kind == filetype.Text || kind == filetype.XML:
		return "text with another extension than .txt, .xml or .eml; give it by name to read it"
	}
	return ""
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
	case errors.Is(err, fs.ErrPermission):
		return nil, "", "no permission to read it", nil
	case err != nil:
		return nil, "", "", err
	case !info.Mode().IsRegular():
		return nil, "", "not a regular file", nil
	case info.Size() > filetype.MaxBytes:
		_, large := filetype.Of(nil, info.Size())
		return nil, "", large.Error(), nil
	}
	data, err = os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, "", "no permission to read it", nil
	case err != nil:
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
