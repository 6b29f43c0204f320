// Package container takes files out of ZIP archives, mails (.eml) and signed files (.p7m), so that
// each becomes an ingestion.
//
// Containers come from outside, so their count of files, size and compression are bounded. A
// container in a container stays closed, except a mail forwarded in a mail and a signed file,
// because certified mail (PEC) nests them. A file that isn't taken is listed with the reason.
package container

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"path"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/ingest/filetype"
)

// The limits of a container.
const (
	maxFiles = 500
	maxTotal = 10 * filetype.MaxBytes // of all files, unpacked
	maxRatio = 200                    // of unpacked to packed bytes; invoices reach 20
	maxDepth = 8                      // of the parts of a mail
)

// File is a file in a container.
type File struct {
	Name    string // with slashes, unique, below the container; for display
	Content []byte
	Refused string // why it was not taken
}

// Open takes all files out of a container. ok is false if the data aren't one: any other file,
// an office document, or a text without the headers of a mail.
func Open(data []byte) (files []File, ok bool) {
	ok, _ = Each(data, func(f File) error {
		files = append(files, f)
		return nil
	})
	return files, ok
}

// Each calls take with one file of a container after the other, until it returns an error. Use
// it instead of Open to keep one file in memory at a time.
func Each(data []byte, take func(File) error) (ok bool, err error) {
	o := opener{take: take, room: maxTotal, names: map[string]bool{}}
	content, isSigned := unsigned(data)
	switch {
	case isSigned:
		ok = true
		o.add("the signed file", bytes.NewReader(content))
	case filetype.IsZIP(data):
		ok = o.zip(data)
	case isMail(data):
		ok = o.mail(data)
	}
	if ok && o.count == 0 {
		o.refuse("no file", "container without files; send the files")
	}
	return ok, o.err
}

// Head is the number of bytes by which Is recognises a container.
const Head = 64 << 10

// Is reports whether a file beginning with head may be a container.
func Is(head []byte) bool { return filetype.IsZIP(head) || isMail(head) || maybeSigned(head) }

type opener struct {
	take  func(File) error
	err   error // of take
	count int
	names map[string]bool
	room  int64
}

// put hands over a file, up to the limits.
func (o *opener) put(f File) {
	switch o.count++; {
	case o.err != nil || o.count > maxFiles:
		return
	case o.count == maxFiles:
		f = File{Name: f.Name, Refused: fmt.Sprintf("too many files in the container: limit %d; this and the following were left out",
			maxFiles-1)}
	}
	f.Name = o.unique(f.Name)
	o.err = o.take(f)
}

func (o *opener) refuse(name, format string, args ...any) {
	o.put(File{Name: name, Refused: fmt.Sprintf(format, args...)})
}

// add takes a file, up to the limits.
func (o *opener) add(name string, r io.Reader) {
	if o.err != nil || o.count >= maxFiles {
		return
	}
	most := min(o.room, filetype.MaxBytes)
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	o.room -= int64(len(content))
	if inner, ok := unsigned(content); ok {
		name, content = strings.TrimSuffix(name, ".p7m"), inner
	}
	switch {
	case err != nil:
		o.refuse(name, "damaged in its container; send it alone")
	case int64(len(content)) > most:
		o.refuse(name, "too large: over %d MB, or over %d MB with the others; send it alone", filetype.MaxBytes>>20, maxTotal>>20)
	case filetype.IsZIP(content) || isMail(content):
		o.refuse(name, "container in a container; unpack it and send the files in it")
	default:
		o.put(File{Name: name, Content: content})
	}
}

// unique returns a name below the container that no other file has. Names come from outside, so
// control characters and steps to a folder above are dropped.
func (o *opener) unique(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(name, `\`, "/"), "_"))
	name = cmp.Or(path.Clean("/" + name)[1:], "file")
	for stem, n := name, 2; o.names[name]; n++ {
		ext := path.Ext(stem)
		name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(stem, ext), n, ext)
	}
	o.names[name] = true
	return name
}

func (o *opener) zip(data []byte) bool {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false
	}
	for _, f := range archive.File {
		name := f.Name
		switch {
		case strings.HasSuffix(name, "/") || ofSystem(name):
		case f.Flags&1 != 0:
			o.refuse(name, "encrypted in its ZIP archive; send it without a password")
		case f.UncompressedSize64 > 1<<20 && f.UncompressedSize64/maxRatio > f.CompressedSize64:
			o.refuse(name, "compressed more than %d times; send it alone", maxRatio)
		default:
			r, err := f.Open()
			if err != nil {
				o.refuse(name, "damaged in its container; send it alone")
				continue
			}
			o.add(name, r)
			_ = r.Close()
		}
	}
	return true
}

// ofSystem reports whether a file is no sender's, but of a Mac or of Windows.
func ofSystem(name string) bool {
	return strings.HasPrefix(name, "__MACOSX/") || slices.Contains([]string{".DS_Store", "Thumbs.db", "desktop.ini"}, path.Base(name))
}

// isMail reports whether data begin with the headers of a mail.
func isMail(data []byte) bool {
	if bytes.HasPrefix(data, []byte("%PDF")) || !bytes.Contains(data[:min(len(data), Head)], []byte(":")) {
		return false
	}
	m, err := mail.ReadMessage(bytes.NewReader(data[:min(len(data), 4*Head)]))
	if err != nil || m.Header.Get("From") == "" {
		return false
	}
	mark := func(h string) bool { return m.Header.Get(h) != "" }
	return slices.ContainsFunc([]string{"Mime-Version", "Message-Id", "Received"}, mark)
}

func (o *opener) mail(data []byte) bool {
	m, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return false
	}
	o.part(partOf{m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), ""}, m.Body, 0)
	if o.count == 0 {
		o.refuse("the mail", "mail without an attached file; print it to a PDF and send that")
	}
	return true
}

// partOf is the header of a part of a mail.
type partOf struct{ kind, encoding, name string }

// part takes the attached files below a part. Texts and pictures of the message itself aren't
// attached, because they have no name.
func (o *opener) part(p partOf, body io.Reader, depth int) {
	kind, params, _ := mime.ParseMediaType(p.kind)
	name := p.name
	if name == "" {
		name = params["name"]
	}
	if decoded, err := new(mime.WordDecoder).DecodeHeader(name); err == nil {
		name = decoded
	}
	switch {
	case strings.HasPrefix(kind, "multipart/") && depth < maxDepth:
		parts := multipart.NewReader(body, params["boundary"])
		for {
			next, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				o.refuse("the rest of the mail", "damaged in its container; send it alone")
				return
			}
			o.part(partOf{next.Header.Get("Content-Type"), next.Header.Get("Content-Transfer-Encoding"), next.FileName()}, next, depth+1)
		}
	case kind == "message/rfc822" && depth < maxDepth:
		o.forwarded(decoded(p.encoding, body), depth+1)
	case kind == "message/rfc822" || strings.HasPrefix(kind, "multipart/"):
		o.refuse("a mail in the mail", "mails nested more than %d times; send the inner one alone", maxDepth)
	case strings.HasSuffix(kind, "pkcs7-signature"): // of the mail itself
	case name != "":
		o.add(name[strings.LastIndexAny(name, `/\`)+1:], decoded(p.encoding, body))
	}
}

// forwarded takes the files attached to a mail in a mail.
func (o *opener) forwarded(r io.Reader, depth int) {
	m, err := mail.ReadMessage(r)
	if err != nil {
		o.refuse("a mail in the mail", "damaged in its container; send it alone")
		return
	}
	o.part(partOf{m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), ""}, m.Body, depth)
}

func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	}
	return body
}
