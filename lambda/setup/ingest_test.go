package setup_test

import (
	"maps"
	"testing"
	"time"

	"matchbook/lambda/llm"
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

func TestIngestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"": 0, "0.5": 0.5, "1": 1} {
		if c, err := setup.LoadFunction(ingestEnv(map[string]string{"OCR_QUALITY": text}), manifest.Ingest); err != nil || c.OCRQuality != want {
			t.Errorf("quality %q: got %g, %v", text, c.OCRQuality, err)
		}
	}
	for text, want := range map[string]time.Duration{"": 5 * time.Minute, "30s": 30 * time.Second, "10m": 10 * time.Minute} {
		if c, err := setup.LoadFunction(ingestEnv(map[string]string{"LEASE": text}), manifest.Ingest); err != nil || c.Lease != want {
			t.Errorf("lease %q: got %s, %v", text, c.Lease, err)
		}
	}
	for text, want := range map[string]time.Duration{"": 0, "1m": time.Minute} {
		if c, err := setup.LoadFunction(ingestEnv(map[string]string{"PDF_TIME": text}), manifest.Ingest); err != nil || c.PDFTime != want {
			t.Errorf("time of the PDF parser %q: got %s, %v", text, c.PDFTime, err)
		}
	}
	for name, texts := range map[string][]string{
		"PDF_TIME":    {"0", "-1s", "20"},
		"OCR_QUALITY": {"0", "-0.1", "1.01", "NaN", "70%"}, "LEASE": {"29s", "0", "24h", "five"},
	} {
		for _, text := range texts {
			wantError(t, errorOf(setup.LoadFunction(ingestEnv(map[string]string{name: text}), manifest.Ingest)), name)
		}
	}
}

func TestOCR(t *testing.T) {
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
			[]string{"OCR: expected one of documentai, tesseract, textract, none", "BLOB_URL is not set"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := setup.LoadFunction(ingestEnv(tc.env), manifest.Ingest)
			if c.OCR != tc.want || (err == nil) != (tc.errs == nil) {
				t.Errorf("got %s, %v", c.OCR, err)
			}
			if tc.errs != nil {
				wantError(t, err, tc.errs...)
			}
		})
	}
}

// reviewEnv is a complete environment of the review function, by a model.
func reviewEnv(more map[string]string) setup.Env {
	all := map[string]string{"DATABASE_URL": "postgres://localhost/none", "OPENAI_API_KEY": "k",
		"QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/review"}
	maps.Copy(all, more)
	return env(all)
}

func TestModelPrice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]llm.Price{"": {}, "0.40,1.60": {Prompt: 0.4, Completion: 1.6},
		"2, 8": {Prompt: 2, Completion: 8}, "0,0": {}} {
		c, err := setup.LoadFunction(reviewEnv(map[string]string{"MODEL_PRICE": text}), manifest.Review)
		if err != nil || c.Model.Price != want {
			t.Errorf("%q: got %+v, %v", text, c.Model, err)
		}
	}
	for _, text := range []string{"0.40", "0.40,", ",", "-1,2", "1,-2", "1,2,3", "NaN,1", "1,Inf", "1e5,1", "a,b"} {
		wantError(t, errorOf(setup.LoadFunction(reviewEnv(map[string]string{"MODEL_PRICE": text}), manifest.Review)),
			"MODEL_PRICE: expected the prices")
	}
	if got := (llm.Price{Prompt: 0.4, Completion: 1.6}).Of(llm.Usage{PromptTokens: 1000, CompletionTokens: 100}); got != 560 {
		t.Errorf("1,000 and 100 tokens cost %g millionths of a USD, want 560", got)
	}
}

func TestCallsInFlight(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 5, "1": 1, "256": 256} {
		c, err := setup.LoadFunction(reviewEnv(map[string]string{"CALLS_IN_FLIGHT": text}), manifest.Review)
		if err != nil || c.CallsInFlight != want {
			t.Errorf("%q: got %d, %v", text, c.CallsInFlight, err)
		}
	}
	for _, text := range []string{"0", "-1", "257", "16.0", "many"} {
		wantError(t, errorOf(setup.LoadFunction(reviewEnv(map[string]string{"CALLS_IN_FLIGHT": text}), manifest.Review)),
			"CALLS_IN_FLIGHT: expected a whole number")
	}
	if c, err := setup.LoadFunction(ingestEnv(map[string]string{"CALLS_IN_FLIGHT": "7"}), manifest.Ingest); err != nil || c.CallsInFlight != 0 {
		t.Errorf("ingest, which has no limit: got %d, %v", c.CallsInFlight, err)
	}
}
