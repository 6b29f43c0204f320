package ingest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/internal/must"
)

func TestPDFFilesReadOrNamed(t *testing.T) {
	t.Parallel()
	content := string(must.Get(os.ReadFile("../document/einvoice/testdata/facturx.xml"))(t))
	file := func(name, content string) pdf.File { return pdf.File{Name: name, Content: []byte(content)} }
	invoice, picture := file("invoice", content), pdf.File{Name: "photo.png"}
	twin := file("zugferd.xml", strings.Replace(content, "?>", "?><!-- -->", 1))
	other := file("other.xml", strings.Replace(content, "RE-2026-0815", "RE-2026-0816", 1))
	broken := file("broken.xml", content[:len(content)-9])
	for _, tc := range []struct {
		name  string
		data  string
		files []pdf.File
		read  bool
		notes []string
	}{
		{"nothing", "%PDF", nil, false, nil},
		{"an invoice under any name", "", []pdf.File{invoice}, true, nil},
		{"supporting documents", "", []pdf.File{picture, invoice}, true, nil},
		{"the invoice twice", "", []pdf.File{invoice, twin}, true, nil},
		{"another invoice", "", []pdf.File{invoice, other}, true,
			[]string{"not read: another e-invoice in the PDF, with other values: other.xml"}},
		{"a broken one", "", []pdf.File{broken}, false,
			[]string{"unreadable e-invoice in the PDF (broken.xml): invalid XML 1.0: not well-formed"}},
		{"a portfolio", "", []pdf.File{{Name: "june.pdf"}, {Name: "ju\nly.pdf"}, file("", "<html/>")}, false,
			[]string{"not read: 3 files in the PDF: june.pdf, july.pdf, file 3"}},
		{"an unlisted invoice", "9 0 obj << /Type /EmbeddedFile >> stream\n" + content + "endstream", []pdf.File{picture}, true, nil},
		{"an unlisted picture", "9 0 obj << /Type /EmbeddedFile >> stream\nPNG endstream", nil, false,
			[]string{"not read: 1 file in the PDF: file 1"}},
	} {
		src := &source{data: []byte(tc.data)}
		err := src.attach(tc.files)
		if err != nil || (src.invoices != nil) != tc.read || !slices.Equal(src.notes, tc.notes) {
			t.Errorf("%s: got %d e-invoices, %q, %v; want %t, %q", tc.name, len(src.invoices), src.notes, err, tc.read, tc.notes)
		}
	}
}
