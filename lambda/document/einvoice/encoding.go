package einvoice

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// maxBytes bounds a file. Attachments are usually bounded at 15 MB, and base64 adds a third.
const maxBytes = 24 << 20

// source counts the bytes read, and keeps the reader's error apart from errors in the content.
type source struct {
	r    io.Reader
	read int
	err  error
}

// Read implements io.Reader; it refuses more than maxBytes.
func (s *source) Read(p []byte) (int, error) {
	if s.read > maxBytes {
		return 0, &Refused{Reason: "file too large: over 24 MiB"}
	}
	n, err := s.r.Read(p)
	s.read += n
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// charsets are the one-byte encodings, by declared name. As in browsers, ISO-8859-1 is read as
// windows-1252, because the two differ only in control characters, and no document contains
// those.
var charsets = map[string]*charmap.Charmap{
	"iso-8859-1": charmap.Windows1252, "latin1": charmap.Windows1252, "us-ascii": charmap.Windows1252,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252,
	"iso-8859-2": charmap.ISO8859_2, "windows-1250": charmap.Windows1250,
	"iso-8859-15": charmap.ISO8859_15,
}

const unsupported = "unsupported encoding: expected UTF-8, UTF-16, ISO-8859-1, -2, -15, windows-1250 or -1252"

// charsetReader returns a decoder's CharsetReader. Characters of more than one byte are valid
// UTF-8 by no accident, so the content outranks the declared name. ASCII proves nothing: in
// UTF-7 it stands for other characters. utf8Reader has decoded UTF-16 already, by its first bytes.
func charsetReader(isUTF8, isASCII bool) func(string, io.Reader) (io.Reader, error) {
	return func(name string, r io.Reader) (io.Reader, error) {
		set := charsets[strings.ToLower(name)]
		switch {
		case isUTF8 && (!isASCII || set != nil):
			return r, nil
		case set == nil:
			return nil, &Refused{Reason: unsupported}
		}
		return set.NewDecoder().Reader(r), nil
	}
}

// declaresOther matches a declaration of another encoding than UTF-8.
var declaresOther = lazy.Regexp(`(?is)^\s*<\?xml[^>]*\bencoding\s*=\s*["'](?:[^uU"']|u[^tT"'])`)

// misdeclared reports whether a file isn't in the UTF-8 it declares, or that XML assumes.
func misdeclared(data []byte) bool { return !readable(data) && !declaresOther().Match(data) }

// readable reports whether utf8Reader returns UTF-8.
func readable(data []byte) bool {
	wide := len(data) > 1 && (data[0] >= 0xfe || data[0] == 0 || data[1] == 0)
	return wide || utf8.Valid(data)
}

func isASCII(data []byte) bool {
	return bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// utf8Reader decodes UTF-16, and drops the byte order mark of UTF-8.
func utf8Reader(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	start, _ := b.Peek(3) // a shorter file is not XML
	at := func(prefix string) bool { return strings.HasPrefix(string(start), prefix) }
	switch {
	case at("\xef\xbb\xbf"):
		_, _ = b.Discard(3)
	case at("\xff\xfe"), at("<\x00"):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b)
	case at("\xfe\xff"), at("\x00<"):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(b)
	}
	return b
}
