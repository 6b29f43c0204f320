package transcript

import (
	"context"
	"image"
)

// Images supplies the images of a file's pages, numbered from 1.
type Images interface {
	Pages() int
	Render(ctx context.Context, page, dpi int) (*image.Gray, error)
}

// Second is a transcription of repaired pages, to be compared with the first.
type Second struct {
	Transcription Transcription       // pages that needed no repair are those of the first
	Images        map[int]*image.Gray // the repaired pages, by number
}
