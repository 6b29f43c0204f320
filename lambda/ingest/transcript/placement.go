package transcript

import (
	"math"
	"slices"
)

// Placement says how to make a page upright. Rules compare places, so the boxes of a page are
// upright however the sheet lay in the scanner.
type Placement struct {
	Turned int     `json:"turned,omitempty"` // turn the page clockwise by so many quarters,
	Tilt   float64 `json:"tilt,omitempty"`   // then counter-clockwise by so many degrees
	Aspect float64 `json:"aspect,omitempty"` // width by height once turned; set with a tilt
}

// Shown maps a box of the upright page to the page as shown.
func (p Placement) Shown(b Box) Box {
	if p.Tilt != 0 {
		b = p.tilted(b)
	}
	for range p.Turned & 3 {
		b = Box{Left: b.Top, Top: 1 - b.Right, Right: b.Bottom, Bottom: 1 - b.Left}
	}
	return b
}

// tilted returns the box around a box's corners, turned around the middle of the page.
func (p Placement) tilted(b Box) Box {
	sin, cos := math.Sincos(p.Tilt * math.Pi / 180)
	found := Box{Left: 1, Top: 1}
	for _, corner := range [][2]float64{{b.Left, b.Top}, {b.Right, b.Top}, {b.Left, b.Bottom}, {b.Right, b.Bottom}} {
		dx, dy := (corner[0]-0.5)*p.Aspect, corner[1]-0.5
		at := Box{Left: (cos*dx-sin*dy)/p.Aspect + 0.5, Top: sin*dx + cos*dy + 0.5}
		at.Right, at.Bottom = at.Left, at.Top
		found = found.Union(at.within(1, 1))
	}
	return found
}

// Poor reports whether to repair a page: its quality is below a bar, or it lies on its side.
func (p Page) Poor(below float64) bool {
	return p.Quality < below && !slices.Contains(p.Defects, Blank) ||
		p.Turned == 0 && slices.Contains(p.Defects, Orientation)
}

// turned returns a box of a page after so many quarters clockwise.
func (b Box) turned(quarters int) Box {
	for range quarters & 3 {
		b = Box{Left: 1 - b.Bottom, Top: b.Left, Right: 1 - b.Top, Bottom: b.Right}
	}
	return b
}
