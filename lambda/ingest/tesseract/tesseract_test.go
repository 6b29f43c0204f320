package tesseract

import (
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/executable"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// one is a file of one page.
type one struct{ *image.Gray }

func (one) Pages() int                                              { return 1 }
func (o one) Render(context.Context, int, int) (*image.Gray, error) { return o.Gray, nil }

// program writes a stand-in for tesseract, which answers New's questions.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tesseract")
	whole := "#!/bin/sh\nPATH=/usr/bin:/bin\ncase $1 in --version) echo tesseract 9.9; exit;; --list-langs) echo deu eng; exit;; esac\n" +
		script
	executable.Script(t, path, whole)
	return path
}

func engine(t testing.TB, c Config) *Engine {
	t.Helper()
	e := must.Get(New(context.Background(), c))(t)
	return e
}

// installed is the real program, where there is one.
func installed(t testing.TB) *Engine {
	t.Helper()
	testenv.Program(t, "tesseract", "apt-get install tesseract-ocr tesseract-ocr-deu")
	return engine(t, Config{})
}

const invoice = `%%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R
  /Resources << /Font << /F 5 0 R >> >> >> endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
4 0 obj << /Length %d >> stream
%s
endstream endobj
trailer << /Root 1 0 R >>
`

// drawn is an invoice, drawn in that many dots per inch.
func drawn(t testing.TB, dpi int) *image.Gray {
	t.Helper()
	content := "BT /F 12 Tf 20 260 Td 16 TL (Invoice 4711 of 12 March 2026) Tj T* (Paper and Ink Trading Limited) Tj T* " +
		"(Please pay within thirty days to the account below) Tj T* (Total amount) Tj 250 0 Td (1,234.50) Tj ET"
	file := fmt.Sprintf(invoice, len(content), content)
	reader := must.Get(pdf.New(pdf.Config{CacheDir: filepath.Join(os.TempDir(), "matchbook-pdfium")}))(t)
	defer reader.Close()
	d := must.Get(reader.Open(context.Background(), strings.NewReader(file), int64(len(file))))(t)
	defer d.Close()
	m := must.Get(d.Render(context.Background(), 1, dpi))(t)
	return m
}

var lines = []string{"Invoice 4711 of 12 March 2026", "Paper and Ink Trading Limited",
	"Please pay within thirty days to the account below", "Total amount", "1,234.50"}

func texts(p transcript.Page) (all []string) {
	for _, l := range p.Lines {
		all = append(all, l.Text)
	}
	return all
}

func TestPageIsRead(t *testing.T) {
	t.Parallel()
	e := installed(t)
	got := must.Get(e.Transcribe(context.Background(), one{drawn(t, 300)}))(t)
	p := got.Pages[0]
	if !slices.Equal(texts(p), lines) || p.Quality < 0.85 || p.Defects != nil || p.Number != 1 {
		t.Errorf("got %+v", p)
	}
	if got.Engine != "tesseract" || !strings.Contains(got.Version, ".") {
		t.Errorf("got engine %q, version %q", got.Engine, got.Version)
	}
	// The total stands 270 points from the left of 400, its baseline 212 above the bottom of 300.
	b := p.Lines[4].Box
	if math.Abs(b.Left-270.0/400) > 0.01 || math.Abs(b.Bottom-(300-212)/300.0) > 0.01 {
		t.Errorf("the total is at %+v", b)
	}
}

