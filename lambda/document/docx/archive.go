package docx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits of a file. Text is at most a tenth of a part, so a contract within review's limit of
// 5 MB fits.
const (
	maxFile  = 40 << 20 // bytes, packed
	maxPart  = 48 << 20 // bytes, unpacked
	maxTotal = 96 << 20 // bytes of all parts that are read, unpacked
	maxParts = 10_000
	maxText  = 16 << 20 // of the whole text, because numbers and symbols can be longer than their elements
)

// archive gives access to the parts of a file.
type archive struct {
	zip   *zip.Reader
	files map[string]*zip.File // by lower-case name
	main  string               // name of the main part
	links map[string]string    // from kind, such as "comments", to the name of a part of main
	more  []string             // headers and footers
	left  int64                // of maxTotal
}

// Is reports whether a file beginning with head may be a Word document of any age, so that Read
// opens it or returns the reason.
func Is(head []byte) bool {
	zipped := bytes.HasPrefix(head, []byte("PK\x03\x04")) &&
		(bytes.Contains(head, []byte("[Content_Types].xml")) || bytes.Contains(head, []byte("word/")))
	return zipped || bytes.HasPrefix(head, []byte(compound))
}

// compound is the magic number of OLE files: .doc, and encrypted .docx.
const compound = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

var (
	errLegacy    = errors.New("unsupported format, an old office document; save it as PDF or DOCX")
	errEncrypted = errors.New("encrypted Word document; remove its password, or save it as PDF")
	errNoWord    = errors.New("missing main document: expected a Word document (DOCX); save it as DOCX or PDF")
	errLarge     = errors.New("too large: at most 40 MB, or 48 MB in one part unpacked; save it as PDF")
)

func damaged(part string) error {
	return fmt.Errorf("damaged Word document (%.60q); open it in Word and save it again", part)
}

func open(r io.ReaderAt, size int64) (*archive, error) {
	if size > maxFile {
		return nil, errLarge
	}
	head := make([]byte, len(compound))
	if _, err := r.ReadAt(head, 0); err == nil && string(head) == compound {
		return nil, legacy(r, size)
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, damaged("ZIP")
	}
	if len(z.File) > maxParts {
		return nil, errLarge
	}
	a := &archive{zip: z, files: map[string]*zip.File{}, links: map[string]string{}, left: maxTotal}
	for _, f := range z.File {
		name := strings.ToLower(f.Name)
		if a.files[name] != nil { // readers choose differently, so people would see another text
			return nil, damaged(f.Name)
		}
		if f.Flags&1 != 0 {
			return nil, errEncrypted
		}
		a.files[name] = f
	}
	return a, a.link()
}

// legacy returns the error about an OLE file. Its directory names streams in UTF-16.
func legacy(r io.ReaderAt, size int64) error {
	data, err := io.ReadAll(io.NewSectionReader(r, 0, size))
	if err != nil {
		return err
	}
	if bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")) {
		return errEncrypted
	}
	return errLegacy
}

// read returns a part unpacked, or nil if it's missing.
func (a *archive) read(name string) ([]byte, error) {
	f := a.files[strings.ToLower(name)]
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged(name)
	}
	defer func() { _ = r.Close() }()
	most := min(maxPart, a.left)
	raw, err := io.ReadAll(io.LimitReader(r, most+1))
	a.left -= int64(len(raw))
	switch {
	case err != nil:
		return nil, damaged(name)
	case int64(len(raw)) > most:
		return nil, errLarge
	}
	return raw, nil
}

// part parses a part, or returns nil if it's missing.
func (a *archive) part(name string) (*node, error) {
	raw, err := a.read(name)
	if raw == nil || err != nil {
		return nil, err
	}
	return parse(name, raw)
}

// link finds the main part and the parts that it uses.
func (a *archive) link() error {
	root, err := a.part("_rels/.rels")
	if err != nil {
		return err
	}
	for _, r := range root.all("?:Relationship") {
		if path.Base(r.attr("Type")) == "officeDocument" {
			a.main = resolve("", r.attr("Target"))
		}
	}
	if a.main == "" {
		a.main = "word/document.xml"
	}
	if a.files[strings.ToLower(a.main)] == nil {
		return errNoWord
	}
	rels, err := a.part(relsOf(a.main))
	if err != nil {
		return err
	}
	for _, r := range rels.all("?:Relationship") {
		kind, target := path.Base(r.attr("Type")), resolve(path.Dir(a.main), r.attr("Target"))
		if kind == "header" || kind == "footer" {
			a.more = append(a.more, target)
		}
		a.links[kind] = target
	}
	return nil
}

func relsOf(part string) string {
	return path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
}

func resolve(folder, target string) string {
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(folder, target)
}
