package ingest

import (
	"context"

	domain "matchbook/lambda/ingest"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/job/breaker"
)

// remote has the engines that are services, so that they can be away.
var remote = map[string]bool{"documentai": true, "textract": true}

// guarded is an engine behind a breaker.
type guarded struct {
	engine  domain.OCR
	breaker *breaker.Breaker
}

// Transcribe implements ingest.OCR.
func (g guarded) Transcribe(ctx context.Context, file transcript.Images) (t transcript.Transcription, err error) {
	err = g.breaker.Do(ctx, func(ctx context.Context) error {
		t, err = g.engine.Transcribe(ctx, file)
		return err
	})
	return t, err
}

// Repair implements ingest.OCR.
func (g guarded) Repair(ctx context.Context, file transcript.Images, first transcript.Transcription, below float64) (
	second transcript.Second, err error,
) {
	err = g.breaker.Do(ctx, func(ctx context.Context) error {
		second, err = g.engine.Repair(ctx, file, first, below)
		return err
	})
	return second, err
}
