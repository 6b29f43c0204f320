package sheet

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"matchbook/lambda/ingest/transcript"
)

const (
	maxWidth = 1300 // of an image, in pixels: an A4 page at 150 dpi fits
	shades   = 16   // of gray: enough for a noisy scan, at half the size
)

// Draw renders a page as PNG, and returns its size in pixels.
func Draw(ctx context.Context, pages transcript.Images, number, dpi int) (encoded []byte, size image.Point, err error) {
	drawn, err := pages.Render(ctx, number, dpi)
	if err != nil {
		return nil, size, err
	}
	drawn = shrink(drawn, maxWidth)
	var file bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&file, reduce(drawn)); err != nil {
		return nil, size, fmt.Errorf("encode page: %w", err)
	}
	return file.Bytes(), drawn.Rect.Size(), nil
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
