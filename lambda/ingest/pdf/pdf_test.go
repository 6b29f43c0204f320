package pdf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

func document(t testing.TB, r *Reader, file string) *Document {
	t.Helper()
	d := must.Get(r.Open(context.Background(), strings.NewReader(file), int64(len(file))))(t)
	t.Cleanup(d.Close)
	return d
}

func texts(p transcript.Page) (all []string) {
	for _, l := range p.Lines {
		all = append(all, l.Text)
	}
	return all
}

func TestReadingOrder(t *testing.T) {
	t.Parallel()
	reader := open(t, Config{})
	// The file's order is not the reader's: the total comes first, a table by columns.
	invoice := show(400, 500, "42,00") + show(50, 500, "Total") +
		show(50, 700, "Invoice") + show(86, 700, "RE-7") +
		show(50, 600, "Paper") + show(50, 580, "Ink") + show(300, 600, "30,00") + show(300, 580, "12,00") +
		"BT /F 10 Tf 0 1 -1 0 30 100 Tm (printed by) Tj ET\n"
	want := []string{"Invoice RE-7", "Paper", "30,00", "Ink", "12,00", "Total", "42,00", "printed by"}
	for name, page := range map[string]string{
		"upright":              "",
		"turned by its viewer": "/Rotate 90",
		"upside down":          "/Rotate 180",
		"cropped":              "/CropBox [20 90 500 800]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := must.Get(document(t, reader, onePage(page, invoice)).Text(context.Background(), 1))(t)
			if !slices.Equal(texts(got), want) || got.Quality != 1 || got.Defects != nil || got.Lines[0].Confidence != 1 {
				t.Errorf("got %q, quality %v, %v\nwant %q", texts(got), got.Quality, got.Defects, want)
			}
		})
	}
}

func TestBoxAsShown(t *testing.T) {
	t.Parallel()
	reader := open(t, Config{})
	// A letter H of 100 points: 72 wide, 72 high, its lower left corner at 200, 300 of 1000 x 1000.
	const content = "BT /F 100 Tf 200 300 Td (H) Tj ET"
	for page, want := range map[string]transcript.Box{
		"/MediaBox [0 0 1000 1000]":                            {Left: 0.2, Top: 0.6, Right: 0.27, Bottom: 0.72},
		"/MediaBox [0 0 1000 1000] /Rotate 90":                 {Left: 0.28, Top: 0.2, Right: 0.4, Bottom: 0.27},
		"/MediaBox [0 0 1000 1000] /Rotate 180":                {Left: 0.73, Top: 0.28, Right: 0.8, Bottom: 0.4},
		"/MediaBox [0 0 1000 1000] /Rotate 270":                {Left: 0.6, Top: 0.73, Right: 0.72, Bottom: 0.8},
		"/MediaBox [100 100 1100 1100]":                        {Left: 0.1, Top: 0.7, Right: 0.17, Bottom: 0.82},
		"/MediaBox [0 0 1000 1000] /CropBox [200 200 700 700]": {Left: 0, Top: 0.6, Right: 0.14, Bottom: 0.84},
	} {
		got, err := document(t, reader, onePage(page, content)).Text(context.Background(), 1)
		if err != nil || len(got.Lines) != 1 {
			t.Fatalf("%s: got %+v, %v", page, got, err)
		}
		// The loose box is as high as the font, of which only the middle is known.
		b := got.Lines[0].Box
		for edge, off := range map[string]float64{
			"left": b.Left - want.Left, "top": b.Top - want.Top, "right": b.Right - want.Right, "bottom": b.Bottom - want.Bottom,
		} {
			if math.Abs(off) > 0.035 {
				t.Errorf("%s: %s is off by %.3f: got %+v, want about %+v", page, edge, off, b, want)
			}
		}
	}
}

