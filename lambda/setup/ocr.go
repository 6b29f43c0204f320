package setup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/manifest/variable"
)

// engines are the values of OCR, besides none. The ingest function opens them.
var engines = []string{"documentai", "tesseract", "textract"}

// NoOCR is the value of OCR without an engine.
const NoOCR = "none"

// loadOCR reads the settings of the engine that reads pages without text.
func loadOCR(env Env, c *Config) (errs []error) {
	c.OCRQuality = quality(env, &errs)
	c.OCR = env(variable.OCR)
	switch {
	case c.OCR == "":
		c.OCR = NoOCR
	case c.OCR != NoOCR && !slices.Contains(engines, c.OCR):
		return append(errs, fmt.Errorf("%s: not one of %s, %s", variable.OCR, strings.Join(engines, ", "), NoOCR))
	case c.OCR == "documentai":
		errs = append(errs, loadDocumentAI(env, c)...)
	}
	return errs
}

// quality reads a number above 0 and up to 1; 0 if it is not set.
func quality(env Env, errs *[]error) float64 {
	text := env(variable.OCRQuality)
	if text == "" {
		return 0
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || !(q > 0 && q <= 1) { // not a number is neither
		*errs = append(*errs, fmt.Errorf("%s: not a number above 0 and up to 1, such as 0.7", variable.OCRQuality))
	}
	return q
}

func loadDocumentAI(env Env, c *Config) (errs []error) {
	c.DocumentAI.Key, errs = documentAIKey(env)
	c.DocumentAI.Processor = required(env, variable.DocumentAIProcessor,
		"the processor, projects/P/locations/eu/processors/ID", &errs)
	return errs
}

// LoadDocumentAIKey reads the key of Document AI alone.
func LoadDocumentAIKey(env Env) (string, error) {
	key, errs := documentAIKey(env)
	return key, report(errs)
}

func documentAIKey(env Env) (key string, errs []error) {
	env, _, errs = secretsManager().Resolve(env, variable.DocumentAIKey)
	key = required(env, variable.DocumentAIKey, "the JSON of a service account's key", &errs)
	return key, errs
}
