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

// Limits of a text. A text within them has fewer than 2,000 parts.
const (
	maxBytes = 5 << 20
	maxWords = 800_000
)

var (
	errBinary = errors.New("unsupported format: use plain text or Markdown in UTF-8, UTF-16 or Windows-1252, or PDF")
	errEmpty  = errors.New("contains no text")
	errBytes  = errors.New("too long: at most 5 MB of text")
)

// formats are the magic numbers of files easily mistaken for text.
var formats = []string{"%PDF-", "PK\x03\x04", "\xd0\xcf\x11\xe0", "\x89PNG", "\xff\xd8\xff", "GIF8", "II*\x00", "MM\x00*", "{\\rtf"}

// Clean returns the text of a plain text or Markdown file: in UTF-8, with composed characters
// and \n line ends, without control and invisible characters such as soft hyphens and bidi
// marks. You must use the clean text from here on, because all offsets of a review refer to
// it. Clean returns an error for another format, an empty text and one over the limits. You
// can show its message to the sender.
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

func limit(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errEmpty
	}
	if len(text) > maxBytes {
		return "", errBytes
	}
	if n := weigh(text); n > maxWords {
		return "", fmt.Errorf("too long: about %d words, at most %d", n, maxWords)
	}
	return text, nil
}

// decode uses the byte order mark, otherwise the majority of the bytes outside ASCII.
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

// binary reports whether over one percent of the characters are control characters. Terminals
// and old programs leave a few in real texts.
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

func visible(r rune) rune {
	switch {
	case r == '\n', r == '\t', r == '\f':
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}
