package setup

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/manifest"
)

// engines are the values of OCR, besides none. The ingest function opens them.
var engines = []string{"documentai", "tesseract", "textract"}

// NoOCR is the value of OCR without an engine.
const NoOCR = "none"

// loadOCR reads the settings of the engine that reads pages without text.
func loadOCR(env Env, c *Config) (errs []error) {
	c.OCR = env(manifest.EnvOCR)
	switch {
	case c.OCR == "":
		c.OCR = NoOCR
	case c.OCR != NoOCR && !slices.Contains(engines, c.OCR):
		return []error{fmt.Errorf("%s: not one of %s, %s", manifest.EnvOCR, strings.Join(engines, ", "), NoOCR)}
	}
	if c.OCR != "documentai" {
		return nil
	}
	c.DocumentAI.Key, errs = documentAIKey(env)
	c.DocumentAI.Processor = required(env, manifest.EnvDocumentAIProcessor,
		"the processor, projects/P/locations/eu/processors/ID", &errs)
	return errs
}

// LoadDocumentAIKey reads the key of Document AI alone.
func LoadDocumentAIKey(env Env) (string, error) {
	key, errs := documentAIKey(env)
	return key, report(errs)
}

func documentAIKey(env Env) (key string, errs []error) {
	env, _, errs = secretsManager().Resolve(env, manifest.EnvDocumentAIKey)
	key = required(env, manifest.EnvDocumentAIKey, "the JSON of a service account's key", &errs)
	return key, errs
}
