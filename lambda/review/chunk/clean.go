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
	errBinary = errors.New("unsupported format; save it as PDF or DOCX, or send plain text, Markdown or HTML")
	errEmpty  = errors.New("contains no text")
	errBytes  = errors.New("too long: at most 5 MB of text")
)

// formats are the magic numbers of files easily mistaken for text, with the way to send them.
var formats = []struct{ start, name, way string }{
	{"%PDF-", "a PDF", "review it as a file"},
	{"PK\x03\x04", "an office document or archive", "save it as PDF or DOCX"},
	{"\xd0\xcf\x11\xe0", "an old office document", "save it as PDF or DOCX"},
	{"{\\rtf", "rich text (RTF)", "save it as PDF or DOCX"},
	{"\x89PNG", "an image", "save it as PDF"}, {"\xff\xd8\xff", "an image", "save it as PDF"}, {"GIF8", "an image", "save it as PDF"},
	{"II*\x00", "an image", "save it as PDF"}, {"MM\x00*", "an image", "save it as PDF"},
	{"MIME-Version:", "a mail or web archive", "save it as PDF"},
}

// Clean returns the text of a plain text, Markdown or HTML file: in UTF-8, with composed characters
// and \n line ends, without control and invisible characters such as soft hyphens and bidi
// marks. You must use the clean text from here on, because all offsets of a review refer to
// it. Clean returns an error for another format, an empty text and one over the limits. You
// can show its message to the sender.
func Clean(raw []byte) (string, error) {
	for _, f := range formats {
		if bytes.HasPrefix(raw, []byte(f.start)) {
			return "", fmt.Errorf("unsupported format, %s; %s", f.name, f.way)
		}
	}
	if len(raw) > 4*maxBytes {
		return "", errBytes
	}
	raw, read := narrowed(raw), decode
	if pageStart().Match(raw[:min(len(raw), 4096)]) {
		read = textOfHTML
	}
	text, err := read(raw)
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

// narrowed returns UTF-16 as UTF-8. Without a byte order mark, it's recognized by the zero
// bytes of blanks, digits and Latin letters, all at odd or all at even places.
func narrowed(raw []byte) []byte {
	endian, marked := encoding.LittleEndian, bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff"))
	if !marked {
		zeros := [2]int{}
		for i, b := range raw {
			if b == 0 {
				zeros[i%2]++
			}
		}
		if few, many := min(zeros[0], zeros[1]), max(zeros[0], zeros[1]); len(raw)%2 == 1 || many < 1+len(raw)/100 || few > many/50 {
			return raw
		}
		if zeros[0] > zeros[1] {
			endian = encoding.BigEndian
		}
	}
	text, err := encoding.UTF16(endian, encoding.UseBOM).NewDecoder().Bytes(raw)
	if err != nil || !marked && bytes.ContainsRune(text, utf8.RuneError) {
		return raw
	}
	return text
}

// decode uses the majority of the bytes outside ASCII.
func decode(raw []byte) (string, error) {
	if utf8.Valid(raw) {
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
