// Package scan reads images of pages, measures why their text is hard to read, and repairs
// that. It checks an image's header and size before it decodes anything.
package scan

import (
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	_ "image/jpeg" // decoders of the accepted types
	_ "image/png"
	"io"

	"matchbook/lambda/failure"

	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp" // decoder
)

const (
	maxPixels = 40_000_000 // of a page: the limit of Document AI
	maxPages  = 200        // of a TIFF
)

// File is an image file: one page, or the pages of a TIFF.
type File struct {
	file  io.ReaderAt
	size  int64
	pages []int64 // offsets of a TIFF's pages; one 0 for other types
	order binary.ByteOrder
}

// Open reads the headers of a PNG, JPEG, WebP or TIFF of size bytes. Its errors are permanent if the
// file is at fault.
func Open(file io.ReaderAt, size int64) (*File, error) {
	f := &File{file: file, size: size, pages: []int64{0}}
	head := make([]byte, 8)
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, failure.At("read the image", err)
	}
	if f.order = orders[string(head[:4])]; f.order != nil {
		if err := f.directories(int64(f.order.Uint32(head[4:]))); err != nil {
			return nil, err
		}
	}
	for page := range f.pages {
		if err := f.check(page); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// directories follows the chain of a TIFF's pages.
func (f *File) directories(next int64) error {
	const entry = 12
	f.pages = nil
	for next != 0 {
		if len(f.pages) == maxPages {
			return failure.Permanently("TIFF has more than %d pages, or a page that follows itself; split it", maxPages)
		}
		f.pages = append(f.pages, next)
		b := make([]byte, 4)
		if _, err := f.file.ReadAt(b[:2], next); err != nil {
			return broken()
		}
		if _, err := f.file.ReadAt(b, next+2+entry*int64(f.order.Uint16(b))); err != nil {
			return broken()
		}
		next = int64(f.order.Uint32(b))
	}
	if len(f.pages) == 0 {
		return broken()
	}
	return nil
}

func broken() error {
	return failure.Permanently("image is damaged or incomplete; send it again, or save it as PNG or JPEG")
}

func (f *File) check(page int) error {
	c, err := f.config(page)
	switch {
	case err != nil:
		return broken()
	case c.Width <= 0 || c.Height <= 0:
		return failure.Permanently("image of page %d is empty; send it again", page+1)
	case c.Width > maxPixels/c.Height:
		return failure.Permanently(
			"image of page %d has %d x %d pixels, limit %d million; scan it at fewer dots per inch", page+1,
			c.Width, c.Height, maxPixels/1_000_000)
	}
	return nil
}

func (f *File) config(page int) (image.Config, error) {
	if f.order != nil {
		return tiff.DecodeConfig(f.reader(page))
	}
	c, _, err := image.DecodeConfig(f.reader(page))
	return c, err
}

func (f *File) decode(page int) (image.Image, error) {
	if f.order != nil {
		return tiff.Decode(f.reader(page))
	}
	m, _, err := image.Decode(f.reader(page))
	return m, err
}

// reader returns the file. A TIFF gets the page as its first, because the decoder reads no
// other.
func (f *File) reader(page int) io.Reader {
	if f.order == nil {
		return io.NewSectionReader(f.file, 0, f.size)
	}
	return io.NewSectionReader(firstPage{f, page}, 0, f.size)
}

type firstPage struct {
	*File
	page int
}

// ReadAt reads the file as if its header named the page.
func (p firstPage) ReadAt(b []byte, off int64) (int, error) {
	const from = 4 // offset of the four bytes in the header that name the first page
	n, err := p.file.ReadAt(b, off)
	header := make([]byte, 4)
	p.order.PutUint32(header, uint32(p.pages[p.page]))
	for i, v := range header {
		if at := from + int64(i) - off; at >= 0 && at < int64(n) {
			b[at] = v
		}
	}
	return n, err
}

// Pages returns the number of pages.
func (f *File) Pages() int { return len(f.pages) }

// decoding admits one image at a time, because a progressive JPEG of 40 million pixels takes
// 800 MB to decode. The result takes 40.
var decoding = make(chan struct{}, 1)

// Render decodes a page, from 1, in shades of gray, turned as its tag of orientation asks. It
// ignores the dots per inch, because the pixels of a scan are fixed.
func (f *File) Render(ctx context.Context, page, _ int) (*image.Gray, error) {
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return nil, failure.At("wait for the decoder of images", ctx.Err())
	}
	decoded, err := f.decode(page - 1)
	if err != nil {
		return nil, broken()
	}
	return turn(gray(decoded), f.orientation(page-1)), nil
}

// gray copies an image onto white paper.
func gray(m image.Image) *image.Gray {
	if g, ok := m.(*image.Gray); ok && g.Rect.Min == (image.Point{}) {
		return g
	}
	g := image.NewGray(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(g, g.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(g, g.Rect, m, m.Bounds().Min, draw.Over)
	return g
}
