package filetype

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"matchbook/lambda/failure"
)

const (
	binary = "\x00\x01\x02\x03\x04\x05\x06\x07"
	pdf    = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n" + binary
	png    = "\x89PNG\r\n\x1a\n" + binary
	zipEOF = "PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
)

// zipOf is the header of a file in a ZIP archive, and the file, as it is.
func zipOf(extra, content string) string {
	return "PK\x03\x04" + strings.Repeat("\x00", 22) + "\x05\x00" + string(rune(len(extra))) + "\x00" + "a.pdf" + extra + content
}

func TestTypeByContent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		content string
		want    Type
	}{
		"PDF":                            {pdf, PDF},
		"PDF with a binary of text":      {"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", PDF},
		"PDF after a mail's last line":   {"\r\n\r\n" + pdf, PDF},
		"PDF whose header is the 1024th": {strings.Repeat(" ", 1019) + pdf, PDF},
		"PNG":                            {png, PNG},
		"JPEG":                           {"\xff\xd8\xff\xe0" + binary, JPEG},
		"WebP":                           {"RIFF\x00\x01\x02\x03WEBPVP8L" + binary, WebP},
		"TIFF, little endian":            {"II*\x00" + binary, TIFF},
		"TIFF, big endian":               {"MM\x00*" + binary, TIFF},
		"XML":                            {`<?xml version="1.0"?><Invoice/>`, XML},
		"XML without a declaration":      {"\n <rsm:CrossIndustryInvoice xmlns:rsm='x'/>", XML},
		"XML with a byte order mark":     {"\xef\xbb\xbf<?xml version='1.0'?><a/>", XML},
		"XML in UTF-16":                  {"\xff\xfe<\x00?\x00x\x00m\x00l\x00", XML},
		"XML in Latin-1":                 {"<?xml version='1.0' encoding='ISO-8859-1'?><n>M\xfcller</n>", XML},
		"text":                           {"Rechnung\t7\r\nMüller\n", Text},
		"text in Latin-1":                {"Rechnung 7 von M\xfcller, Stra\xdfe 1\n", Text},
		"text that begins as a program":  {"MZ Handels GmbH, Rechnung 7", Text},
		"text that begins as an image":   {"BMW AG, Rechnung 7", Text},
		"text cut inside a letter":       {strings.Repeat("a", sampled-1) + "ü", Text},
		"text about a PDF":               {"Please open it with %", Text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Of(strings.NewReader(tc.content), int64(len(tc.content)))
			if err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

func TestRefusalsNameRemedy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ content, want string }{
		"empty":               {"", "empty file; send it again"},
		"white space":         {" \r\n\t ", "file holds only white space; send it again"},
		"ZIP named as PDF":    {"PK\x03\x04" + binary, "unsupported file type (a ZIP archive); unpack it"},
		"empty ZIP":           {zipEOF, "unsupported file type (an empty ZIP archive); unpack it"},
		"gzip":                {"\x1f\x8b\x08" + binary, "unsupported file type (a gzip archive); unpack it"},
		"7-Zip":               {"7z\xbc\xaf\x27\x1c" + binary, "unsupported file type (a 7-Zip archive); unpack it"},
		"RAR":                 {"Rar!\x1a\x07\x00" + binary, "unsupported file type (a RAR archive); unpack it"},
		"tar":                 {strings.Repeat("\x00", 257) + "ustar", "unsupported file type (a tar archive); unpack it"},
		"old Word":            {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + binary, "unsupported file type (an office or mail document); save it as a PDF and send that"},
		"RTF":                 {`{\rtf1 Rechnung}`, "unsupported file type (an RTF document); save it as a PDF"},
		"PostScript":          {"%!PS-Adobe-3.0\n", "unsupported file type (a PostScript file); save it as a PDF"},
		"GIF":                 {"GIF89a" + binary, "unsupported file type (a GIF image); save it as JPEG"},
		"BMP":                 {"BM" + binary, "unsupported file type (a BMP image); save it as JPEG"},
		"HEIC":                {"\x00\x00\x00\x18ftypheic", "unsupported file type (a HEIC image); save it as JPEG and send that; an iPhone"},
		"HEIC, general":       {"\x00\x00\x00\x18ftypmif1", "unsupported file type (a HEIC image); save it as JPEG"},
		"AVIF":                {"\x00\x00\x00\x18ftypavif", "unsupported file type (an AVIF image); save it as JPEG or PNG"},
		"video":               {"\x00\x00\x00\x18ftypqt  ", "unsupported file type (a video); take a photo of each page"},
		"Word":                {"PK\x03\x04" + binary + "[Content_Types].xml" + binary + "word/document.xml", "unsupported file type (a Word document); save it as a PDF"},
		"Excel":               {"PK\x03\x04" + binary + "[Content_Types].xml" + binary + "xl/workbook.xml", "unsupported file type (an Excel workbook); save it as a PDF"},
		"LibreOffice":         {"PK\x03\x04" + binary + "mimetypeapplication/vnd.oasis.opendocument.text" + binary, "(a text document of LibreOffice); save it as a PDF"},
		"old Excel":           {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + binary + "W\x00o\x00r\x00k\x00b\x00o\x00o\x00k\x00", "(an Excel workbook); save it as a PDF"},
		"Outlook":             {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + binary + "_\x00_\x00s\x00u\x00b\x00s\x00t\x00g\x001\x00.\x000\x00_\x00", "(an Outlook message); save it as .eml"},
		"Word with a PDF":     {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat(binary, 128) + pdf, "unsupported file type (an office or mail document); save it as a PDF"},
		"ZIP of a PDF":        {zipOf("", pdf), "unsupported file type (a ZIP archive); unpack it and send the files in it"},
		"ZIP of a later PDF":  {zipOf("", "<a/>") + zipOf("extra", pdf), "unsupported file type (a ZIP archive); unpack it"},
		"tar of a PDF":        {strings.Repeat("\x00", 257) + "ustar" + strings.Repeat("\x00", 250) + pdf, "unsupported file type (a tar archive); unpack it"},
		"signed":              {"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80", "unsupported file type (a signed file, .p7m); save the signed file"},
		"Mac program":         {"\xcf\xfa\xed\xfe" + binary, "unsupported file type (a program); programs are not accepted"},
		"BigTIFF":             {"II+\x00\x08\x00\x00\x00", "unsupported file type (a BigTIFF image); save it as JPEG"},
		"Windows program":     {"MZ" + binary, "unsupported file type (a program); programs are not accepted"},
		"Linux program":       {"\x7fELF" + binary, "unsupported file type (a program); programs are not accepted"},
		"script":              {"#!/bin/sh\nrm -rf x\n", "unsupported file type (a script); programs are not accepted"},
		"web page":            {"<!DOCTYPE html>\n<p>", "unsupported file type (a web page); print it to a PDF"},
		"noise":               {binary + binary, "unknown file type; send a PDF"},
		"high noise":          {"\xfe\x81\x90\xa0\xb0\xc0", "unknown file type; send a PDF"},
		"JPEG and PDF":        {"\xff\xd8\xff\xe0" + binary + pdf, "file is both a JPEG image and a PDF"},
		"web page and PDF":    {"<html><!--\n" + pdf, "file is both a page of markup and a PDF"},
		"program and PDF":     {"MZ" + binary + pdf, "file is both a program and a PDF"},
		"ZIP and PDF":         {"PK\x03\x04" + binary + pdf, "file is both a ZIP archive and a PDF"},
		"PDF and ZIP":         {pdf + zipEOF, "file is both a PDF and a ZIP archive"},
		"PNG and ZIP":         {png + zipEOF, "file is both a PNG image and a ZIP archive"},
		"PDF header at 1,024": {strings.Repeat("\x01", 1024) + pdf, "PDF begins 1024 bytes into the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Of(strings.NewReader(tc.content), int64(len(tc.content)))
			if err == nil {
				t.Fatalf("accepted as %q", got)
			}
			f := failure.Of(err)
			if f.Kind != failure.Permanent || !strings.Contains(f.Text, tc.want) {
				t.Errorf("got %v %q\nwant permanent %q", f.Kind, f.Text, tc.want)
			}
		})
	}
}

func TestTooLargeBeforeRead(t *testing.T) {
	t.Parallel()
	_, err := Of(nil, MaxBytes+1) // nothing to read from
	want := "file too large: 41 MB, limit 40 MB; split it, or scan it at fewer dots per inch"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

type broken struct{ error }

func (b broken) ReadAt([]byte, int64) (int, error) { return 0, b.error }

func TestFailedReadIsTransient(t *testing.T) {
	t.Parallel()
	_, err := Of(broken{errors.New("connection reset")}, 100)
	if f := failure.Of(err); f.Kind != failure.Transient {
		t.Errorf("got %v, want a transient failure", f)
	}
}

func FuzzEveryFileHasATypeOrAReason(f *testing.F) {
	for _, seed := range []string{pdf, png, "<a/>", "text", "\xff\xfe<", zipEOF, "\xe2\x82"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := Of(bytes.NewReader(content), int64(len(content)))
		if (got == "") == (err == nil) {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func ExampleOf() {
	file := strings.NewReader("\x1f\x8b\x08\x00\x00") // named invoice.pdf
	_, err := Of(io.NewSectionReader(file, 0, file.Size()), file.Size())
	fmt.Println(err)
	// Output:
	// unsupported file type (a gzip archive); unpack it and send the files in it
}
