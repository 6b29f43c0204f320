package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
)

// Pages reads the pages of a PDF or an image without an ingestion, as local reviews need it: by
// the text layer, otherwise by OCR. PDFs and OCR must be set. It returns a permanent failure that
// names the pages if some have no text and there's no OCR, because a review of the rest would
// look complete.
func (in *Ingester) Pages(ctx context.Context, data []byte) ([]transcript.Page, error) {
	src, err := in.open(ctx, data)
	if err != nil {
		return nil, err
	}
	defer src.close()
	src.invoices = nil // no invoice in a contract replaces its pages
	t, second, err := in.read(ctx, src)
	if err != nil {
		return nil, err
	}
	if second != nil {
		t, _ = choose(t, second)
	}
	if left := unreadable(t); in.OCR == nil && len(left) > 0 {
		return nil, failure.Permanently("no text on %s; %s", listed(left), in.NoOCR)
	}
	return t.Pages, nil
}

// listed names pages: "page 3", "pages 1, 2 and 4".
func listed(numbers []int) string {
	const most = 12
	var names []string
	for _, n := range numbers[:min(len(numbers), most)] {
		names = append(names, fmt.Sprint(n))
	}
	if len(numbers) > most {
		names = append(names, fmt.Sprintf("%d others", len(numbers)-most))
	}
	if len(names) == 1 {
		return "page " + names[0]
	}
	last := len(names) - 1
	return "pages " + strings.Join(slices.Clone(names[:last]), ", ") + " and " + names[last]
}
