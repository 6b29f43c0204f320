package einvoice

import (
	"bufio"
	"errors"
	"io"
	"strings"

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

// charsetReader decodes the declared encoding. utf8Reader has already decoded UTF-16, by its
// first bytes. So if one-byte characters are declared as UTF-16, as some programs do, they are
// UTF-8.
func charsetReader(name string, r io.Reader) (io.Reader, error) {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "utf-16") || name == "utf8" {
		return r, nil
	}
	if set := charsets[name]; set != nil {
		return set.NewDecoder().Reader(r), nil
	}
	return nil, &Refused{Reason: "unsupported encoding: expected UTF-8, UTF-16, ISO-8859-1, -2, -15, windows-1250 or -1252"}
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
