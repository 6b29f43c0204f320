package scan

import (
	"encoding/binary"
	"image"
	"io"
	"strings"
)

// Orientations. TIFF and Exif count eight.
const (
	upright      = 1 // the first row is the top, the first column the left side
	onItsSide    = 5 // from here on, rows are columns
	orientations = 8
)

// orientation returns how to turn or mirror the pixels of a page before use. A phone stores
// them as its sensor has them, and adds a tag. An unreadable tag changes nothing.
func (f *File) orientation(page int) int {
	if f.order != nil {
		return orientationOf(f.file, f.order, f.pages[page])
	}
	exif := exifOf(f.file, f.size)
	head := make([]byte, 8)
	if _, err := exif.ReadAt(head, 0); err != nil {
		return upright
	}
	order := orders[string(head[:4])]
	if order == nil {
		return upright
	}
	return orientationOf(exif, order, int64(order.Uint32(head[4:])))
}

// orders are the byte orders, by the beginning of a TIFF. Exif is a TIFF without pixels.
var orders = map[string]binary.ByteOrder{"II*\x00": binary.LittleEndian, "MM\x00*": binary.BigEndian}

// orientationOf looks for the tag in the directory of a TIFF's page.
func orientationOf(file io.ReaderAt, order binary.ByteOrder, directory int64) int {
	const tag, short, entry = 274, 3, 12
	count := make([]byte, 2)
	if _, err := file.ReadAt(count, directory); err != nil {
		return upright
	}
	b := make([]byte, entry)
	for i := range int64(order.Uint16(count)) {
		if _, err := file.ReadAt(b, directory+2+i*entry); err != nil {
			return upright
		}
		if order.Uint16(b) != tag {
			continue
		}
		if v := int(order.Uint16(b[8:])); order.Uint16(b[2:]) == short && v >= upright && v <= orientations {
			return v
		}
		return upright
	}
	return upright
}

// exifOf finds Exif in a JPEG or a WebP. It returns an empty section if it finds nothing.
func exifOf(file io.ReaderAt, size int64) *io.SectionReader {
	if found := exifInWebP(file, size); found != nil {
		return found
	}
	return exifInJPEG(file, size)
}

// exifInWebP finds Exif among the chunks of a WebP, or returns nil. Some writers keep the
// name that a JPEG needs in front of it.
func exifInWebP(file io.ReaderAt, size int64) *io.SectionReader {
	const head, first, maxChunks = 8, 12, 1000
	b := make([]byte, head+len(exifName))
	if _, err := file.ReadAt(b, 0); err != nil || string(b[:4]) != "RIFF" || string(b[8:first]) != "WEBP" {
		return nil
	}
	for at, i := int64(first), 0; i < maxChunks; i++ {
		n, _ := file.ReadAt(b, at) // short at the end of the file
		if n < head {
			return nil
		}
		length := int64(binary.LittleEndian.Uint32(b[4:]))
		if from := at + head; string(b[:4]) == "EXIF" {
			if string(b[head:n]) == exifName {
				from += int64(len(exifName))
			}
			return io.NewSectionReader(file, from, max(0, min(at+head+length, size)-from))
		}
		at += head + length + length%2
	}
	return nil
}

const exifName = "Exif\x00\x00"

// exifInJPEG finds Exif among the segments in front of a JPEG's pixels.
func exifInJPEG(file io.ReaderAt, size int64) *io.SectionReader {
	none := io.NewSectionReader(file, 0, 0)
	const (
		start, scan, app1 = 0xd8, 0xda, 0xe1
		maxSegments       = 1000
	)
	b := make([]byte, 4+len(exifName))
	if _, err := file.ReadAt(b[:2], 0); err != nil || b[0] != 0xff || b[1] != start {
		return none
	}
	at := int64(2)
	for range maxSegments {
		n, _ := file.ReadAt(b, at) // short at the end of the file
		if n < 4 || b[0] != 0xff || b[1] == scan {
			return none
		}
		length := int64(binary.BigEndian.Uint16(b[2:]))
		if b[1] == app1 && strings.HasPrefix(string(b[4:n]), exifName) {
			from := at + int64(len(b))
			return io.NewSectionReader(file, from, min(at+2+length, size)-from)
		}
		at += 2 + length
	}
	return none
}

// turn returns the image as it should be viewed.
func turn(m *image.Gray, orientation int) *image.Gray {
	if orientation == upright {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	from := func(x, y int) (int, int) { return x, y }
	switch orientation {
	case 2: // mirrored
		from = func(x, y int) (int, int) { return w - 1 - x, y }
	case 3: // upside down
		from = func(x, y int) (int, int) { return w - 1 - x, h - 1 - y }
	case 4: // upside down, mirrored
		from = func(x, y int) (int, int) { return x, h - 1 - y }
	case 5: // the first row is the left side, the first column the top
		from = func(x, y int) (int, int) { return y, x }
	case 6: // the first row is the right side, the first column the top
		from = func(x, y int) (int, int) { return y, h - 1 - x }
	case 7: // the first row is the right side, the first column the bottom
		from = func(x, y int) (int, int) { return w - 1 - y, h - 1 - x }
	case 8: // the first row is the left side, the first column the bottom
		from = func(x, y int) (int, int) { return w - 1 - y, x }
	}
	turned := image.NewGray(image.Rect(0, 0, w, h))
	if orientation >= onItsSide {
		turned = image.NewGray(image.Rect(0, 0, h, w))
	}
	for y := range turned.Rect.Dy() {
		for x := range turned.Rect.Dx() {
			fromX, fromY := from(x, y)
			turned.Pix[y*turned.Stride+x] = m.Pix[fromY*m.Stride+fromX]
		}
	}
	return turned
}
