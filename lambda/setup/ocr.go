package setup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/manifest/variable"
)

// engines are the values of OCR, except none. The ingest function opens them.
var engines = []string{"documentai", "tesseract", "textract"}

// NoOCR is the value of OCR without an engine.
const NoOCR = "none"

func loadOCR(env Env, c *Config) (errs []error) {
	c.OCRQuality = quality(env, &errs)
	c.OCR = env(variable.OCR)
	switch {
	case c.OCR == "":
		c.OCR = NoOCR
	case c.OCR != NoOCR && !slices.Contains(engines, c.OCR):
		return append(errs, fmt.Errorf("%s: expected one of %s, %s", variable.OCR, strings.Join(engines, ", "), NoOCR))
	case c.OCR == "documentai":
		errs = append(errs, loadDocumentAI(env, c)...)
	}
	return errs
}

// quality reads a number above 0 and up to 1; 0 if it isn't set.
func quality(env Env, errs *[]error) (q float64) {
	const form = "a number above 0 and up to 1, such as 0.7"
	optional(env, variable.OCRQuality, form, errs, func(text string) bool {
		var err error
		q, err = strconv.ParseFloat(text, 64)
		return err == nil && q > 0 && q <= 1 // false for NaN too
	})
	return q
}

func loadDocumentAI(env Env, c *Config) (errs []error) {
	c.DocumentAI.Key, errs = key(env, variable.DocumentAIKey)
	c.DocumentAI.Processor = required(env, variable.DocumentAIProcessor,
		"the processor, projects/P/locations/eu/processors/ID", &errs)
	return errs
}
