package setup_test

import (
	"maps"
	"strings"
	"testing"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// ingestEnv is a complete environment of the ingest function.
func ingestEnv(more map[string]string) setup.Env {
	all := map[string]string{
		"DATABASE_URL": "postgres://localhost/none", "MATCH_MODE": "rules", "BLOB_URL": "file:///files",
		"QUEUE_URL":       "https://sqs.eu-central-1.amazonaws.com/123456789012/ingest",
		"MATCH_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/match",
	}
	maps.Copy(all, more)
	return env(all)
}

func TestOCRIsConfigured(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  map[string]string
		want string   // OCR
		errs []string // parts of the error; empty: none
	}{
		"nothing":    {nil, "none", nil},
		"none":       {map[string]string{"OCR": "none"}, "none", nil},
		"tesseract":  {map[string]string{"OCR": "tesseract"}, "tesseract", nil},
		"textract":   {map[string]string{"OCR": "textract"}, "textract", nil},
		"documentai": {map[string]string{"OCR": "documentai", "DOCUMENTAI_KEY": "{}", "DOCUMENTAI_PROCESSOR": "p"}, "documentai", nil},
		"documentai without its settings": {map[string]string{"OCR": "documentai"}, "documentai",
			[]string{"DOCUMENTAI_KEY is not set", "DOCUMENTAI_PROCESSOR is not set"}},
		"another": {map[string]string{"OCR": "abbyy", "BLOB_URL": ""}, "abbyy",
			[]string{"OCR: not one of documentai, tesseract, textract, none", "BLOB_URL is not set"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := setup.LoadFunction(ingestEnv(tc.env), manifest.Ingest)
			if c.OCR != tc.want || (err == nil) != (tc.errs == nil) {
				t.Errorf("got %s, %v", c.OCR, err)
			}
			for _, part := range tc.errs {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%v lacks %q", err, part)
				}
			}
		})
	}
}
