package ingest_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"

	"golang.org/x/text/encoding/charmap"
)

// piece is a text on a page, in points from the upper left corner of A4. A text that
// ends at x has right set.
type piece struct {
	x, y, size float64
	right      bool
	text       string
}

// letters have the codes of Windows-1252 in a file. Letters beyond it take the codes of control
// characters, and then those of Western accents.
type letters map[rune]int

func (l letters) code(r rune) int {
	if c, ok := charmap.Windows1252.EncodeRune(r); ok {
		return int(c)
	}
	const controls, accents = 31, 192
	if _, ok := l[r]; !ok {
		if l[r] = len(l) + 1; l[r] > controls {
			l[r] += accents - controls
		}
	}
	return l[r]
}

func (l letters) differences() string {
	var b strings.Builder
	for r, code := range l {
		fmt.Fprintf(&b, "%d /uni%04X ", code, r)
	}
	return b.String()
}

// encoded escapes a text for a PDF.
func (l letters) encoded(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, "\\%03o", l.code(r))
	}
	return b.String()
}

// width of a text in Helvetica, near enough to align amounts.
func width(text string, size float64) (w float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune(" .,:;-/'il", r):
			w += 0.278
		case strings.ContainsRune("MWmw%", r):
			w += 0.833
		default:
			w += 0.556
		}
	}
	return w * size
}

// objects writes a PDF: the first is the catalog, the second the page tree.
type objects []string

func (o *objects) add(object string) int { *o = append(*o, object); return len(*o) }

func (o *objects) stream(dict, content string) int {
	return o.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content))
}

func (o objects) pdf(kids []int) []byte {
	refs := strings.Trim(strings.ReplaceAll(fmt.Sprint(kids), " ", " 0 R "), "[]") + " 0 R"
	o[0] = "<< /Type /Catalog /Pages 2 0 R >>"
	o[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", refs, len(kids))
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	xref := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(o)+1)
	for i, object := range o {
		xref += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	fmt.Fprintf(&b, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", xref, len(o)+1, b.Len())
	return b.Bytes()
}

// printedPDF is a PDF with a text layer, and with files embedded under no name.
func printedPDF(pages [][]piece, embedded ...string) []byte {
	o, kids := make(objects, 2), []int{}
	for _, file := range embedded {
		o.stream("/Type /EmbeddedFile", file)
	}
	l, font := letters{}, o.add("")
	for _, page := range pages {
		var b strings.Builder
		for _, p := range page {
			if p.text == "" {
				continue
			}
			if p.right {
				p.x -= width(p.text, p.size)
			}
			fmt.Fprintf(&b, "BT /F %g Tf %.2f %.2f Td (%s) Tj ET\n", p.size, p.x, 842-p.y, l.encoded(p.text))
		}
		at := o.stream("", b.String())
		kids = append(kids, o.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "+
			"/Resources << /Font << /F %d 0 R >> >> >>", at, font)))
	}
	o[font-1] = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding " +
		"/BaseEncoding /WinAnsiEncoding /Differences [" + l.differences() + "] >> >>"
	return o.pdf(kids)
}

// scannedPages is a PDF with an image for each page, and no text.
func scannedPages(images []*image.Gray) []byte {
	o, kids := make(objects, 2), []int{}
	for _, m := range images {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		for y := range m.Rect.Dy() {
			_, _ = w.Write(m.Pix[y*m.Stride : y*m.Stride+m.Rect.Dx()])
		}
		_ = w.Close()
		picture := o.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray "+
			"/BitsPerComponent 8 /Filter /FlateDecode", m.Rect.Dx(), m.Rect.Dy()), b.String())
		at := o.stream("", "595 0 0 842 0 0 cm /I Do")
		kids = append(kids, o.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "+
			"/Resources << /XObject << /I %d 0 R >> >> >>", at, picture)))
	}
	return o.pdf(kids)
}

// turned lies upside down.
func turned(m *image.Gray) *image.Gray {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.Pix[(h-1-y)*out.Stride+w-1-x] = m.Pix[y*m.Stride+x]
		}
	}
	return out
}

// The XML of a known fraud: its total isn't the page's.
func TestContradictionNeedsPerson(t *testing.T) {
	t.Parallel()
	xml := string(must.Get(os.ReadFile("../document/einvoice/testdata/facturx.xml"))(t))
	for total, want := range map[string]bool{"310,55": false, "999,00": true} {
		page := []piece{{x: 60, y: 100, size: 16, text: "Rechnung"}, {x: 60, y: 140, size: 10, text: "Rechnungsnummer: RE-2026-0815"},
			{x: 60, y: 200, size: 10, text: "Rechnungsbetrag " + total + " EUR"}}
		r := newRigWith(t, printedPDF([][]piece{page}, xml))
		must.OK(t, r.ingest(t))
		d := r.store.documents[0]
		said := slices.Contains(d.Reasons, "the XML states the total 310.55, the page "+strings.Replace(total, ",", ".", 1))
		if d.Source != "einvoice" || said != want || said && d.Valid {
			t.Errorf("%s: from %s, valid %t, %q", total, d.Source, d.Valid, d.Reasons)
		}
	}
}

// An invoice and a credit note with negative amounts in one Peppol envelope.
func TestEnvelopeIsTwoDocuments(t *testing.T) {
	t.Parallel()
	file := `<s:StandardBusinessDocument xmlns:s="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader">`
	for _, name := range []string{"ubl-invoice.xml", "ubl-credit-note.xml"} {
		xml := string(must.Get(os.ReadFile("../document/einvoice/testdata/" + name))(t))
		xml = strings.TrimPrefix(xml, `<?xml version="1.0" encoding="UTF-8"?>`)
		if name == "ubl-credit-note.xml" {
			xml = strings.ReplaceAll(xml, ">11.50<", ">-11.50<")
		}
		file += xml
	}
	r := newRigWith(t, []byte(file+"</s:StandardBusinessDocument>"))
	must.OK(t, r.ingest(t))
	var got []string
	for _, d := range r.store.documents {
		got = append(got, fmt.Sprint(d.Type, " ", d.Data.Total.Fixed(), " ", d.Fields["total"].Value))
	}
	if want := []string{"invoice 1250.00 1250", "credit-note 11.50 11.5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
