package scan

import (
	"image"
	"image/color"
	"math"

	"matchbook/lambda/ingest/transcript"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// Repair is a repaired image of a page. You must turn it before you straighten it.
type Repair struct {
	Image *image.Gray
	transcript.Placement
}

// Unrepaired returns the repair that changes nothing.
func Unrepaired(m *image.Gray) Repair { return Repair{Image: m} }

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
	return Repair{turned, transcript.Placement{Turned: (r.Turned + 1) & 3}}
}

// Straighten levels lines that fall to the right by degrees. The size stays.
func (r Repair) Straighten(degrees float64) Repair {
	w, h := float64(r.Image.Rect.Dx()), float64(r.Image.Rect.Dy())
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	level := image.NewGray(image.Rect(0, 0, r.Image.Rect.Dx(), r.Image.Rect.Dy()))
	_, paper := levels(r.Image) // an edge of another shade would look like a rule
	draw.Draw(level, level.Rect, image.NewUniform(color.Gray{Y: uint8(paper)}), image.Point{}, draw.Src)
	turn := f64.Aff3{cos, sin, w/2 - cos*w/2 - sin*h/2, -sin, cos, h/2 + sin*w/2 - cos*h/2}
	draw.BiLinear.Transform(level, turn, r.Image, r.Image.Rect, draw.Over, nil)
	return Repair{level, transcript.Placement{Turned: r.Turned, Tilt: degrees, Aspect: w / h}}
}

// Enlarge draws the page in more pixels, within the limit of an image.
func (r Repair) Enlarge(factor float64) Repair {
	w, h := float64(r.Image.Rect.Dx()), float64(r.Image.Rect.Dy())
	if factor = affordable(factor, w*h); factor <= 1 {
		return r
	}
	large := image.NewGray(image.Rect(0, 0, int(w*factor), int(h*factor)))
	draw.CatmullRom.Scale(large, large.Rect, r.Image, r.Image.Rect, draw.Src, nil)
	return Repair{large, r.Placement}
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
	return Repair{spread, r.Placement}
}
