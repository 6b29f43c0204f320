// Package filetype determines a file's type by its content, never by its name,
// and refuses with a reason what an ingestion cannot read: archives, office
// files, executables, files of two types at once, files beyond the size limit.
package filetype

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"matchbook/lambda/failure"
)

// Type is a type of file that an ingestion reads.
type Type string

// The types, named by the extension that the file gets in storage.
const (
	PDF  Type = "pdf"
	PNG  Type = "png"
	JPEG Type = "jpg"
	TIFF Type = "tif"
	XML  Type = "xml"
	Text Type = "txt" // UTF-8, or an encoding of one byte a letter
)

// MaxBytes is the largest file that is read: the limit of Document AI.
const MaxBytes = 40 << 20

const (
	headerWithin = 1024     // a PDF's header begins within, as readers agree
	sampled      = 64 << 10 // text is recognised by this part
	zipEnd       = 22       // length of a ZIP's last record, without a comment
)

// Of determines the type of a file. Its errors are permanent failures with the
// reason and the remedy.
func Of(r io.ReaderAt, size int64) (Type, error) {
	switch {
	case size == 0:
		return "", failure.Permanently("the file is empty: send it again")
	case size > MaxBytes:
		return "", failure.Permanently("the file has %d MB, the limit is %d MB: split it, or scan it in fewer dots per inch",
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
	case at > 0 && first.name != "":
		return "", twoTypes(first.name, "a PDF")
	case at >= headerWithin && !isText(head):
		return "", failure.Permanently(
			"a PDF begins %d bytes into the file, beyond the first %d: remove the part before %%PDF-", at, headerWithin)
	case at >= 0 && at < headerWithin:
		first = kind{name: "a PDF", accepted: PDF}
	}
	switch {
	case first.advice != "":
		return "", failure.Permanently("the file is %s: %s", first.name, first.advice)
	case first.accepted != "" && bytes.HasPrefix(tail, []byte("PK\x05\x06")):
		return "", twoTypes(first.name, "a ZIP archive")
	case first.accepted != "":
		return first.accepted, nil
	}
	return markup(head)
}

func twoTypes(a, b string) error {
	return failure.Permanently("the file is %s and %s at once, readers would see different contents: "+
		"print it to a new PDF and send that", a, b)
}

func markup(head []byte) (Type, error) {
	text := bytes.ToLower(bytes.TrimSpace(ascii(head)))
	html := bytes.HasPrefix(text, []byte("<!doctype html")) || bytes.HasPrefix(text, []byte("<html"))
	switch {
	case html:
		return "", failure.Permanently("the file is a web page: print it to a PDF and send that")
	case bytes.HasPrefix(text, []byte("<")) && isText(ascii(head)):
		return XML, nil
	case len(bytes.TrimSpace(head)) == 0:
		return "", failure.Permanently("the file holds only white space: send it again")
	case isText(head):
		return Text, nil
	}
	return "", failure.Permanently("the type of the file is unknown: send a PDF, PNG, JPEG, TIFF, XML or text file")
}

// ascii removes a byte order mark, and of UTF-16 the bytes that are zero in
// markup.
func ascii(head []byte) []byte {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return head[3:]
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return bytes.ReplaceAll(head[2:], []byte{0}, nil)
	}
	return head
}

// isText reports whether no byte is a control character. Text that is not
// UTF-8 counts when most of it is ASCII, as in the Latin encodings.
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

// whole cuts a last character that the end of the sample split.
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
