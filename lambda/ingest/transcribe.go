package ingest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"unicode/utf8"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/job"
)

const (
	// goodEnough is the default of Ingester.GoodEnough: on 110 receipts tesseract's quality
	// correlates 0.69 with the recovered fields.
	goodEnough = 0.7
	// margin is the least gain in quality for using a second reading.
	margin = 0.05
	// maxCheckpoint bounds a stored transcription, in bytes.
	maxCheckpoint = 64 << 20
)

// OCR reads images of pages.
type OCR interface {
	Transcribe(ctx context.Context, file transcript.Images) (transcript.Transcription, error)
	// Repair reads the pages below a quality once more, after the repairs their defects call
	// for.
	Repair(ctx context.Context, file transcript.Images, first transcript.Transcription, below float64) (
		transcript.Second, error)
}

// transcribe returns the text of a file, from the checkpoint if there is one. It stores a new
// transcription before returning it.
func (in *Ingester) transcribe(ctx context.Context, f job.Attempt, row ingestion.Row, src *source) (
	transcript.Transcription, error,
) {
	if row.Transcription != "" {
		stored, err := in.Blobs.Read(ctx, row.Transcription, maxCheckpoint)
		if err != nil && failure.Of(err).Kind != failure.Permanent {
			return transcript.Transcription{}, err
		}
		t, decodeErr := transcript.Decode(stored)
		switch {
		case err != nil || decodeErr != nil:
			in.Log.Warn("unreadable checkpoint; transcribing again", "id", row.ID.String())
		case !in.lacksOCR(src, t):
			return t, nil
		}
	}
	t, second, err := in.read(ctx, src)
	if err != nil || len(t.Pages) == 0 {
		return t, err
	}
	return in.keep(ctx, f, row, t, second)
}

// lacksOCR reports whether a checkpoint was made without OCR and has pages without text,
// although there is an OCR now. Nothing is paid twice, because the checkpoint cost nothing.
func (in *Ingester) lacksOCR(src *source, t transcript.Transcription) bool {
	if in.OCR == nil || src.invoices != nil || t.Engine != pdf.Engine {
		return false
	}
	return slices.ContainsFunc(unreadable(t), func(n int) bool { return t.Pages[n-1].Engine == "" })
}

// read reads a file by its text layer, and uses OCR for pages without one.
func (in *Ingester) read(ctx context.Context, src *source) (
	t transcript.Transcription, second *transcript.Second, err error,
) {
	switch {
	case src.kind == filetype.Text:
		if err := checkText(src.data); err != nil {
			return t, nil, err
		}
		return plain(src.data), nil, nil
	case src.pages == nil:
		return t, nil, nil // an XML file
	case src.layer != nil:
		if t, err = readLayer(ctx, src); err != nil {
			return t, nil, err
		}
	default:
		t.Pages = blank(src.pages.Pages())
	}
	unread := unreadable(t)
	if len(unread) == 0 || src.invoices != nil {
		return t, nil, nil // OCR isn't needed for the pages of an e-invoice
	}
	if in.OCR == nil {
		return t, nil, nil
	}
	some := &subset{src.pages, unread, src}
	read, err := in.OCR.Transcribe(ctx, some)
	if err != nil {
		return t, nil, err
	}
	below := cmp.Or(in.GoodEnough, goodEnough)
	if slices.ContainsFunc(read.Pages, func(p transcript.Page) bool { return p.Poor(below) }) {
		again, err := in.OCR.Repair(ctx, some, read, below)
		if err != nil {
			return t, nil, err
		}
		if len(again.Images) > 0 {
			whole := t
			whole.Pages = slices.Clone(t.Pages)
			some.place(&whole, again.Transcription)
			second = &transcript.Second{Transcription: whole, Images: some.renumber(again.Images)}
		}
	}
	some.place(&t, read)
	return t, second, nil
}

func readLayer(ctx context.Context, src *source) (transcript.Transcription, error) {
	t := transcript.Transcription{Engine: pdf.Engine, Version: pdf.Version}
	size := extent{}
	for n := 1; n <= src.pages.Pages(); n++ {
		page, err := src.layer(ctx, n)
		if err == nil {
			err = size.add(page)
		}
		if err != nil {
			return t, err
		}
		t.Pages = append(t.Pages, page)
	}
	return t, nil
}

func blank(n int) []transcript.Page {
	pages := make([]transcript.Page, n)
	for i := range pages {
		pages[i] = transcript.Page{Number: i + 1, Defects: []transcript.Defect{transcript.NoText},
			Lines: []transcript.Line{}}
	}
	return pages
}

