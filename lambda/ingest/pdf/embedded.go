package pdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"

	"matchbook/lambda/failure"
)

// File is a file embedded in a PDF.
type File struct {
	Name    string // may be empty
	Content []byte // nil if it isn't XML
}

const maxFiles = 50

// invoices are the names of the XML in Factur-X, ZUGFeRD and XRechnung.
var invoices = []string{"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml"}

// Embedded returns the files that the PDF lists, an e-invoice first. The content decides
// whether a file is XML, because names are free.
func (d *Document) Embedded(ctx context.Context) ([]File, error) {
	var files []File
	room := d.config.Embedded // because one packed content can be embedded under many names
	err := d.do(ctx, "read embedded files", func(c *calls) error {
		count := c.number("FPDFDoc_GetAttachmentCount", d.handle)
		for i := 0; c.err == nil && i < min(count, maxFiles); i++ {
			attachment := c.call("FPDFDoc_GetAttachment", d.handle, uint64(i))
			file := File{Name: attachmentName(c, attachment)}
			content, err := d.content(c, attachment, room)
			if err != nil && strings.HasSuffix(strings.ToLower(file.Name), ".xml") {
				return err
			}
			if room -= len(content); isXML(content) {
				file.Content = content
			}
			if attachment != 0 {
				files = append(files, file)
			}
		}
		return nil
	})
	slices.SortStableFunc(files, func(a, b File) int { return rank(a) - rank(b) })
	return files, err
}

// isXML reports whether a file begins like XML, in UTF-8 or UTF-16.
func isXML(content []byte) bool {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		content = bytes.TrimPrefix(content, []byte(mark))
	}
	return bytes.HasPrefix(bytes.TrimLeft(content, "\x00 \t\r\n"), []byte("<"))
}

func rank(f File) int {
	if i := slices.Index(invoices, strings.ToLower(f.Name)); i >= 0 {
		return i
	}
	return len(invoices)
}

func attachmentName(c *calls, attachment uint64) string {
	const longest = 1 << 10
	if attachment == 0 {
		return ""
	}
	size := c.number("FPDFAttachment_GetName", attachment, 0, 0) // in bytes of UTF-16, with a zero
	if size <= 2 || size > longest {
		return ""
	}
	address := c.alloc(size)
	c.call("FPDFAttachment_GetName", attachment, address, uint64(size))
	raw := c.view(address, size)
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	c.free(address)
	return strings.TrimRight(string(utf16.Decode(units)), "\x00")
}

func (d *Document) content(c *calls, attachment uint64, room int) ([]byte, error) {
	length := c.alloc(4)
	if c.call("FPDFAttachment_GetFile", attachment, 0, 0, length) == 0 {
		return nil, nil // a name without a file
	}
	size := c.int(length, 0)
	if size < 0 || size > room {
		return nil, failure.Permanently(
			"XML embedded in the PDF has more than %d MB; send it alone, or the PDF without it", d.config.Embedded>>20)
	}
	if size == 0 {
		return nil, nil
	}
	address := c.alloc(size)
	c.call("FPDFAttachment_GetFile", attachment, address, uint64(size), length)
	content := bytes.Clone(c.view(address, size))
	c.free(address)
	c.free(length)
	return content, nil
}
