package pdf

import (
	"matchbook/lambda/ingest/transcript"
)

// OCRLayer is the engine of a page with an invisible text layer over an image: another program
// read the scan, and nothing is known about its quality.
const OCRLayer = "ocr-layer"

// surface describes the images and the invisible text of a page.
type surface struct {
	objects int
	image   float64 // share of the page covered by images, at most 1
	hidden  bool    // it has invisible text
}

// Kinds of objects, and the mode of text that only marks its place.
const (
	textObject  = 1
	imageObject = 3
	formObject  = 5
	invisible   = 3
)

func surfaceOf(c *calls, page uint64, s sheet) (found surface) {
	found.objects = c.number("FPDFPage_CountObjects", page)
	corners := c.alloc(16) // four floats
	for i := 0; i < found.objects && c.err == nil; i++ {
		object := c.call("FPDFPage_GetObject", page, uint64(i))
		switch kind := c.number("FPDFPageObj_GetType", object); {
		case kind == textObject:
			found.hidden = found.hidden || c.number("FPDFTextObj_GetTextRenderMode", object) == invisible
		case kind == imageObject || kind == formObject && hasImage(c, object):
			if c.number("FPDFPageObj_GetBounds", object, corners, corners+4, corners+8, corners+12) == 0 {
				continue
			}
			b := s.shown(c.float(corners, 0), c.float(corners, 1), c.float(corners, 2), c.float(corners, 3))
			w, h := min(b.Right, s.width)-max(b.Left, 0), min(b.Bottom, s.height)-max(b.Top, 0)
			found.image += max(w, 0) * max(h, 0) / (s.width * s.height)
		}
	}
	found.objects += c.number("FPDFPage_GetAnnotCount", page)
	c.free(corners)
	return found
}

func hasImage(c *calls, form uint64) bool {
	const most = 50
	for i := range min(c.number("FPDFFormObj_CountObjects", form), most) {
		if c.number("FPDFPageObj_GetType", c.call("FPDFFormObj_GetObject", form, uint64(i))) == imageObject {
			return true
		}
	}
	return false
}

// covered reports whether an image covers most of the page.
func (s surface) covered() bool { return s.image >= 0.5 }

// visible drops invisible letters unless they lie over a scan, because a person who looks at the
// page doesn't see them. It also returns how many it kept.
func (s surface) visible(c *calls, text uint64, all []letter) (kept []letter, hidden int) {
	if !s.hidden {
		return all, 0
	}
	modes := map[uint64]bool{}
	for i, l := range all {
		object := c.call("FPDFText_GetTextObject", text, uint64(i))
		unseen, known := modes[object]
		if !known {
			unseen = object != 0 && c.number("FPDFTextObj_GetTextRenderMode", object) == invisible
			modes[object] = unseen
		}
		if unseen && !s.covered() {
			continue
		}
		if unseen && l.r != ' ' {
			hidden++
		}
		kept = append(kept, l)
	}
	return kept, hidden
}

// shows reports whether the page shows more ink outside its lines than inside: then the text is
// a stamp on a scan.
func (d *Document) shows(c *calls, page uint64, number int, p transcript.Page) (bool, error) {
	const dpi, ink = 50, 160
	width, height, err := d.pixels(c, page, number, dpi)
	if err != nil {
		return false, err
	}
	m := draw(c, page, width, height)
	inside, all := 0, 0
	lines := make([]bool, width*height)
	for _, l := range p.Lines {
		b := p.Shown(l.Box)
		for y := int(b.Top * float64(height)); y < min(int(b.Bottom*float64(height))+1, height); y++ {
			for x := int(b.Left * float64(width)); x < min(int(b.Right*float64(width))+1, width); x++ {
				lines[y*width+x] = true
			}
		}
	}
	for i, v := range m.Pix {
		if v < ink {
			all++
			if lines[i] {
				inside++
			}
		}
	}
	return 2*inside < all, nil
}
