package pdf

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// open returns a reader that takes the compiled parser from a folder that all
// tests of this machine share.
func open(t testing.TB, c Config) *Reader {
	t.Helper()
	c.CacheDir = filepath.Join(os.TempDir(), "matchbook-pdfium")
	c.Documents = cmp.Or(c.Documents, 8) // a test closes its documents at its end
	r, err := New(c)
	must.OK(t, err)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// builder writes a PDF object by object; the first is the catalog, which names
// object 2 as the page tree.
type builder struct {
	bytes.Buffer
	offsets []int
}

func newPDF() *builder {
	b := &builder{}
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return b
}

// add writes the next object.
func (b *builder) add(format string, args ...any) *builder {
	b.offsets = append(b.offsets, b.Len())
	fmt.Fprintf(b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(b.offsets)}, args...)...)
	return b
}

// stream writes the next object as a stream.
func (b *builder) stream(dict, content string) *builder {
	return b.add("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
}

// end writes the table of objects and the trailer.
func (b *builder) end(trailer string) string {
	start := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(b.offsets)+1)
	for _, at := range b.offsets {
		fmt.Fprintf(b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(b.offsets)+1, trailer, start)
	return b.String()
}

// onePage is a PDF of one page: content is object 4, the font 5, and the objects
// of more follow from 6.
func onePage(page, content string, more ...string) string {
	return pageOf(page, "", content, more...)
}

func pageOf(page, contentDict, content string, more ...string) string {
	if !strings.Contains(page, "/MediaBox") {
		page += " /MediaBox [0 0 595 842]"
	}
	b := newPDF().add("<< /Type /Catalog /Pages 2 0 R >>").
		add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>").
		add("<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> %s >> %s >>",
			resources(more), page).
		stream(contentDict, content).
		add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for _, object := range more {
		b.add("%s", object)
	}
	return b.end("")
}

// resources names the objects from 6 on: X0, X1 ... as drawings, P0 ... as
// patterns, and N0 ... as fonts under XF.
func resources(more []string) string {
	var x, p strings.Builder
	for i := range more {
		fmt.Fprintf(&x, "/X%d %d 0 R ", i, i+6)
		fmt.Fprintf(&p, "/P%d %d 0 R ", i, i+6)
	}
	return "/XObject << " + x.String() + ">> /Pattern << " + p.String() + ">>"
}

func object(dict, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
}

// deflated compresses, in pieces so that a test may make a bomb.
func deflated(piece string, times int) string {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	for range times {
		_, _ = w.Write([]byte(piece))
	}
	_ = w.Close()
	return b.String()
}

// show is content that shows a text at a place.
func show(x, y int, text string) string {
	return fmt.Sprintf("BT /F 10 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

// withFile is a PDF with embedded files, which share one content: object 4, with
// the entries of dict. The first file is object 5.
func withFile(dict, content string, files ...string) string {
	names, specs := "", newPDF()
	for i := range files {
		names += fmt.Sprintf("(%03d) %d 0 R ", i, i+5)
	}
	specs.add("<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [%s] >> >> >>", names).
		add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>").
		add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>").
		stream("/Type /EmbeddedFile "+dict, content)
	for _, name := range files {
		specs.add("<< /Type /Filespec /F (%s) /UF (%s) /EF << /F 4 0 R >> >>", name, name)
	}
	return specs.end("")
}

// manyPages has pages that share one page object's content.
func manyPages(n int) string {
	b := newPDF().add("<< /Type /Catalog /Pages 2 0 R >>")
	kids := make([]string, n)
	for i := range kids {
		kids[i] = fmt.Sprintf("%d 0 R", i+3)
	}
	b.add("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), n)
	for range n {
		b.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>")
	}
	return b.end("")
}