func TestFailureTable(t *testing.T) {
	t.Parallel()
	const unexplained = "tesseract ended with an error; if it keeps failing, save the file again and send that"
	blank := one{image.NewGray(image.Rect(0, 0, 9, 9))}
	for name, tc := range map[string]struct {
		script string
		kind   failure.Kind
		want   string
	}{
		"error": {"exit 1", failure.Transient, unexplained},
		"no image": {"echo Error during processing. >&2; exit 1", failure.Permanent,
			"tesseract cannot read the image; save the file again and send that"},
		"too large": {"echo Image too large: >&2; exit 1", failure.Permanent,
			"image too large for tesseract; scan it at fewer dots per inch"},
		"language": {"echo Failed loading language deu >&2; exit 1", failure.Permanent,
			"missing language data for tesseract; run apt-get install tesseract-ocr-deu"},
		"out of memory":      {"echo Error in pixReadMem: malloc fail >&2; exit 1", failure.Transient, "tesseract ran out of memory"},
		"no memory to abort": {`echo "what():  std::bad_alloc" >&2; kill -ABRT $$`, failure.Transient, "tesseract ran out of memory"},
		"no memory to start": {"echo failed to map segment from shared object >&2; exit 127", failure.Transient,
			"tesseract ran out of memory"},
		"killed": {"kill -KILL $$", failure.Transient, "tesseract was killed, perhaps because it ran out of memory"},
		"crash": {"kill -SEGV $$", failure.Permanent,
			"tesseract crashed on the image; save the file again and send that"},
		"no table": {"echo hello", failure.Transient, "unexpected output of tesseract: not a table of words"},
		"malformed": {`printf 'level\tpage_num\t\n5\t1\t1\t1\t1\t1\tx\t2\t3\t4\t90\tSecret\n'`, failure.Transient,
			"invalid row 1 in tesseract's table"},
		"endless output": {"yes | head -c 17000000", failure.Permanent,
			"tesseract returned more than 16 MB for a page: the image is not a page of text"},
		"endless errors": {"yes | head -c 1000000 >&2; exit 1", failure.Transient, unexplained},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := engine(t, Config{Program: program(t, tc.script)}).Transcribe(context.Background(), blank)
			if f := failure.Of(err); f.Kind != tc.kind || f.Text != tc.want {
				t.Errorf("got %v %q, want %v %q", f.Kind, f.Text, tc.kind, tc.want)
			}
		})
	}
}

// The real program without memory ends in several ways, as its libraries decide.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	path := testenv.Program(t, "tesseract", "apt-get install tesseract-ocr tesseract-ocr-deu")
	for _, limit := range []string{"40000", "80000", "100000"} { // KB; a page takes 140000
		e := engine(t, Config{Program: program(t, "ulimit -v "+limit+"\nexec "+path+` "$@"`)})
		_, err := e.Transcribe(t.Context(), one{image.NewGray(image.Rect(0, 0, 2480, 3508))})
		if f := failure.Of(err); f.Kind != failure.Transient || f.Text != "tesseract ran out of memory" {
			t.Errorf("%s KB: got %v %q", limit, f.Kind, f.Text)
		}
	}
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "tesseract")
	must.OK(t, os.WriteFile(plain, nil, 0o600))
	for want, c := range map[string]Config{
		"tesseract is not installed; run apt-get install tesseract-ocr tesseract-ocr-deu": {Program: "no-such-tesseract"},
		"tesseract is not executable; check its permissions":                              {Program: plain},
		`missing language data "xyz" for tesseract; run apt-get install tesseract-ocr-xyz`: {
			Program: program(t, ""), Languages: "eng+xyz",
		},
	} {
		_, err := New(context.Background(), c)
		if f := failure.Of(err); f.Kind != failure.Permanent || f.Text != want {
			t.Errorf("got %v %q, want %q", f.Kind, f.Text, want)
		}
	}
}

// A page that never ends would keep the other files of its batch waiting.
func TestTimePerPage(t *testing.T) {
	t.Parallel()
	r := &reader{Config: Config{Program: program(t, "sleep 1000"), Languages: "eng", Time: 50 * time.Millisecond}}
	_, err := r.Read(context.Background(), image.NewGray(image.Rect(0, 0, 9, 9)))
	want := "tesseract did not finish a page within 50ms: the image is not a page of text, or far too large; scan it at fewer dots per inch"
	if f := failure.Of(err); f.Kind != failure.Permanent || f.Text != want {
		t.Errorf("got %v %q", f.Kind, f.Text)
	}
}

// A process that was only killed itself would leave its child at work.
func TestContextEndsGroup(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "child")
	must.OK(t, syscall.Mkfifo(fifo, 0o600))
	e := engine(t, Config{Program: program(t, "sleep 1000 & echo $! > "+fifo+"; wait")})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := e.Transcribe(ctx, one{image.NewGray(image.Rect(0, 0, 9, 9))})
		ended <- err
	}()
	pid := must.Get(os.ReadFile(fifo))(t) // waits for the child
	cancel()
	if err := <-ended; failure.Of(err).Text != "stopped before it was done" {
		t.Errorf("got %v", err)
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(pid))); err != nil || !dead(n) {
		t.Errorf("process %s lives", pid)
	}
}

// dead waits for a killed process, whose parent may never collect it.
func dead(pid int) bool {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}
