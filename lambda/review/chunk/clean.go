package chunk

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	encoding "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/unicode/norm"
)

// The largest text. It has fewer than 2,000 parts.
const (
	maxBytes = 5 << 20
	maxWords = 800_000
)

var (
	errBinary = errors.New("it is no text: accepted are plain text and Markdown, in UTF-8, UTF-16 or Windows-1252, and PDF")
	errEmpty  = errors.New("it has no text")
	errBytes  = errors.New("it is too long: accepted are up to 5 MB of text")
)

// formats are the first bytes of files that are read as text by mistake.
var formats = []string{"%PDF-", "PK\x03\x04", "\xd0\xcf\x11\xe0", "\x89PNG", "\xff\xd8\xff", "GIF8", "II*\x00", "MM\x00*", "{\\rtf"}

// Clean returns the text of a file of plain text or Markdown: UTF-8 in
// composed characters, with \n as the end of a line, without control characters
// and without invisible ones, such as soft hyphens and those that turn the
// direction of writing. Offsets of a review refer to this text. A file in
// another format, without text, or with too much of it is an error whose text
// can be shown to the person who sent it.
func Clean(raw []byte) (string, error) {
	for _, start := range formats {
		if bytes.HasPrefix(raw, []byte(start)) {
			return "", errBinary
		}
	}
	if len(raw) > 4*maxBytes {
		return "", errBytes
	}
	text, err := decode(raw)
	if err != nil || binary(text) {
		return "", errBinary
	}
	return limit(norm.NFC.String(strings.Map(visible, lineEnds.Replace(text))))
}

// limit refuses texts without a word, and those that are too long.
func limit(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errEmpty
	}
	if len(text) > maxBytes {
		return "", errBytes
	}
	if n := weigh(text); n > maxWords {
		return "", fmt.Errorf("it is too long: it has about %d words, accepted are up to %d", n, maxWords)
	}
	return text, nil
}

// decode finds the encoding by the byte order mark, or by what most of the bytes
// outside of ASCII are.
func decode(raw []byte) (string, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		text, err := encoding.UTF16(encoding.LittleEndian, encoding.UseBOM).NewDecoder().Bytes(raw)
		return string(text), err
	case utf8.Valid(raw):
		return string(raw), nil
	}
	good, bad := 0, 0
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
		i += size
	}
	if good > bad {
		return string(bytes.ToValidUTF8(raw, []byte("\ufffd"))), nil
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(raw)
	return string(text), err
}

// binary reports whether more than one character of a hundred is a control
// character. A few stand in texts that terminals and old programs wrote.
func binary(text string) bool {
	controls := 0
	for _, r := range text {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			controls++
		}
	}
	return controls > len(text)/100+3
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n\n")

// visible drops a character that nobody can see.
func visible(r rune) rune {
	switch {
	case r == '\n', r == '\t', r == '\f':
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}
