package ocr

import (
	"context"
	"image"
	"slices"
	"sync/atomic"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
)

// maxKept bounds the pixels of repaired images kept for people, because a long scan's would
// fill the memory. One image is always within it.
const maxKept = 60_000_000

// Repair transcribes the pages below a quality, and those on their side, once more, each after
// the repairs its defects call for, and leaves the others as they are. You must decide for each
// page which reading is better, because a repair can lose text.
func (e *Engine) Repair(
	ctx context.Context, file transcript.Images, first transcript.Transcription, below float64,
) (transcript.Second, error) {
	second := transcript.Second{Transcription: first, Images: map[int]*image.Gray{}}
	second.Transcription.Pages = slices.Clone(first.Pages)
	images, kept := make([]*image.Gray, len(first.Pages)), atomic.Int64{}
	err := e.Each(ctx, len(first.Pages), func(ctx context.Context, i int) (err error) {
		if first.Pages[i].Poor(below) {
			images[i], err = e.again(ctx, file, &second.Transcription.Pages[i])
		}
		if images[i] != nil && kept.Add(int64(len(images[i].Pix))) > e.kept {
			images[i] = nil
		}
		return err
	})
	for i, m := range images {
		if m != nil {
			second.Images[i+1] = m
		}
	}
	second.Transcription.Round()
	return second, err
}

// again repairs and reads a page. Its image is nil if there was nothing to repair.
func (e *Engine) again(ctx context.Context, file transcript.Images, page *transcript.Page) (*image.Gray, error) {
	drawn, err := file.Render(ctx, page.Number, e.dpi)
	if err != nil {
		return nil, err
	}
	repaired, defects := e.repair(ctx, drawn, page.Defects)
	if repaired.Image == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	read, err := e.read(ctx, repaired)
	if err != nil {
		return nil, err
	}
	read.Number, read.Defects = page.Number, defects
	*page = read
	return repaired.Image, nil
}

// repair applies the repair of each defect; without one there is no image. The orientation must
// be first, because the others are measured on the upright page.
func (e *Engine) repair(
	ctx context.Context, m *image.Gray, defects []transcript.Defect,
) (scan.Repair, []transcript.Defect) {
	const twice = 2
	r := scan.Unrepaired(m)
	if quarters := e.reader.Orientation(ctx, m); quarters != 0 {
		r = r.Turn(quarters)
		defects = []transcript.Defect{transcript.Orientation} // the rest was measured on text on its side
	}
	if r.Turned == 0 && !slices.Contains(defects, transcript.SmallText) && !slices.Contains(defects, transcript.Contrast) {
		return scan.Repair{}, defects
	}
	r = straight(r)
	if slices.Contains(defects, transcript.SmallText) {
		r = r.Enlarge(twice)
	}
	if slices.Contains(defects, transcript.Contrast) {
		r = r.Stretch()
	}
	return r, defects
}
