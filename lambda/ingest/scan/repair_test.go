package scan

import (
	"image"
	"math"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// ruled is a page of black bars on white, as lines of text are.
func ruled() *image.Gray {
	m := sheet(800, 600, 255)
	for y := 100; y < 500; y += 30 {
		for dy := range 10 {
			for x := 100; x < 700; x++ {
				if x%50 < 40 { // gaps between words
					m.Pix[(y+dy)*m.Stride+x] = 0
				}
			}
		}
	}
	return m
}

func TestSkewIsStraightened(t *testing.T) {
	t.Parallel()
	for _, degrees := range []float64{-5, -1, 0, 0.75, 3} {
		fallen := Unrepaired(ruled()).Straighten(-degrees)
		if got := Skew(fallen.Image); math.Abs(got-degrees) > 0.25 {
			t.Errorf("%v degrees are measured as %v", degrees, got)
		}
		if got := Skew(fallen.Straighten(degrees).Image); math.Abs(got) > 0.25 {
			t.Errorf("%v degrees: straightened, %v are left", degrees, got)
		}
	}
	if got := Skew(sheet(50, 50, 255)); got != 0 {
		t.Errorf("an empty page: got %v, want 0", got)
	}
}

func TestContrast(t *testing.T) {
	t.Parallel()
	faded := ruled()
	for i, v := range faded.Pix {
		faded.Pix[i] = 150 + v/10 // 150 to 175
	}
	if got := Contrast(ruled()); got != 1 {
		t.Errorf("black on white: got %v, want 1", got)
	}
	if got, want := Contrast(faded), 25.0/255; got != want {
		t.Errorf("gray on gray: got %v, want %v", got, want)
	}
	if got := Contrast(Unrepaired(faded).Stretch().Image); got != 1 {
		t.Errorf("stretched: got %v, want 1", got)
	}
	if got := Contrast(sheet(5, 5, 9)); got != 0 {
		t.Errorf("one gray: got %v, want 0", got)
	}
	Unrepaired(sheet(5, 5, 9)).Stretch() // divides by no zero
}

// A mark at a known place is where Back says that it was.
func TestBoxesMapBack(t *testing.T) {
	t.Parallel()
	page := sheet(400, 200, 255)
	for y := 40; y < 60; y++ {
		for x := 100; x < 160; x++ {
			page.Pix[y*page.Stride+x] = 0
		}
	}
	want := transcript.Box{Left: 0.25, Top: 0.2, Right: 0.4, Bottom: 0.3}
	for name, tc := range map[string]struct {
		repair Repair
		loose  float64 // by how much a turned box is larger
	}{
		"nothing":       {Unrepaired(page), 0},
		"a quarter":     {Unrepaired(page).Turn(1), 0},
		"a half":        {Unrepaired(page).Turn(2), 0},
		"three":         {Unrepaired(page).Turn(3), 0},
		"a full turn":   {Unrepaired(page).Turn(4), 0},
		"back":          {Unrepaired(page).Turn(-1), 0},
		"straightened":  {Unrepaired(page).Straighten(3), 0.04},
		"enlarged":      {Unrepaired(page).Enlarge(2), 0.005},
		"three of them": {Unrepaired(page).Turn(1).Straighten(-2).Enlarge(1.5), 0.04},
	} {
		got := tc.repair.Shown(marked(tc.repair.Image))
		off := max(math.Abs(got.Left-want.Left), math.Abs(got.Top-want.Top),
			math.Abs(got.Right-want.Right), math.Abs(got.Bottom-want.Bottom))
		if off > tc.loose+1e-9 {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// marked returns the box around the dark pixels.
func marked(m *image.Gray) transcript.Box {
	box := transcript.Box{Left: 1, Top: 1}
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	for i, v := range m.Pix {
		if v < 128 {
			x, y := float64(i%m.Stride), float64(i/m.Stride)
			box = box.Union(transcript.Box{Left: x / w, Top: y / h, Right: (x + 1) / w, Bottom: (y + 1) / h})
		}
	}
	return box
}

func TestTurnIsClockwise(t *testing.T) {
	t.Parallel()
	page := sheet(3, 2, 255)
	page.Pix[0] = 0 // the upper left corner
	for quarters, want := range []image.Point{{0, 0}, {1, 0}, {2, 1}, {0, 2}} {
		if got := Unrepaired(page).Turn(quarters).Image; got.GrayAt(want.X, want.Y).Y != 0 {
			t.Errorf("after %d quarters the corner is not at %v: %v", quarters, want, got.Pix)
		}
	}
}

func TestEnlargePixelLimit(t *testing.T) {
	t.Parallel()
	for pixels, want := range map[float64]float64{1_000_000: 4, 10_000_000: 2, 40_000_000: 1} {
		if got := affordable(4, pixels); got != want {
			t.Errorf("%v pixels: got %v, want %v", pixels, got, want)
		}
	}
	page := sheet(10, 20, 255)
	if got := Unrepaired(page).Enlarge(1.5).Image.Rect; got != image.Rect(0, 0, 15, 30) {
		t.Errorf("got %v", got)
	}
	if Unrepaired(page).Enlarge(0.5).Image != page {
		t.Error("the page was made smaller")
	}
}
