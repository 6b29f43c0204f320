package scan

import (
	"image"
	"math"

	"matchbook/lambda/ingest/transcript"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// Repair is a repaired image of a page.
type Repair struct {
	Image *image.Gray
	Back  func(transcript.Box) transcript.Box // from the repaired page to the original
}

// Unrepaired returns the repair that changes nothing.
func Unrepaired(m *image.Gray) Repair {
	return Repair{m, func(b transcript.Box) transcript.Box { return b }}
}

// Turn turns the page clockwise by quarters.
func (r Repair) Turn(quarters int) Repair {
	for range quarters & 3 {
		r = r.quarter()
	}
	return r
}

func (r Repair) quarter() Repair {
	w, h := r.Image.Rect.Dx(), r.Image.Rect.Dy()
	turned := image.NewGray(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			turned.Pix[x*turned.Stride+h-1-y] = r.Image.Pix[y*r.Image.Stride+x]
		}
	}
	return Repair{turned, func(b transcript.Box) transcript.Box {
		return r.Back(transcript.Box{Left: b.Top, Top: 1 - b.Right, Right: b.Bottom, Bottom: 1 - b.Left})
	}}
}

// Straighten levels lines that fall to the right by degrees. The size stays.
func (r Repair) Straighten(degrees float64) Repair {
	w, h := float64(r.Image.Rect.Dx()), float64(r.Image.Rect.Dy())
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	level := image.NewGray(image.Rect(0, 0, r.Image.Rect.Dx(), r.Image.Rect.Dy()))
	draw.Draw(level, level.Rect, image.White, image.Point{}, draw.Src)
	turn := f64.Aff3{cos, sin, w/2 - cos*w/2 - sin*h/2, -sin, cos, h/2 + sin*w/2 - cos*h/2}
	draw.BiLinear.Transform(level, turn, r.Image, r.Image.Rect, draw.Over, nil)
	back := func(x, y float64) (float64, float64) {
		dx, dy := x*w-w/2, y*h-h/2
		return (cos*dx - sin*dy + w/2) / w, (sin*dx + cos*dy + h/2) / h
	}
	return Repair{level, func(b transcript.Box) transcript.Box { return r.Back(around(b, back)) }}
}

// around returns the box around the corners of b, mapped by back.
func around(b transcript.Box, back func(x, y float64) (float64, float64)) transcript.Box {
	found := transcript.Box{Left: 1, Top: 1}
	for _, corner := range [][2]float64{{b.Left, b.Top}, {b.Right, b.Top}, {b.Left, b.Bottom}, {b.Right, b.Bottom}} {
		x, y := back(corner[0], corner[1])
		found.Left, found.Right = min(found.Left, x), max(found.Right, x)
		found.Top, found.Bottom = min(found.Top, y), max(found.Bottom, y)
	}
	return found
}

// Enlarge draws the page in more pixels, within the limit of an image.
func (r Repair) Enlarge(factor float64) Repair {
	w, h := float64(r.Image.Rect.Dx()), float64(r.Image.Rect.Dy())
	if factor = affordable(factor, w*h); factor <= 1 {
		return r
	}
	large := image.NewGray(image.Rect(0, 0, int(w*factor), int(h*factor)))
	draw.CatmullRom.Scale(large, large.Rect, r.Image, r.Image.Rect, draw.Src, nil)
	return Repair{large, r.Back}
}

// affordable limits a factor so that the image stays within maxPixels.
func affordable(factor, pixels float64) float64 { return min(factor, math.Sqrt(maxPixels/pixels)) }

// Stretch spreads the brightness so that ink is black and paper white.
func (r Repair) Stretch() Repair {
	dark, paper := levels(r.Image)
	spread := image.NewGray(r.Image.Rect)
	for i, v := range r.Image.Pix {
		level := (int(v) - dark) * math.MaxUint8 / max(1, paper-dark)
		spread.Pix[i] = uint8(min(max(level, 0), math.MaxUint8))
	}
	return Repair{spread, r.Back}
}
