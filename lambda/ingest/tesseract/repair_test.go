package tesseract

import (
	"context"
	"image"
	"math"
	"slices"
	"testing"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

func TestRepairKeepsPlaces(t *testing.T) {
	t.Parallel()
	e := installed(t)
	whole := drawn(t, 300)
	faded := image.NewGray(whole.Rect)
	for i, v := range whole.Pix {
		faded.Pix[i] = 200 + v/8
	}
	for name, tc := range map[string]struct {
		page   *image.Gray
		defect transcript.Defect
	}{
		"on its side": {scan.Unrepaired(whole).Turn(1).Image, transcript.Orientation},
		"upside down": {scan.Unrepaired(whole).Turn(2).Image, transcript.Orientation},
		"faded":       {faded, transcript.Contrast},
		"small":       {drawn(t, 90), transcript.SmallText},
	} {
		if name == "upside down" && !testenv.Thorough() {
			continue // it is turned like one on its side
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, err := e.Transcribe(context.Background(), one{tc.page})
			must.OK(t, err)
			before := first.Pages[0]
			second, err := e.Repair(context.Background(), one{tc.page}, first, 1.1) // whatever its quality
			must.OK(t, err)
			p := second.Transcription.Pages[0]
			t.Logf("quality %v, then %v", before.Quality, p.Quality)
			if !slices.Equal(texts(p), lines) || !slices.Contains(p.Defects, tc.defect) || second.Images[1] == nil {
				t.Errorf("got %q, %v", texts(p), p.Defects)
			}
			if len(first.Pages[0].Lines) != len(before.Lines) {
				t.Error("the first transcription was changed")
			}
			if tc.defect == transcript.SmallText { // the first reading has the same lines
				a, b := before.Lines[0].Box, p.Lines[0].Box
				if math.Abs(a.Left-b.Left) > 0.02 || math.Abs(a.Top-b.Top) > 0.02 {
					t.Errorf("the line moved from %+v to %+v", a, b)
				}
			}
		})
	}
}

// A tilted page is straightened before it is read, and its boxes lead back to where they were.
func TestTiltedPageIsReadStraight(t *testing.T) {
	t.Parallel()
	e, whole := installed(t), drawn(t, 300)
	want, err := e.Transcribe(t.Context(), one{whole})
	must.OK(t, err)
	for _, degrees := range []float64{-4, 1} {
		got, err := e.Transcribe(t.Context(), one{scan.Unrepaired(whole).Straighten(-degrees).Image})
		must.OK(t, err)
		p := got.Pages[0]
		if !slices.Equal(texts(p), lines) || p.Tilt != degrees || !slices.Contains(p.Defects, transcript.Skew) {
			t.Errorf("%v degrees: got %q, tilt %v, %v", degrees, texts(p), p.Tilt, p.Defects)
			continue
		}
		for i, l := range p.Lines {
			if a, b := want.Pages[0].Lines[i].Box, l.Box; math.Abs(a.Left-b.Left) > 0.02 || math.Abs(a.Top-b.Top) > 0.02 {
				t.Errorf("%v degrees: line %d stands at %+v, want %+v", degrees, i, b, a)
			}
		}
	}
}

func TestGoodPagesAreReadOnce(t *testing.T) {
	t.Parallel()
	e := engine(t, Config{Program: program(t, "exit 3")}) // it would fail
	first := transcript.Transcription{Pages: []transcript.Page{{Number: 1, Quality: 0.7}}}
	second, err := e.Repair(context.Background(), one{}, first, 0.7)
	if err != nil || len(second.Images) != 0 || second.Transcription.Pages[0].Quality != 0.7 {
		t.Errorf("got %+v, %v", second, err)
	}
}