// unreadable lists the pages with a missing or meaningless text layer.
func unreadable(t transcript.Transcription) (numbers []int) {
	for _, p := range t.Pages {
		if p.Characters() == 0 && !slices.Contains(p.Defects, transcript.Blank) || slices.Contains(p.Defects, transcript.Garbled) ||
			slices.Contains(p.Defects, transcript.Covered) {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers
}

// subset is some pages of a file, numbered from 1.
type subset struct {
	file    transcript.Images
	numbers []int
	src     *source
}

// Original returns the file itself, for engines that read it in one piece.
func (s *subset) Original() transcript.Original {
	return transcript.Original{Content: s.src.data, MIMEType: mimeTypes[s.src.kind], Pages: s.numbers}
}

var mimeTypes = map[filetype.Type]string{
	filetype.PDF: "application/pdf", filetype.PNG: "image/png", filetype.JPEG: "image/jpeg", filetype.TIFF: "image/tiff",
	filetype.WebP: "image/webp",
}

// Pages returns the number of pages in the subset.
func (s *subset) Pages() int { return len(s.numbers) }

// Render renders a page by its number in the subset.
func (s *subset) Render(ctx context.Context, page, dpi int) (*image.Gray, error) {
	return s.file.Render(ctx, s.numbers[page-1], dpi)
}

// place copies the pages of a subset's transcription to their places in t.
func (s *subset) place(t *transcript.Transcription, read transcript.Transcription) {
	if t.Engine == "" {
		t.Engine, t.Version = read.Engine, read.Version
	}
	for i, p := range read.Pages {
		p.Number = s.numbers[i]
		if layer := t.Pages[p.Number-1]; slices.Contains(layer.Defects, transcript.Covered) && layer.Characters() >= p.Characters() {
			continue // the image shows no more than the stamp
		}
		if t.Engine != read.Engine {
			p.Engine = read.Engine + " " + read.Version
		}
		t.Pages[p.Number-1] = p
	}
}

func (s *subset) renumber(images map[int]*image.Gray) map[int]*image.Gray {
	all := make(map[int]*image.Gray, len(images))
	for n, m := range images {
		all[s.numbers[n-1]] = m
	}
	return all
}

// keep chooses a reading of each page, records the checkpoint, and stores both transcriptions. The
// fenced record comes first, so that an attempt with a lost claim overwrites no file. The
// checkpoint's file comes last, because what is found in storage must never be paid for again.
// See better for the choice: a repair can lose text.
func (in *Ingester) keep(
	ctx context.Context, f job.Attempt, row ingestion.Row, first transcript.Transcription, second *transcript.Second,
) (transcript.Transcription, error) {
	folder := "ingestions/" + row.ID.String() + "/"
	chosen, c := first, ingestion.Checkpoint{Transcription: folder + "transcription.json"}
	var other transcript.Transcription
	if second != nil {
		if chosen, other = choose(first, second); len(second.Images) > 0 {
			c.Preprocessed = folder + preprocessed(0)
		}
	}
	chosen.Round()
	c.Quality = chosen.Quality()
	if err := in.Store.Transcribed(ctx, f, c); err != nil {
		return chosen, failure.At("record the transcription", err)
	}
	if second != nil {
		if err := in.keepImages(ctx, folder, second.Images); err != nil {
			return chosen, err
		}
		if err := in.write(ctx, folder+"transcription-not-taken.json", other); err != nil {
			return chosen, err
		}
	}
	return chosen, in.write(ctx, c.Transcription, chosen)
}

// choose returns the better reading of each page, and the other one. It drops the images of
// repairs that are not used.
func choose(first transcript.Transcription, second *transcript.Second) (chosen, other transcript.Transcription) {
	chosen, other = first, second.Transcription
	chosen.Pages, other.Pages = slices.Clone(first.Pages), slices.Clone(second.Transcription.Pages)
	for i, p := range first.Pages {
		if better(p, other.Pages[i]) {
			chosen.Pages[i], other.Pages[i] = other.Pages[i], p
		} else {
			delete(second.Images, p.Number)
		}
	}
	return chosen, other
}

func (in *Ingester) write(ctx context.Context, key string, t transcript.Transcription) error {
	data, err := t.Encode()
	if err != nil {
		return err
	}
	return in.Blobs.Write(ctx, key, bytes.NewReader(data))
}

// preprocessed returns the name of a repaired page; use 0 for the first.
func preprocessed(page int) string {
	if page == 0 {
		return "preprocessed.png"
	}
	return fmt.Sprintf("preprocessed-%d.png", page)
}

func (in *Ingester) keepImages(ctx context.Context, folder string, images map[int]*image.Gray) error {
	for i, n := range slices.Sorted(maps.Keys(images)) {
		name := preprocessed(n)
		if i == 0 {
			name = preprocessed(0)
		}
		var encoded bytes.Buffer
		if err := png.Encode(&encoded, images[n]); err != nil {
			return failure.At("encode the repaired page", err)
		}
		if err := in.Blobs.Write(ctx, folder+name, bytes.NewReader(encoded.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// Limits on the text of a file; a contract of 1,000 pages stays below them.
const (
	maxLines      = 100_000
	maxCharacters = 5_000_000
)

// extent counts the text of a file, because a few bytes can unpack to more text than fits in
// memory.
type extent struct{ lines, characters int }

// add counts a page. Beyond the limits it returns a permanent failure.
func (e *extent) add(p transcript.Page) error {
	e.lines += len(p.Lines)
	e.characters += p.Characters()
	return e.check()
}

func (e *extent) check() error {
	if e.lines > maxLines || e.characters > maxCharacters {
		return failure.Permanently("file has more than %d lines or %d characters of text; split it",
			maxLines, maxCharacters)
	}
	return nil
}

// checkText refuses a text file beyond the limits before it is decoded.
func checkText(data []byte) error {
	e := extent{bytes.Count(data, []byte("\n")), utf8.RuneCount(data)}
	return e.check()
}