func TestNoTextIsDefect(t *testing.T) {
	t.Parallel()
	got, err := document(t, open(t, Config{}), onePage("", "0 0 100 100 re f")).Text(context.Background(), 1)
	if err != nil || got.Quality != 0 || len(got.Lines) != 0 ||
		!slices.Equal(got.Defects, []transcript.Defect{transcript.NoText}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestGarbledIsDefect(t *testing.T) {
	t.Parallel()
	// A font that maps its letters to the private use area of Unicode.
	cmap := "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange " +
		"1 beginbfrange <00> <ff> <e000> endbfrange endcmap end"
	file := onePage("", show(50, 700, "Invoice")+show(50, 600, "Total"), object("", cmap))
	file = strings.Replace(file, "/BaseFont /Helvetica", "/BaseFont /Helvetica /ToUnicode 6 0 R", 1)
	got, err := document(t, open(t, Config{}), file).Text(context.Background(), 1)
	if err != nil || got.Quality != 0 || !slices.Equal(got.Defects, []transcript.Defect{transcript.Garbled}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPageDrawnAsShown(t *testing.T) {
	t.Parallel()
	d := document(t, open(t, Config{}), onePage("/MediaBox [0 0 200 100] /Rotate 90", "0 0 50 25 re f"))
	drawn := must.Get(d.Render(context.Background(), 1, 144))(t)
	// Turned clockwise, the page is 100 x 200 points and its lower left corner is the upper left one.
	if size := drawn.Bounds().Size(); size.X != 200 || size.Y != 400 {
		t.Errorf("got %v, want 200 x 400", size)
	}
	for _, tc := range []struct{ x, y, want int }{{2, 2, 0}, {48, 98, 0}, {52, 98, 255}, {48, 102, 255}, {198, 398, 255}} {
		if got := int(drawn.GrayAt(tc.x, tc.y).Y); got != tc.want {
			t.Errorf("at %d, %d: got %d, want %d", tc.x, tc.y, got, tc.want)
		}
	}
}

func TestImagePixelLimit(t *testing.T) {
	t.Parallel()
	reader := open(t, Config{Pixels: 10_000})
	for page, want := range map[string]string{
		"/MediaBox [0 0 100 100]":        "(100,100)", // at the limit
		"/MediaBox [0 0 4000 1000]":      "(200,50)",
		"/MediaBox [0 0 10000000 0.001]": "(10000,1)",
	} {
		drawn, err := document(t, reader, onePage(page, "")).Render(context.Background(), 1, 72)
		must.OK(t, err, page)
		if got := drawn.Bounds().Size().String(); got != want {
			t.Errorf("%s: got %s, want %s", page, got, want)
		}
	}
}

func TestEmbeddedXML(t *testing.T) {
	t.Parallel()
	reader := open(t, Config{Documents: 16})
	for _, tc := range []struct{ name, content, want string }{
		{"factur-x.xml", "<Invoice/>", "[{factur-x.xml <Invoice/>}]"},
		{"ZUGFeRD-invoice.XML", "<Invoice/>", "[{ZUGFeRD-invoice.XML <Invoice/>}]"},
		{"invoice", "<Invoice/>", "[{invoice <Invoice/>}]"}, {"terms.pdf", "<Invoice/>", "[{terms.pdf <Invoice/>}]"},
		{"marked", "\xef\xbb\xbf <Invoice/>", "[{marked \xef\xbb\xbf <Invoice/>}]"}, {"", "<Invoice/>", "[{ }]"}, {"wide.dat", "\xff\xfe<\x00a\x00", "[{wide.dat \xff\xfe<\x00a\x00}]"},
		{"terms.pdf", "%PDF-1.7", "[{terms.pdf }]"}, {"data.xml", "{}", "[{data.xml }]"},
	} {
		files, err := document(t, reader, withFile("", tc.content, tc.name)).Embedded(context.Background())
		if got := fmt.Sprintf("%s", files); err != nil || got != tc.want {
			t.Errorf("%q: got %s, %v; want %s", tc.name, got, err, tc.want)
		}
	}
}

// Only the catalog's name tree is a list of files.
func TestUnlistedFiles(t *testing.T) {
	t.Parallel()
	const plain = "/Type /EmbeddedFile"
	unlist := func(dict, content, name string) []byte {
		return []byte(strings.Replace(withFile(dict, content, name), "/Names << /EmbeddedFiles", "/AF [5 0 R] /Other << /EmbeddedFiles", 1))
	}
	packed := deflated("<a>", 1000)
	for _, tc := range []struct {
		name string
		file []byte
		want string
	}{
		{"plain", unlist("", "<a/>", "a.xml"), "[{a.xml <a/>\n}]"},
		{"packed", unlist("/Filter /FlateDecode", packed, "a.xml"), "[{a.xml " + strings.Repeat("<a>", 1000) + "}]"},
		{"beyond the bound", unlist("/Filter [/FlateDecode]", deflated("<a>", 1001), "a.xml"), "[{a.xml }]"},
		{"in another filter", unlist("/Filter /ASCIIHexDecode", "3C612F3E>", "a.xml"), "[{a.xml }]"},
		{"a damaged stream", unlist("/Filter /FlateDecode", "nonsense", "a.xml"), "[{a.xml }]"},
		{"another type", unlist("", "%PDF", `b\055c.pdf`), "[{b-c.pdf }]"},
		{"a wide name", unlist("", "%PDF", "\xfe\xff\x00\xe4"), "[{ä }]"},
		{"a stream of a page", []byte(onePage("", plain)), "[]"},
		{"no end", []byte("4 0 obj << " + plain + " >> stream\n<a/>"), "[{ }]"},
	} {
		if got := fmt.Sprintf("%s", Unlisted(tc.file, 3000)); got != tc.want {
			t.Errorf("%s: got %.100s, want %.100s", tc.name, got, tc.want)
		}
	}
}

func TestInvoiceBeforeOtherXML(t *testing.T) {
	t.Parallel()
	file := withFile("", "<a/>", "a.xml", "ZUGFeRD-invoice.xml")
	files, err := document(t, open(t, Config{}), file).Embedded(context.Background())
	if err != nil || len(files) != 2 || files[0].Name != "ZUGFeRD-invoice.xml" || files[1].Name != "a.xml" {
		t.Errorf("got %s, %v", files, err)
	}
}

// endless is a file that the parser draws for hours.
func endless() string { return hostile["a pattern of a billion tiles"].file() }

func TestCallerEndsParser(t *testing.T) {
	t.Parallel()
	d := document(t, open(t, Config{Time: time.Hour}), endless())
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := d.Render(ctx, 1, 72)
	if f := failure.Of(err); f.Kind != failure.Transient || f.Text != "draw the image of page 1: out of time" {
		t.Errorf("got %v", f)
	}
	if _, err := d.Text(context.Background(), 1); failure.Of(err).Text != "draw the image of page 1: out of time" {
		t.Errorf("a dead parser was asked again: %v", err)
	}
}

// Native code that never pauses stops the collector, and with it the process.
func TestEndlessFile(t *testing.T) {
	t.Parallel()
	d := document(t, open(t, Config{Time: time.Hour}), endless())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := d.Render(ctx, 1, 72)
		ended <- err
	}()
	for range 3 {
		runtime.GC()
	}
	select {
	case err := <-ended:
		t.Fatalf("the file is not endless: %v", err)
	default:
	}
	cancel()
	if err := <-ended; failure.Of(err).Text != "draw the image of page 1: stopped before it was done" {
		t.Errorf("got %v", err)
	}
}

// A thousand pages of 19 seconds each would keep the others of a batch waiting.
func TestTimePerDocument(t *testing.T) {
	t.Parallel()
	d := document(t, open(t, Config{}), onePage("", show(50, 700, "Invoice")))
	if _, err := d.Text(context.Background(), 1); err != nil || d.left >= 5*time.Minute {
		t.Fatalf("%v are left after a page, %v", d.left, err)
	}
	d.left = time.Nanosecond
	_, err := d.Text(context.Background(), 1)
	want := "read the text of page 1: parsing the PDF took more than 5m0s; split it, or print it to a new PDF and send that"
	if err == nil || failure.Of(err).Text != want || failure.Of(err).Kind != failure.Permanent {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOpenWaitsForAParser(t *testing.T) {
	t.Parallel()
	reader := open(t, Config{Documents: 1})
	file := onePage("", show(50, 700, "Invoice"))
	first, err := reader.Open(context.Background(), strings.NewReader(file), int64(len(file)))
	must.OK(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err = reader.Open(ctx, strings.NewReader(file), int64(len(file)))
	if f := failure.Of(err); f.Kind != failure.Transient || f.Text != "wait for a PDF parser: out of time" {
		t.Errorf("got %v", f)
	}
	first.Close()
	document(t, reader, file)
}

func TestShortReadIsTransient(t *testing.T) {
	t.Parallel()
	_, err := open(t, Config{}).Open(context.Background(), strings.NewReader("%PDF"), 1000)
	if f := failure.Of(err); f.Kind != failure.Transient {
		t.Errorf("got %v, want a transient failure: the storage broke off", f)
	}
}

// Compiling takes seconds and leaves a file in the cache.
func TestParserCompilesLazily(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := must.Get(New(Config{CacheDir: dir}))(t)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) > 0 {
		t.Errorf("the cache has %q, %v; want no file", files, err)
	}
	if _, err := r.Open(t.Context(), strings.NewReader(""), 0); err == nil {
		t.Error("a closed reader opens a file")
	}
}

func TestStoppedWhileCompiling(t *testing.T) {
	t.Parallel()
	r := &Reader{compiled: make(chan struct{})}
	r.begin.Do(func() {}) // it is compiled, and never ready
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Open(ctx, strings.NewReader(""), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
