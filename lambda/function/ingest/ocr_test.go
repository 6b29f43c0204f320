package ingest

import (
	"strings"
	"testing"

	"matchbook/lambda/setup"
)

// An engine that is not linked is an error, never a silent "none".
func TestAllOCREnginesLinked(t *testing.T) {
	t.Parallel()
	for name, linked := range map[string]bool{"documentai": true, "tesseract": true, "textract": true, "abbyy": false} {
		_, err := openOCR(t.Context(), setup.Config{OCR: name}) // an error of its settings is fine
		missing := err != nil && strings.Contains(err.Error(), "OCR: "+name+" is not linked into this build")
		if missing == linked {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if engine, err := openOCR(t.Context(), setup.Config{OCR: "none"}); engine != nil || err != nil {
		t.Errorf("none: got %v, %v", engine, err)
	}
}
