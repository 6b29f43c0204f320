package ingestrun

import (
	"context"
	"fmt"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/tesseract"
)

// The values of --ocr.
const (
	auto    = "auto"
	withOCR = "tesseract"
	noOCR   = "none"
	onMacOS = "on macOS: brew install tesseract tesseract-lang"
)

// OCR is the engine for pages without text.
type OCR struct {
	Engine  string `json:"engine"`            // tesseract or none
	Missing string `json:"missing,omitempty"` // why there is no engine, and how to get one
}

// chooseOCR returns tesseract or none; auto uses tesseract if it is available.
func chooseOCR(ctx context.Context, choice string) (OCR, error) {
	switch choice {
	case noOCR:
		return OCR{noOCR, "--ocr none"}, nil
	case auto, withOCR:
	default:
		return OCR{}, fmt.Errorf("--ocr: invalid value %.40q: must be %s, %s or %s", choice, auto, withOCR, noOCR)
	}
	_, err := tesseract.New(ctx, tesseract.Config{})
	switch {
	case err == nil:
		return OCR{Engine: withOCR}, nil
	case choice == withOCR:
		return OCR{}, fmt.Errorf("--ocr tesseract: %s; %s", failure.Of(err).Text, onMacOS)
	}
	return OCR{noOCR, failure.Of(err).Text + "; " + onMacOS}, nil
}
