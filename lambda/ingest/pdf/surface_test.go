package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

// lined is an image of text: rows of black dashes on white paper, 60 by 80 pixels.
func lined() string {
	rows := strings.Repeat(strings.Repeat("\xff", 60)+strings.Repeat("\xff\x00\x00\x00\x00\xff", 10), 40)
	return object("/Type /XObject /Subtype /Image /Width 60 /Height 80 /ColorSpace /DeviceGray /BitsPerComponent 8", rows)
}

// A page is judged by what it shows, not only by its letters.
func TestPageIsJudgedByWhatItShows(t *testing.T) {
	t.Parallel()
	r := open(t, Config{})
	const whole, logo = "q 595 0 0 842 0 0 cm /X0 Do Q ", "q 90 0 0 60 20 760 cm /X0 Do Q "
	var letter strings.Builder
	for y := 60; y < 800; y += 12 {
		letter.WriteString(show(30, y, strings.Repeat("WMWMWMWM ", 9)))
	}
	stamp := show(60, 800, "Eingang 12.03.2026")
	hidden := "q BT 3 Tr /F 10 Tf 60 700 Td (Rechnung Nr. 7 vom 12.03.2026) Tj ET Q "
	for name, c := range map[string]struct {
		content string
		text    string // a part
		engine  string
		defect  transcript.Defect
	}{
		"nothing":               {"", "", "", transcript.Blank},
		"a scan":                {whole, "", "", transcript.NoText},
		"a stamp on a scan":     {whole + stamp, "Eingang", "", transcript.Covered},
		"a letter with a logo":  {logo + letter.String(), "WMWM", "", ""},
		"a scan and its OCR":    {whole + hidden, "Rechnung Nr. 7", OCRLayer, ""},
		"invisible, no scan":    {hidden + stamp, "Eingang", "", ""},
		"a stamp and the other": {whole + hidden + stamp, "Rechnung Nr. 7", OCRLayer, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := []byte(onePage("", c.content, lined()))
			d := must.Get(r.Open(t.Context(), bytes.NewReader(file), int64(len(file))))(t)
			defer d.Close()
			p := must.Get(d.Text(t.Context(), 1))(t)
			ok := c.defect == "" && len(p.Defects) == 0 || slices.Contains(p.Defects, c.defect)
			if !ok || p.Engine != c.engine || !strings.Contains(p.Text(), c.text) {
				t.Errorf("got %s", fmt.Sprint(p.Engine, p.Defects, p.Text()))
			}
			if name == "invisible, no scan" && strings.Contains(p.Text(), "Rechnung") {
				t.Error("text that nobody sees was read")
			}
		})
	}
}
