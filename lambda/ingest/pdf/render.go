package pdf

import (
	"context"
	"image"
	"math"

	"matchbook/lambda/failure"

	"github.com/tetratelabs/wazero/api"
)

// Bitmap format, colour and flags of PDFium.
const (
	formatGray   = 1
	white        = 0xffffffff
	annotations  = 0x01 // filled forms are annotations
	inGray       = 0x08
	pointsOfInch = 72
)

// Render draws a page, from 1, at dpi dots per inch, in shades of gray. A page beyond the
// limit of pixels is drawn smaller.
func (d *Document) Render(ctx context.Context, page, dpi int) (*image.Gray, error) {
	var drawn *image.Gray
	err := d.onPage(ctx, "draw the image", page, func(c *calls, handle uint64) error {
		width, height, err := d.pixels(c, handle, page, dpi)
		if err != nil {
			return err
		}
		drawn = draw(c, handle, width, height)
		return nil
	})
	return drawn, err
}

func (d *Document) pixels(c *calls, page uint64, number, dpi int) (width, height int, err error) {
	w := api.DecodeF64(c.call("FPDF_GetPageWidth", page)) * float64(dpi) / pointsOfInch
	h := api.DecodeF64(c.call("FPDF_GetPageHeight", page)) * float64(dpi) / pointsOfInch
	if !(w > 0 && h > 0) && c.err == nil { // NaN, too
		return 0, 0, failure.Permanently(
			"draw the image of page %d: missing page size; print the PDF to a new one", number)
	}
	if shrink := math.Sqrt(w * h / float64(d.config.Pixels)); shrink > 1 {
		w, h = w/shrink, h/shrink
	}
	// A page as thin as a thread has one pixel across and the cap along.
	limit := float64(d.config.Pixels)
	return int(min(max(w, 1), limit)), int(min(max(h, 1), limit)), nil
}

func draw(c *calls, page uint64, width, height int) *image.Gray {
	w, h := uint64(width), uint64(height)
	bitmap := c.call("FPDFBitmap_CreateEx", w, h, formatGray, 0, 0)
	if bitmap == 0 {
		if c.err == nil {
			c.err = errMemory
		}
		return nil
	}
	c.call("FPDFBitmap_FillRect", bitmap, 0, 0, w, h, white)
	c.call("FPDF_RenderPageBitmap", bitmap, page, 0, 0, w, h, 0, annotations|inGray)
	stride := c.number("FPDFBitmap_GetStride", bitmap)
	pixels := c.view(c.call("FPDFBitmap_GetBuffer", bitmap), stride*height)
	drawn := image.NewGray(image.Rect(0, 0, width, height))
	for y := 0; c.err == nil && y < height; y++ {
		copy(drawn.Pix[y*drawn.Stride:], pixels[y*stride:y*stride+width])
	}
	c.call("FPDFBitmap_Destroy", bitmap)
	return drawn
}
