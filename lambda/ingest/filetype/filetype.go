// Package filetype determines a file's type by its content, never by its name. It refuses what
// an ingestion can't read, with a reason: archives, office files, executables, files of two
// types at once, and files beyond the size limit.
package filetype

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"matchbook/lambda/failure"
)

// Type is a type of file an ingestion can read.
type Type string

// The types, named by the extension used in storage.
const (
	PDF  Type = "pdf"
	PNG  Type = "png"
	JPEG Type = "jpg"
	TIFF Type = "tif"
	WebP Type = "webp"
	XML  Type = "xml"
	Text Type = "txt" // UTF-8, or a single-byte encoding
)

// MaxBytes is the size of the largest accepted file, the limit of Document AI.
const MaxBytes = 40 << 20

const (
	headerWithin = 1024     // bytes in which a PDF's header must begin, as readers agree
	sampled      = 64 << 10 // bytes to recognise text by
	zipEnd       = 22       // length of a ZIP's last record, without a comment
)

// Of determines the type of a file of size bytes. If it refuses the file, the error is a
// permanent failure with the reason and the remedy.
func Of(r io.ReaderAt, size int64) (Type, error) {
	switch {
	case size == 0:
		return "", failure.Permanently("empty file; send it again")
	case size > MaxBytes:
		return "", failure.Permanently("file too large: %d MB, limit %d MB; split it, or scan it at fewer dots per inch",
			(size+1<<20-1)>>20, MaxBytes>>20)
	}
	head, err := part(r, 0, min(size, sampled))
	if err != nil {
		return "", err
	}
	tail, err := part(r, max(0, size-zipEnd), min(size, zipEnd))
	if err != nil {
		return "", err
	}
	return decide(head, tail)
}

func part(r io.ReaderAt, from, n int64) ([]byte, error) {
	b := make([]byte, n)
	if _, err := r.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, failure.At("read the file", err)
	}
	return b, nil
}

func decide(head, tail []byte) (Type, error) {
	first := match(head)
	at := bytes.Index(head, []byte("%PDF-"))
	switch {
	case at > 0 && at < headerWithin && bytes.HasPrefix(bytes.TrimSpace(ascii(head)), []byte("<")):
		return "", twoTypes("a page of markup", "a PDF")
	case at > 0 && (at >= headerWithin && first.advice != "" || packed(first, head, at)):
		// a PDF in an archive or in an office document
	case at > 0 && first.name != "":
		return "", twoTypes(first.name, "a PDF")
	case at >= headerWithin && first.name == "" && !isText(head):
		return "", failure.Permanently(
			"PDF begins %d bytes into the file, must be within the first %d; remove the part before %%PDF-", at, headerWithin)
	case at >= 0 && at < headerWithin:
		first = kind{name: "a PDF", accepted: PDF}
	}
	switch {
	case first.advice != "":
		return "", failure.Permanently("unsupported file type (%s); %s", first.name, first.advice)
	case first.accepted != "" && bytes.HasPrefix(tail, []byte("PK\x05\x06")):
		return "", twoTypes(first.name, "a ZIP archive")
	case first.accepted != "":
		return first.accepted, nil
	}
	return markup(head)
}

func twoTypes(a, b string) error {
	return failure.Permanently("file is both %s and %s, so readers would see different contents; "+
		"print it to a new PDF and send that", a, b)
}

func markup(head []byte) (Type, error) {
	text := bytes.ToLower(bytes.TrimSpace(ascii(head)))
	html := bytes.HasPrefix(text, []byte("<!doctype html")) || bytes.HasPrefix(text, []byte("<html"))
	switch {
	case html:
		return "", failure.Permanently("unsupported file type (a web page); print it to a PDF and send that")
	case bytes.HasPrefix(text, []byte("<")) && isText(ascii(head)):
		return XML, nil
	case len(bytes.TrimSpace(head)) == 0:
		return "", failure.Permanently("file holds only white space; send it again")
	case isText(head):
		return Text, nil
	}
	return "", failure.Permanently("unknown file type; send a PDF, PNG, JPEG, TIFF, WebP, XML or text file")
}

// ascii removes a byte order mark, and from UTF-16 the zero bytes of markup.
func ascii(head []byte) []byte {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return head[3:]
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return bytes.ReplaceAll(head[2:], []byte{0}, nil)
	}
	return head
}

// isText reports whether the sample is free of control characters, and is UTF-8 or mostly
// ASCII, as in the Latin encodings.
func isText(sample []byte) bool {
	high := 0
	for _, b := range sample {
		switch {
		case b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f', b == 0x7f:
			return false
		case b >= utf8.RuneSelf:
			high++
		}
	}
	return utf8.Valid(whole(sample)) || high*3 < len(sample)
}

// whole drops a last character cut by the end of the sample.
func whole(sample []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(sample); i++ {
		if b := sample[len(sample)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(sample[len(sample)-i:]) {
				return sample[:len(sample)-i]
			}
			break
		}
	}
	return sample
}
