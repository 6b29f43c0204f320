package ingestrun

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"

	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
)

const (
	screenDPI = 96
	maxWidth  = 1300 // of an image, in pixels: an A4 page at 150 dpi fits
	shades    = 16   // of gray: enough for a noisy scan, at half the size
)

// open opens a file with pages; for other files pages is nil. The caller must call close.
func open(ctx context.Context, pdfs *pdf.Reader, data []byte) (pages transcript.Images, close func(), err error) {
	size, close := int64(len(data)), func() {}
	kind, err := filetype.Of(bytes.NewReader(data), size)
	if err != nil {
		return nil, close, err
	}
	switch kind {
	case filetype.PDF:
		doc, err := pdfs.Open(ctx, bytes.NewReader(data), size)
		if err != nil {
			return nil, close, err
		}
		return doc, doc.Close, nil
	case filetype.PNG, filetype.JPEG, filetype.TIFF, filetype.WebP:
		file, err := scan.Open(bytes.NewReader(data), size)
		if err != nil {
			return nil, close, err
		}
		return file, close, nil
	}
	return nil, close, nil
}

// draw renders a page as a data URL.
func draw(ctx context.Context, pages transcript.Images, number int) (src template.URL, size image.Point, err error) {
	drawn, err := pages.Render(ctx, number, screenDPI)
	if err != nil {
		return "", size, err
	}
	drawn = shrink(drawn, maxWidth)
	var encoded bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&encoded, reduce(drawn)); err != nil {
		return "", size, fmt.Errorf("encode page: %w", err)
	}
	text := "data:image/png;base64," + base64.StdEncoding.EncodeToString(encoded.Bytes())
	return template.URL(text), drawn.Rect.Size(), nil //nolint:gosec // base64 of our own encoder
}

// reduce returns the image in fewer shades of gray.
func reduce(m *image.Gray) *image.Paletted {
	const step = 256 / shades
	palette := make(color.Palette, shades)
	for i := range palette {
		palette[i] = color.Gray{Y: uint8(i * 255 / (shades - 1))} //nolint:gosec // at most 255
	}
	few := image.NewPaletted(m.Rect, palette)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			few.Pix[y*few.Stride+x] = m.Pix[y*m.Stride+x] / step
		}
	}
	return few
}

// shrink scales an image down by an integer factor, to at most the given width.
func shrink(m *image.Gray, width int) *image.Gray {
	n := (m.Rect.Dx() + width - 1) / width
	if n <= 1 {
		return m
	}
	small := image.NewGray(image.Rect(0, 0, m.Rect.Dx()/n, max(m.Rect.Dy()/n, 1)))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			small.Pix[y*small.Stride+x] = mean(m, image.Rect(x*n, y*n, x*n+n, y*n+n).Add(m.Rect.Min))
		}
	}
	return small
}

func mean(m *image.Gray, r image.Rectangle) uint8 {
	r = r.Intersect(m.Rect)
	sum := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			sum += int(m.GrayAt(x, y).Y)
		}
	}
	return uint8(sum / max(r.Dx()*r.Dy(), 1)) //nolint:gosec // a mean of bytes is a byte
}
