package pdf

import (
	"encoding/binary"
	"math"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// Whatever letters and places the parser returns, they become lines within the page.
func FuzzLettersBecomeLines(f *testing.F) {
	f.Add([]byte("Invoice\x00\x01\x02 7"), 595.0, 842.0)
	f.Add([]byte("\xff\xff\x7f\xc0 a\xff\xf0"), 0.0, math.Inf(1))
	f.Fuzz(func(t *testing.T, raw []byte, width, height float64) {
		var all []letter
		for ; len(raw) >= 6; raw = raw[6:] {
			x := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
			y := float64(int8(raw[4]))
			all = append(all, letter{character(int(raw[5]) | int(raw[4])<<8), transcript.Box{Left: x, Top: y, Right: x + 5, Bottom: y + 9}})
		}
		page := transcript.Transcription{Pages: []transcript.Page{{Number: 1, Lines: transcript.Arrange(split(all), width, height)}}}
		page.Round()
		for _, l := range page.Pages[0].Lines {
			for _, edge := range []float64{l.Box.Left, l.Box.Top, l.Box.Right, l.Box.Bottom, l.Confidence} {
				if !(edge >= 0 && edge <= 1) {
					t.Errorf("%q: %+v", l.Text, l)
				}
			}
		}
	})
}
