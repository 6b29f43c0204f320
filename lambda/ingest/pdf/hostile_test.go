package pdf

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/testenv"
)

const (
	damaged = "PDF is damaged or incomplete"
	late    = "did not finish within 1s"
	memory  = "needs more than the parser's 64 MB of memory"
	form    = "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
	isRead  = "" // the file is read, as far as it goes
)

// hostile lists files that attack the parser, and the reason of each refusal.
var hostile = map[string]struct {
	file func() string
	want string
}{
	"nothing but a header": {func() string { return "%PDF-1.7\n" }, damaged},
	"noise after the header": {func() string {
		return "%PDF-1.7\n" + strings.Repeat("\x93\x01\xfe\x45obj<</[(", 10_000)
	}, damaged},
	"zeros after the header": {func() string { return "%PDF-1.7\n" + strings.Repeat("\x00", 1<<20) }, damaged},
	"truncated in the middle": {func() string {
		whole := onePage("", show(50, 700, "Invoice"))
		return whole[:len(whole)/3]
	}, damaged},
	"truncated before its table": {func() string {
		whole := onePage("", show(50, 700, "Invoice"))
		before, _, _ := strings.Cut(whole, "xref")
		return before
	}, damaged},
	"no pages": {func() string {
		return newPDF().add("<< /Type /Catalog /Pages 2 0 R >>").add("<< /Type /Pages /Kids [] /Count 0 >>").end("")
	}, "PDF without pages"},
	"10,000 pages": {func() string { return manyPages(10_000) }, "PDF has too many pages: 10000, limit 1000"},
	"a count of pages that is a lie": {func() string {
		return newPDF().add("<< /Type /Catalog /Pages 2 0 R >>").add("<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>").
			add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>").end("")
	}, isRead},
	"a page tree that contains itself": {func() string {
		return newPDF().add("<< /Type /Catalog /Pages 2 0 R >>").
			add("<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>").end("")
	}, "the page is damaged"},
	"a page tree of 100,000 levels": {func() string {
		const levels = 100_000
		b := newPDF().add("<< /Type /Catalog /Pages 2 0 R >>")
		for i := range levels {
			b.add("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", i+3)
		}
		return b.add("<< /Type /Page /MediaBox [0 0 9 9] >>").end("")
	}, "the page is damaged"},
	"tables that refer to each other": {func() string {
		whole := onePage("", show(50, 700, "Invoice"))
		at := strings.LastIndex(whole, "xref\n0")
		return strings.Replace(whole, "/Root 1 0 R", fmt.Sprintf("/Root 1 0 R /Prev %d", at), 1)
	}, isRead},
	"a table of a billion objects": {func() string {
		return strings.Replace(onePage("", ""), "xref\n0 6", "xref\n0 1000000000", 1)
	}, isRead},
	"a length that refers to itself": {func() string {
		return strings.Replace(onePage("", show(50, 700, "x")), "/Length 36", "/Length 4 0 R", 1)
	}, isRead},
	"a length beyond the file": {func() string {
		return strings.Replace(onePage("", show(50, 700, "x")), "/Length 36", "/Length 9223372036854775807", 1)
	}, isRead},
	"arrays within arrays": {func() string {
		return onePage("/Junk "+strings.Repeat("[", 1_000_000)+strings.Repeat("]", 1_000_000), "")
	}, isRead},
	"a drawing that draws itself": {func() string {
		return onePage("", "/X0 Do", object(form+" /Resources << /XObject << /X0 6 0 R >> >>",
			"/X0 Do"))
	}, isRead},
	"a drawing that draws itself twice": {func() string {
		return onePage("", "/X0 Do", object(form+" /Resources << /XObject << /X0 6 0 R >> >>",
			"/X0 Do /X0 Do"))
	}, memory},
	"drawings that multiply": {func() string { return laughs(20, 20) }, memory},
	"a pattern of a billion tiles": {func() string {
		return onePage("", "/Pattern cs /P0 scn 0 0 595 842 re f",
			object("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] "+
				"/XStep 0.001 /YStep 0.001 /Resources << >>",
				"0 0 1 1 re f"))
	}, late},
	"a line of a billion dashes": {func() string {
		return onePage("", "[0.00001] 0 d 0 0 m 595 842 l S")
	}, late},
	"content that unpacks to 70 MB": {func() string {
		return pageOf("", "/Filter /FlateDecode", deflated(strings.Repeat(" ", 1<<20), 70))
	}, memory},
	"content packed twice that unpacks to 70 MB": {func() string {
		return pageOf("", "/Filter [/FlateDecode /FlateDecode]", deflated(deflated(strings.Repeat(" ", 1<<20), 70), 1))
	}, memory},
	"content of nine filters": {func() string {
		return pageOf("", "/Filter ["+strings.Repeat("/RunLengthDecode ", 9)+"]", strings.Repeat("\x81 ", 1000))
	}, isRead},
	"an image of 100,000 x 100,000": {func() string {
		return picture("/Width 100000 /Height 100000 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode",
			deflated("x", 9))
	}, isRead},
	"an image whose size overflows": {func() string {
		return picture("/Width 2147483647 /Height 2147483647 /ColorSpace /DeviceCMYK /BitsPerComponent 16", "x")
	}, isRead},
	"a fax of a billion rows": {func() string {
		return picture("/Width 10000 /Height 1000000000 /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode "+
			"/DecodeParms << /K -1 /Columns 10000 /Rows 1000000000 >>", "\x00\x10\x01")
	}, isRead},
	"a JPEG of 65,500 x 65,500": {func() string {
		return picture("/Width 65500 /Height 65500 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode",
			"\xff\xd8\xff\xc0\x00\x11\x08\xff\xdc\xff\xdc\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01\xff\xda\x00\x0c")
	}, isRead},
	"JBIG2 noise": {func() string {
		side := testenv.Size(2000, 9999) // each dot is decoded
		return picture(fmt.Sprintf("/Width %[1]d /Height %[1]d /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode", side),
			strings.Repeat("\x00\x00\x00\x01\x30\x00\x01\xff", 9))
	}, isRead},
	"JPEG 2000 noise": {func() string {
		return picture("/Width 9999 /Height 9999 /Filter /JPXDecode", "\xff\x4f\xff\x51"+strings.Repeat("\x7f\xff", 99))
	}, isRead},
	"a page of a billion points": {func() string { return onePage("/MediaBox [0 0 1000000000 1000000000]", "") }, isRead},
	"a page without a size":      {func() string { return onePage("/MediaBox [0 0 0 0]", "") }, isRead},
	"a page of no numbers":       {func() string { return onePage("/MediaBox [nan (x) /a 1e999]", "") }, isRead},
	"a page of 200,000 letters": {func() string {
		return onePage("", "BT /F 1 Tf 1 1 Td "+strings.Repeat("("+strings.Repeat("x", 20_000)+") Tj ", 10)+"ET")
	}, "too many characters: 200000, limit 100000"},
	"100,000 contents that are one": {func() string {
		return strings.Replace(onePage("", strings.Repeat("q 1 0 0 1 0 0 cm Q ", 1000)), "/Contents 4 0 R",
			"/Contents ["+strings.Repeat("4 0 R ", 100_000)+"]", 1)
	}, memory},
	"encrypted with a password": {func() string {
		return encrypted("/Filter /Standard /V 1 /R 2 /P -4 /O (" + strings.Repeat("o", 32) + ") /U (" + strings.Repeat("u", 32) + ")")
	}, "PDF is encrypted with a password; send a copy without one, or use matchbook ingest --password"},
	"encrypted by an unknown handler": {func() string { return encrypted("/Filter /Secret /V 9") },
		"unsupported encryption of the PDF"},
	"embedded XML that unpacks to 20 MB": {func() string {
		return withFile("/Filter /FlateDecode", deflated(strings.Repeat(" ", 1<<20), 20), "factur-x.xml")
	}, "XML embedded in the PDF has more than 10 MB"},
	"ten times the same XML of 2 MB": {func() string {
		return withFile("/Filter /FlateDecode", deflated(strings.Repeat(" ", 1<<20), 2), slices.Repeat([]string{"a.xml"}, 10)...)
	}, "XML embedded in the PDF has more than 10 MB"},
	"embedded XML that unpacks to 70 MB": {func() string {
		return withFile("/Filter /FlateDecode", deflated(strings.Repeat(" ", 1<<20), 70), "factur-x.xml")
	}, memory},
	"embedded files that contain themselves": {func() string {
		return strings.Replace(withFile("", "<a/>", "a.xml"), "/Names [(000) 5 0 R ]", "/Kids [6 0 R 6 0 R]", 1) +
			"6 0 obj << /Kids [6 0 R 6 0 R] >> endobj"
	}, isRead},
	"an embedded file that is missing": {func() string {
		return strings.Replace(withFile("", "<a/>", "factur-x.xml"), "/EF << /F 4 0 R >>", "", 1)
	}, isRead},
	"a program to launch": {func() string {
		return strings.Replace(onePage("", ""), "/Type /Catalog",
			"/Type /Catalog /OpenAction << /S /Launch /F (calc.exe) >>", 1)
	}, isRead},
}

