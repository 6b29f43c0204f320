package pdf

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

var (
	streamStart  = regexp.MustCompile(`>>\s*stream\r?\n`)
	objectNumber = regexp.MustCompile(`(\d+)\s+\d+\s*$`)
	embeddedType = regexp.MustCompile(`/Type\s*/EmbeddedFile\b|/Subtype\s*/(?:text|application)#2[fF]xml\b`)
	otherFilter  = regexp.MustCompile(`/Filter\s*(?:\[\s*)?/(?:[^F]|F[^l])`)
	specificName = regexp.MustCompile(`/UF\s*\(((?:[^()\\]|\\[^\x00])*)\)`)
	plainName    = regexp.MustCompile(`/F\s*\(((?:[^()\\]|\\[^\x00])*)\)`)
	octal        = regexp.MustCompile(`\\([0-7]{3})`)
)

// Unlisted returns the embedded files found in the bytes of a PDF, at most 50, with XML of at
// most some bytes together. Use it if Document.Embedded finds no e-invoice, since PDFium lists
// only the files of the catalog's name tree, and some programs attach the e-invoice to a page,
// to an annotation or to the catalog's /AF alone. An embedded file is a stream, and a stream
// never stands inside another one, so its dictionary is plain bytes. The content is missing if
// the PDF is encrypted or has another filter than Flate.
func Unlisted(data []byte, most int) (files []File) {
	for _, at := range streamStart.FindAllIndex(data, -1) {
		const longest = 2000 // a dictionary with checksum, dates and size has 300
		before := data[max(0, at[0]-longest):at[0]]
		start := bytes.LastIndex(before, []byte("obj"))
		if start < 0 || len(files) == maxFiles || !embeddedType.Match(before[start:]) {
			continue
		}
		content := unpacked(before[start:], data[at[1]:], most)
		if most -= len(content); !isXML(content) {
			content = nil
		}
		file := File{Content: content}
		if m := objectNumber.FindSubmatch(before[:start]); m != nil {
			file.Name = nameOf(data, string(m[1]))
		}
		files = append(files, file)
	}
	return files
}

func unpacked(dict, stream []byte, most int) []byte {
	if otherFilter.Match(dict) {
		return nil
	}
	if !bytes.Contains(dict, []byte("FlateDecode")) {
		end := bytes.Index(stream, []byte("endstream"))
		return bytes.Clone(stream[:max(0, min(end, most))])
	}
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil
	}
	content, _ := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(content) > most {
		return nil
	}
	return content
}

// nameOf finds the name of an embedded file by its object's number. It is empty if the
// file's description is packed.
func nameOf(data []byte, object string) string {
	spec := regexp.MustCompile(`/EF\s*<<[^>]{0,100}/U?F\s+` + object + `\s+\d+\s+R`).FindIndex(data)
	if spec == nil {
		return ""
	}
	start := max(0, bytes.LastIndex(data[:spec[0]], []byte("obj")))
	end := spec[1] + max(0, bytes.Index(data[spec[1]:], []byte("endobj")))
	for _, form := range []*regexp.Regexp{specificName, plainName} {
		if m := form.FindSubmatch(data[start:end]); m != nil {
			return text(string(m[1]))
		}
	}
	return ""
}

// text decodes a string of a PDF, as far as names need it.
func text(s string) string {
	s = octal.ReplaceAllStringFunc(s, func(code string) string {
		n, _ := strconv.ParseUint(code[1:], 8, 8)
		return string([]byte{byte(n)})
	})
	if wide, ok := strings.CutPrefix(s, "\xfe\xff"); ok {
		units := make([]uint16, len(wide)/2)
		for i := range units {
			units[i] = uint16(wide[2*i])<<8 | uint16(wide[2*i+1])
		}
		return string(utf16.Decode(units))
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
