package scan

import (
	"image"
	"math"
)

// Contrast returns the distance between ink and paper, 0 to 1: the difference in brightness
// between the darkest hundredth of a page and its median.
func Contrast(m *image.Gray) float64 {
	dark, paper := levels(m)
	return float64(paper-dark) / math.MaxUint8
}

func levels(m *image.Gray) (dark, paper int) {
	const inkShare, paperShare = 100, 2
	var histogram [256]int
	for _, v := range m.Pix {
		histogram[v]++
	}
	quantile := func(share int) int {
		seen := 0
		for v, n := range histogram {
			if seen += n; seen*share >= len(m.Pix) {
				return v
			}
		}
		return math.MaxUint8
	}
	return quantile(inkShare), quantile(paperShare)
}

// Blank reports whether nothing is printed on a page. It leaves out the edges, where a scanner
// shows its lid, and the specks of paper and sensor.
func Blank(m *image.Gray) bool {
	const edge, faint, specks = 30, 30, 20_000
	w, h := m.Rect.Dx(), m.Rect.Dy()
	_, paper := levels(m)
	dark := 0
	for y := h / edge; y < h-h/edge; y++ {
		for _, v := range m.Pix[y*m.Stride+w/edge : y*m.Stride+w-w/edge] {
			if int(v) < paper-faint {
				dark++
			}
		}
	}
	return dark*specks < w*h
}

// Parameters of the search for a skew.
const (
	steepest  = 6.0  // degrees
	step      = 0.25 // degrees
	wide      = 1000 // pixels of the longer side of the reduced page, up to twice as many
	convinced = 1.05 // factor by which rows must be sharper than an upright page's
)

// Skew returns by how many degrees the lines of a page fall to the right, or 0 if no angle
// makes the rows clearly sharper. It uses the angle at which the ink counted along rows
// differs most from row to row.
func Skew(m *image.Gray) float64 {
	ink := inkOf(m)
	best, angle := sharpness(ink, 0)*convinced, 0.0
	for a := -steepest; a <= steepest; a += step {
		if s := sharpness(ink, a); s > best {
			best, angle = s, a
		}
	}
	return angle
}

// inkOf returns the dark points of a page, reduced.
func inkOf(m *image.Gray) []image.Point {
	dark, paper := levels(m)
	limit := uint8((dark + paper) / 2)
	every := max(1, max(m.Rect.Dx(), m.Rect.Dy())/wide)
	var ink []image.Point
	for y := 0; y < m.Rect.Dy(); y += every {
		for x := 0; x < m.Rect.Dx(); x += every {
			if m.Pix[y*m.Stride+x] < limit {
				ink = append(ink, image.Pt(x/every, y/every))
			}
		}
	}
	return ink
}

func sharpness(ink []image.Point, degrees float64) float64 {
	const above = wide / 4 // a point at the right edge moves up by less
	slope := math.Tan(degrees * math.Pi / 180)
	var rows [2*wide + 2*above]float64
	for _, p := range ink {
		rows[above+int(math.Round(float64(p.Y)-float64(p.X)*slope))]++
	}
	sum := 0.0
	for i := 1; i < len(rows); i++ {
		d := rows[i] - rows[i-1]
		sum += d * d
	}
	return sum
}
