package acceptance_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// pdfOf writes a PDF: its objects from 1 on, of which the first is the catalog.
func pdfOf(objects ...string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var table strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, start)
	return b.String()
}

const (
	catalog = "<< /Type /Catalog /Pages 2 0 R >>"
	onePage = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
	font    = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
)

// pageDict is a page whose content is object 4, with the font 5 and the drawing 6.
func pageDict(more string) string {
	if !strings.Contains(more, "/MediaBox") {
		more += " /MediaBox [0 0 595 842]"
	}
	return "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> " +
		"/Pattern << /P 6 0 R >> >> " + more + " >>"
}

func stream(dict, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
}

// pagePDF is a PDF of one page with that content, and objects from 6 on.
func pagePDF(content string, more ...string) string {
	return pdfOf(append([]string{catalog, onePage, pageDict(""), stream("", content), font}, more...)...)
}

// sharedPDF is a PDF of n pages that share one packed content.
func sharedPDF(n int, content string) string {
	objects := []string{catalog, "", font, packed(content), font}
	var kids strings.Builder
	for i := range n {
		fmt.Fprintf(&kids, "%d 0 R ", i+6)
		objects = append(objects, pageDict(""))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), n)
	return pdfOf(objects...)
}

// embedding is a PDF with one packed content, embedded under n names, and a page
// that shows a text.
func embedding(n int, content string) string {
	objects := []string{"", onePage, pageDict(""), stream("", printed), font,
		stream("/Type /EmbeddedFile /Filter /FlateDecode", content)}
	names := ""
	for i := range n {
		names += fmt.Sprintf("(%03d) %d 0 R ", i, i+7)
		objects = append(objects, fmt.Sprintf("<< /Type /Filespec /F (%d.xml) /UF (%[1]d.xml) /EF << /F 6 0 R >> >>", i))
	}
	objects[0] = "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [" + names + "] >> >> >>"
	return pdfOf(objects...)
}

// unpacking is a PDF whose content unpacks to so many MB of spaces.
func unpacking(size int) string {
	return pdfOf(catalog, onePage, pageDict(""), stream("/Filter /FlateDecode", deflated(strings.Repeat(" ", mb), size)), font)
}

// show is content that shows lines of text, one below the other.
func show(size int, lines ...string) string {
	return fmt.Sprintf("BT /F %d Tf 50 780 Td %d TL (%s) Tj ET\n", size, size+4, strings.Join(lines, ") Tj T* ("))
}

func packed(content string) string { return stream("/Filter /FlateDecode", deflated(content, 1)) }

// deflated packs a piece, repeated.
func deflated(piece string, times int) string {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	for range times {
		_, _ = io.WriteString(w, piece)
	}
	_ = w.Close()
	return b.String()
}

// pngOf is a PNG of that size; form is its bits a channel, colours, and whether
// it is interlaced.
func pngOf(w, h uint32, form [3]byte, pixels string) string {
	chunk := func(name, content string) string {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
		b = append(b, name+content...)
		return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
	}
	size := string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h))
	return "\x89PNG\r\n\x1a\n" + chunk("IHDR", size+string([]byte{form[0], form[1], 0, 0, form[2]})) +
		chunk("IDAT", pixels) + chunk("IEND", "")
}

// interlaced is the length of the pixels of an interlaced PNG of 8 bytes a pixel,
// with the byte before each row: a seventh part begins at left, top, and has
// every so many columns and rows.
func interlaced(side int) (n int) {
	for _, part := range []struct{ left, top, columns, rows int }{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
		{0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		w, h := (side-part.left+part.columns-1)/part.columns, (side-part.top+part.rows-1)/part.rows
		n += h * (1 + 8*w)
	}
	return n
}

// tiffOf is a TIFF of directories of w x h pixels that contain no pixel; after
// the last one comes the directory at next.
func tiffOf(directories int, w, h, next uint32) string {
	const entry, long = 12, 4
	le := binary.LittleEndian
	b := []byte("II*\x00\x08\x00\x00\x00")
	for i := range directories {
		b = le.AppendUint16(b, 4)
		for _, e := range [][2]uint32{{256, w}, {257, h}, {258, 8}, {262, 1}} {
			b = le.AppendUint32(le.AppendUint32(le.AppendUint16(le.AppendUint16(b, uint16(e[0])), long), 1), e[1])
		}
		if at := uint32(len(b)) + 4; i < directories-1 {
			b = le.AppendUint32(b, at)
		}
	}
	return string(le.AppendUint32(b, next))
}

// jpegOf is a JPEG of that size whose scan ends at once; kind is C0 for a
// baseline one and C2 for a progressive one.
func jpegOf(kind byte, w, h uint16, components int) string {
	be := binary.BigEndian
	b := []byte("\xff\xd8\xff\xdb\x00\x43\x00" + strings.Repeat("\x01", 64) + "\xff\xc4\x00\x14\x00\x01" +
		strings.Repeat("\x00", 15) + "\x00\xff\xc4\x00\x14\x10\x01" + strings.Repeat("\x00", 15) + "\x00")
	b = be.AppendUint16(append(b, 0xff, kind), uint16(8+3*components))
	b = append(be.AppendUint16(be.AppendUint16(append(b, 8), h), w), byte(components))
	for i := range components {
		b = append(b, byte(i+1), 0x11, 0)
	}
	b = append(be.AppendUint16(append(b, 0xff, 0xda), uint16(6+2*components)), byte(components))
	for i := range components {
		b = append(b, byte(i+1), 0)
	}
	last := byte(63)
	if kind == 0xc2 {
		last = 0
	}
	return string(append(b, 0, last, 0)) + strings.Repeat("\x00", 64) + "\xff\xd9"
}
