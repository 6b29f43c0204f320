package pdf

import (
	"math"
	"strings"

	"matchbook/lambda/ingest/transcript"
)

// split makes words of the letters, in the order of the file. A word ends at a space, or where
// the next letter is far away.
func split(all []letter) []transcript.Word {
	var words []transcript.Word
	var run []letter
	turned := 0
	end := func() {
		if len(run) > 0 {
			w := join(run)
			if len(run) > 1 {
				turned = direction(run)
			}
			w.Turned = turned // a lone letter reads as the word before it
			words, run = append(words, w), run[:0]
		}
	}
	for _, l := range all {
		if l.r == ' ' || len(run) > 0 && far(run[len(run)-1].box, l.box) {
			end()
		}
		if l.r != ' ' {
			run = append(run, l)
		}
	}
	end()
	return words
}

func join(run []letter) transcript.Word {
	box := run[0].box
	good := 0
	var b strings.Builder
	for _, l := range run {
		b.WriteRune(l.r)
		box = box.Union(l.box)
		if meaningful(l.r) {
			good++
		}
	}
	if len(run) > 1 {
		box = lowered(run, box)
	}
	return transcript.Word{Text: b.String(), Box: box, Confidence: float64(good) / float64(len(run))}
}

// lowered returns the box of a word that begins with a drop cap, as high as its other letters:
// it stands in their line.
func lowered(run []letter, box transcript.Box) transcript.Box {
	first, second := run[0].box, run[1].box
	if first.Bottom-first.Top < 1.8*(second.Bottom-second.Top) || first.Right > second.Right {
		return box
	}
	box.Top, box.Bottom = second.Top, second.Bottom
	for _, l := range run[2:] {
		box.Top, box.Bottom = min(box.Top, l.box.Top), max(box.Bottom, l.box.Bottom)
	}
	return box
}

// far reports whether b begins in another word than a. It uses the longer side of a's box as
// the size of the font.
func far(a, b transcript.Box) bool {
	size := max(a.Bottom-a.Top, a.Right-a.Left)
	gapX := max(a.Left, b.Left) - min(a.Right, b.Right)
	gapY := max(a.Top, b.Top) - min(a.Bottom, b.Bottom)
	return max(gapX, gapY) > size
}

func direction(run []letter) int {
	first, last := run[0].box, run[len(run)-1].box
	x := (last.Left + last.Right - first.Left - first.Right) / 2
	y := (last.Top + last.Bottom - first.Top - first.Bottom) / 2
	switch {
	case math.Abs(x) >= math.Abs(y) && x >= 0:
		return 0
	case math.Abs(x) >= math.Abs(y):
		return 2
	case y > 0:
		return 1
	}
	return 3
}
