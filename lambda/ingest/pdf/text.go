package pdf

import (
	"context"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"

	"github.com/tetratelabs/wazero/api"
)

// readable is the quality below which a text layer counts as garbled, because its fonts don't
// map shapes to characters.
const readable = 0.7

// Text reads the text layer of a page, from 1. The quality of a scanned page is 0.
func (d *Document) Text(ctx context.Context, page int) (transcript.Page, error) {
	result := transcript.Page{Number: page, Lines: []transcript.Line{}}
	err := d.onPage(ctx, "read the text", page, func(c *calls, handle uint64) error {
		sheet := sheetOf(c, handle)
		text := c.call("FPDFText_LoadPage", handle)
		count := c.number("FPDFText_CountChars", text)
		if count > d.config.Characters {
			return failure.Permanently(
				"read the text of page %d: too many characters: %d, limit %d; send a file without hidden text", page,
				count, d.config.Characters)
		}
		surface := surfaceOf(c, handle, sheet)
		all, hidden := surface.visible(c, text, letters(c, text, count, sheet))
		result.Lines, result.Turned = transcript.Arrange(split(all), sheet.width, sheet.height)
		c.call("FPDFText_ClosePage", text)
		return d.judge(c, handle, surface, hidden, &result)
	})
	return result, err
}

// judge sets the quality and the defects, and who read the page.
func (d *Document) judge(c *calls, handle uint64, s surface, hidden int, p *transcript.Page) (err error) {
	assess(p)
	covered := false
	switch {
	case c.err != nil:
	case s.objects == 0:
		p.Defects = append(p.Defects, transcript.Blank)
	case 2*hidden > p.Characters():
		p.Engine = OCRLayer
	case s.covered() && len(p.Lines) > 0:
		covered, err = d.shows(c, handle, p.Number, *p)
	}
	if covered {
		p.Defects = append(p.Defects, transcript.Covered)
	}
	return err
}

// letter is a character with its box, in points of the page as shown.
type letter struct {
	r   rune
	box transcript.Box
}

func letters(c *calls, text uint64, count int, s sheet) []letter {
	const boxSize = 16 // four floats
	address := c.alloc(boxSize)
	found := make([]letter, 0, count)
	for i := 0; i < count && c.err == nil; i++ {
		r := character(c.number("FPDFText_GetUnicode", text, uint64(i)))
		l := letter{r: r}
		if !unicode.IsSpace(r) {
			// The loose box has the height of the font, so that a comma stands in the line of
			// its word.
			c.call("FPDFText_GetLooseCharBox", text, uint64(i), address)
			left, top := c.float(address, 0), c.float(address, 1)
			right, bottom := c.float(address, 2), c.float(address, 3)
			l.box = s.shown(left, bottom, right, top)
		}
		found = append(found, l)
	}
	c.free(address)
	return found
}

// character maps PDFium's codes for a hyphen at the end of a line, for spaces and for invalid
// characters.
func character(code int) rune {
	const hyphen, otherHyphen = 0x02, 0xfffe
	switch {
	case code == hyphen || code == otherHyphen:
		return '-'
	case code == 0 || code < 0 || code > unicode.MaxRune:
		return unicode.ReplacementChar
	case unicode.IsSpace(rune(code)):
		return ' '
	}
	return rune(code)
}

// assess sets the quality: the share of meaningful characters.
func assess(p *transcript.Page) {
	all, good := 0, 0.0
	for _, l := range p.Lines {
		n := utf8.RuneCountInString(l.Text)
		all, good = all+n, good+float64(n)*l.Confidence
	}
	if all == 0 {
		p.Defects = []transcript.Defect{transcript.NoText}
		return
	}
	if p.Quality = good / float64(all); p.Quality < readable {
		p.Defects = []transcript.Defect{transcript.Garbled}
	}
}

func meaningful(r rune) bool {
	return r != unicode.ReplacementChar && !unicode.In(r, unicode.Co, unicode.Cc)
}

// sheet maps PDF coordinates to points of the page as shown, with the origin in its upper left
// corner. /Rotate and the crop box decide the mapping.
type sheet struct {
	width, height float64
	originX       float64
	originY       float64
	alongX        [2]float64 // where a point to the right leads
	alongY        [2]float64 // where a point up leads
}

func sheetOf(c *calls, page uint64) sheet {
	const fine = 1_000_000 // the device's pixels: integers
	s := sheet{
		width:  api.DecodeF64(c.call("FPDF_GetPageWidth", page)),
		height: api.DecodeF64(c.call("FPDF_GetPageHeight", page)),
	}
	out := c.alloc(8)
	device := func(x, y float64) (float64, float64) {
		c.call("FPDF_PageToDevice", page, 0, 0, fine, fine, 0, api.EncodeF64(x), api.EncodeF64(y), out, out+4)
		return float64(c.int(out, 0)) / fine * s.width, float64(c.int(out, 1)) / fine * s.height
	}
	const far = 100
	s.originX, s.originY = device(0, 0)
	x, y := device(far, 0)
	s.alongX = [2]float64{(x - s.originX) / far, (y - s.originY) / far}
	x, y = device(0, far)
	s.alongY = [2]float64{(x - s.originX) / far, (y - s.originY) / far}
	c.free(out)
	return s
}

func (s sheet) shown(left, bottom, right, top float64) transcript.Box {
	x1, y1 := s.point(left, bottom)
	x2, y2 := s.point(right, top)
	return transcript.Box{Left: min(x1, x2), Top: min(y1, y2), Right: max(x1, x2), Bottom: max(y1, y2)}
}

func (s sheet) point(x, y float64) (float64, float64) {
	return s.originX + x*s.alongX[0] + y*s.alongY[0], s.originY + x*s.alongX[1] + y*s.alongY[1]
}
