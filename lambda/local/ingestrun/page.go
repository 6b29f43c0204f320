package ingestrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/sheet"
	"matchbook/lambda/ingest/transcript"
)

// screenDPI is the sharpness of the images of pages.
const screenDPI = 96

// maxImages is the maximum number of page images over all files.
const maxImages = 50

//go:embed page.css
var css string

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pageView is the page for people checking the fields.
type pageView struct {
	Style   template.CSS
	Policy  string // content security policy: loads nothing, runs no scripts
	Person  []task
	Files   []fileView
	LeftOut []leftOut
	OCR     OCR
	Totals  accounting
}

type fileView struct {
	fileReport
	ID        string
	Documents []documentView
	Sheets    []sheetView
}

type documentView struct {
	documentReport
	ID     string
	From   string
	Name   string
	Fields []fieldView // at last without the lines
	Lines  lineTable
}

type fieldView struct {
	Field
	ID, Words string
	Shown     string // the value, for people
	Marked    bool   // on its page's image
}

// Document returns the document's id, which ID hides.
func (d documentView) Document() string { return d.documentReport.ID.String() }

// task is a document or a file that a person must look at.
type task struct {
	ID, Name string
	Reasons  []reason
}

// reason links to the place on the page that it's about, as far as known.
type reason struct{ ID, Text string }

// sheetView is a page of a file.
type sheetView struct {
	ID            string
	Number        int
	Image         template.URL // empty if not shown
	Width, Height int
	Marks         []markView
	Note          string // why it isn't shown
}

// markView is the position of a field, in pixels.
type markView struct {
	ID, Title           string
	X, Y, Width, Height float64
}

// Page returns a self-contained HTML page showing each page of the files with its fields
// marked.
func (r *Run) Page(ctx context.Context, rep *Report) ([]byte, error) {
	pdfs, err := pdf.New(pdf.Config{CacheDir: pdf.UserCache()})
	if err != nil {
		return nil, err
	}
	defer func() { _ = pdfs.Close() }()
	v, left := view(rep), maxImages
	for i, f := range rep.Files {
		view, err := r.fileView(ctx, pdfs, f, fmt.Sprintf("f%d", i+1), &left)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.File, err)
		}
		v.Files, v.Person = append(v.Files, view), append(v.Person, view.person()...)
	}
	var page bytes.Buffer
	err = pageTemplate.Execute(&page, v)
	return page.Bytes(), err
}

// view returns the page without its files.
func view(rep *Report) pageView {
	hash := sha256.Sum256([]byte(css))
	return pageView{Style: template.CSS(css), OCR: rep.OCR, LeftOut: rep.LeftOut, Totals: rep.Accounting, //nolint:gosec // built in
		Policy: "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"}
}

// fileView renders the pages of a completed file, and marks the fields.
func (r *Run) fileView(ctx context.Context, pdfs *pdf.Reader, f fileReport, id string, left *int) (fileView, error) {
	v := fileView{fileReport: f, ID: id}
	for i, d := range f.Documents {
		id := fmt.Sprintf("%s-d%d", id, i+1)
		v.Documents = append(v.Documents, documentView{documentReport: d, ID: id, From: d.from(), Name: d.name(), Fields: d.views(id)})
	}
	return v, r.addSheets(ctx, pdfs, &v, left)
}

// addSheets renders the pages and marks the fields on them.
func (r *Run) addSheets(ctx context.Context, pdfs *pdf.Reader, v *fileView, left *int) error {
	if v.Status != "completed" || v.transcription == "" {
		return nil
	}
	text, err := r.transcription(ctx, v.transcription)
	if err != nil {
		return err
	}
	file, err := r.blobs.Read(ctx, v.blob, filetype.MaxBytes)
	if err != nil {
		return err
	}
	images, close, err := open(ctx, pdfs, file)
	if err != nil {
		return err
	}
	defer close()
	v.Sheets = sheets(ctx, images, text, left)
	for i := range v.Sheets {
		v.Sheets[i].ID = fmt.Sprintf("%s-p%d", v.ID, v.Sheets[i].Number)
		v.Sheets[i].mark(text.Pages[i], v.Documents)
	}
	return nil
}

func (r *Run) transcription(ctx context.Context, key string) (transcript.Transcription, error) {
	const most = 64 << 20 // larger than any checkpoint
	data, err := r.blobs.Read(ctx, key, most)
	if err != nil {
		return transcript.Transcription{}, err
	}
	return transcript.Decode(data)
}

// open opens a file with pages; for other files pages is nil. The caller must call close.
func open(ctx context.Context, pdfs *pdf.Reader, data []byte) (pages transcript.Images, close func(), err error) {
	size, close := int64(len(data)), func() {}
	kind, err := filetype.Of(bytes.NewReader(data), size)
	if err != nil {
		return nil, close, err
	}
	switch kind {
	case filetype.PDF:
		doc, err := pdfs.Open(ctx, bytes.NewReader(data), size)
		if err != nil {
			return nil, close, err
		}
		return doc, doc.Close, nil
	case filetype.PNG, filetype.JPEG, filetype.TIFF, filetype.WebP:
		file, err := scan.Open(bytes.NewReader(data), size)
		if err != nil {
			return nil, close, err
		}
		return file, close, nil
	}
	return nil, close, nil
}

func dataURL(png []byte) template.URL {
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png)) //nolint:gosec // base64 of our own encoder
}

// sheets renders the pages while images are left.
func sheets(ctx context.Context, images transcript.Images, text transcript.Transcription, left *int) (
	list []sheetView) {
	for _, p := range text.Pages {
		s := sheetView{Number: p.Number}
		switch {
		case images == nil:
			s.Note = "text file without a page image"
		case *left == 0:
			s.Note = fmt.Sprintf("only the first %d pages have an image", maxImages)
		default:
			*left--
			drawn, size, err := sheet.Draw(ctx, images, p.Number, screenDPI)
			if err != nil {
				s.Note = "rendering failed: " + failure.Of(err).Text
				break
			}
			s.Image, s.Width, s.Height = dataURL(drawn), size.X, size.Y
		}
		list = append(list, s)
	}
	return list
}

// mark places the fields on the page, if it has an image.
func (s *sheetView) mark(page transcript.Page, documents []documentView) {
	if s.Image == "" {
		return
	}
	for _, d := range documents {
		var here []sheet.Field
		for _, f := range d.Fields {
			if f.Page == s.Number && f.Quote != "" {
				here = append(here, sheet.Field{Path: f.Path, Value: f.Value, Quote: f.Quote})
			}
		}
		placed := sheet.Locate(page, here)
		for i := range d.Fields {
			f := &d.Fields[i]
			if box, ok := placed[f.Path]; ok && f.Page == s.Number {
				f.Marked = true
				s.Marks = append(s.Marks, s.markOf(f, page.Shown(box)))
			}
		}
	}
}

func (s *sheetView) markOf(f *fieldView, b transcript.Box) markView {
	const margin = 2
	w, h := float64(s.Width), float64(s.Height)
	return markView{ID: f.ID, Title: f.Path + ": " + f.Value, X: b.Left*w - margin, Y: b.Top*h - margin,
		Width: (b.Right-b.Left)*w + 2*margin, Height: (b.Bottom-b.Top)*h + 2*margin}
}
