package ingestrun

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"strings"
	"testing"

	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

const hostile = `</title></svg><script>alert(1)</script><img src=x onerror=alert(2)>"' onload='alert(3)`

// A document, and the name of a file, is text on the page, whatever it holds.
func TestHostileTextIsEscaped(t *testing.T) {
	t.Parallel()
	f := fileReport{File: hostile, Status: "completed", Error: hostile, SameAs: hostile, Documents: []documentReport{{
		Number: hostile, Source: hostile, Pages: []int{1}, Review: true, Reasons: []string{hostile},
		Sums:   []Sum{{Of: hostile, States: hostile, Stated: hostile}},
		Fields: []Field{{hostile, extraction.Field{Value: hostile, Quote: hostile + " ", Page: 1, Trust: hostile}}}}}}
	v := view(&Report{Files: []fileReport{f}, OCR: OCR{Missing: hostile}})
	d := f.Documents[0]
	line := Field{"line_items.0.description", extraction.Field{Value: hostile, Trust: hostile}}
	v.Files = []fileView{{fileReport: f, ID: hostile, Documents: []documentView{{documentReport: d, ID: hostile, From: d.from(), Name: d.name(),
		Fields: []fieldView{{Field: d.Fields[0], ID: hostile, Words: hostile, Shown: hostile, Marked: true},
			{Field: line, ID: hostile, Shown: hostile, Marked: true}}}},
		Sheets: []sheetView{{ID: hostile, Number: 1, Image: "data:image/png;base64,", Note: hostile, Marks: []markView{{ID: hostile, Title: hostile}}}}}}
	v.Person = v.Files[0].person()
	var page bytes.Buffer
	must.OK(t, pageTemplate.Execute(&page, v))
	text := page.String()
	for _, bad := range []string{"<script", "<img", "</title></svg>", `"' onload`, " onload='"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %s", bad)
		}
	}
	if n := strings.Count(text, "&lt;script"); n < 20 {
		t.Errorf("the text is on the page only %d times", n)
	}
	for _, want := range []string{`http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// grid is an image of a file: white, with a black dot.
type grid struct{ size image.Point }

func (g grid) Pages() int { return 1 }

func (g grid) Render(context.Context, int, int) (*image.Gray, error) {
	m := image.NewGray(image.Rectangle{Max: g.size})
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	m.SetGray(0, 0, color.Gray{})
	return m, nil
}

func TestPageImageLimit(t *testing.T) {
	t.Parallel()
	left := 1
	text := transcript.Transcription{Pages: []transcript.Page{{Number: 1}, {Number: 2}}}
	got := sheets(t.Context(), grid{image.Pt(2, 2)}, text, &left)
	if len(got) != 2 || got[0].Image == "" || got[1].Image != "" || got[1].Note != "only the first 50 pages have an image" {
		t.Errorf("got %+v", got)
	}
}