func picture(dict, content string) string {
	return onePage("", "q 500 0 0 500 0 0 cm /X0 Do Q", object("/Type /XObject /Subtype /Image "+dict, content))
}

func encrypted(dict string) string {
	return newPDF().add("<< /Type /Catalog /Pages 2 0 R >>").add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>").
		add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>").add("<< %s >>", dict).
		end("/Encrypt 4 0 R /ID [(a) (a)]")
}

// laughs is a page whose drawings each draw the next so many times.
func laughs(levels, times int) string {
	var more []string
	for i := range levels {
		next := fmt.Sprintf(form+" /Resources << /XObject << /N %d 0 R >> >>", i+7)
		more = append(more, object(next, strings.Repeat("/N Do ", times)))
	}
	more = append(more, object(form, "0 0 1 1 re f"))
	return onePage("", "/X0 Do", more...)
}

// slow are kinds that take the parser a second each, and have a quick relative.
var slow = []string{"a line of a billion dashes", "content packed twice that unpacks to 70 MB",
	"embedded XML that unpacks to 70 MB", "ten times the same XML of 2 MB"}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	// Only the time of files that never end is short: the others' outcome must
	// not depend on the machine's speed.
	patient, short := open(t, Config{Memory: 64, Time: time.Hour, Total: time.Hour}), open(t, Config{Memory: 64, Time: time.Second})
	if len(hostile) < 25 {
		t.Errorf("only %d kinds of hostile files", len(hostile))
	}
	for name, tc := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(slow, name) {
				testenv.OnlyThorough(t, "takes a second")
			}
			reader := patient
			if tc.want == late {
				reader = short
			}
			err := readAll(t, reader, tc.file())
			switch {
			case err == nil && tc.want != "":
				t.Errorf("the file was read, want %q", tc.want)
			case err == nil:
			case tc.want == "" || !strings.Contains(err.Error(), tc.want):
				t.Errorf("got %q, want %q", err, tc.want)
			case failure.Of(err).Kind != failure.Permanent:
				t.Errorf("a failure that is tried again: %v", err)
			}
		})
	}
	t.Cleanup(func() { // the reader survived all of them
		for _, reader := range []*Reader{patient, short} {
			if err := readAll(t, reader, onePage("", show(50, 700, "Invoice"))); err != nil {
				t.Error(err)
			}
		}
	})
}

// readAll does with the file's first page what an ingestion does, and returns
// the first failure.
func readAll(t *testing.T, reader *Reader, file string) error {
	t.Helper()
	ctx := context.Background()
	document, err := reader.Open(ctx, strings.NewReader(file), int64(len(file)))
	if err != nil {
		return err
	}
	defer document.Close()
	defer func() {
		if used := document.module.Memory().Size(); used > 64<<20 {
			t.Errorf("%d MB of memory, the cap is 64 MB", used>>20)
		}
	}()
	if _, err := document.Embedded(ctx); err != nil {
		return err
	}
	if _, err := document.Text(ctx, 1); err != nil {
		return err
	}
	_, err = document.Render(ctx, 1, 72)
	return err
}

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
		lines, _ := transcript.Arrange(split(all), width, height)
		page := transcript.Transcription{Pages: []transcript.Page{{Number: 1, Lines: lines}}}
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
