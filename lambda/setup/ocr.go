package setup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/documentai"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/ingest/textract"
	"matchbook/lambda/manifest"

	awstextract "github.com/aws/aws-sdk-go-v2/service/textract"
)

// engines are the values of OCR, besides none. All of them are linked: together
// they are 0.7 MB of a bootstrap of 22 MB.
var engines = map[string]func(context.Context, Config) (ingest.OCR, error){
	"tesseract": func(ctx context.Context, _ Config) (ingest.OCR, error) {
		return tesseract.New(ctx, tesseract.Config{})
	},
	"documentai": func(_ context.Context, c Config) (ingest.OCR, error) { return documentai.New(c.DocumentAI) },
	"textract": func(ctx context.Context, _ Config) (ingest.OCR, error) {
		aws, err := loadAWS(ctx)
		if err != nil {
			return nil, err
		}
		return textract.New(awstextract.NewFromConfig(aws), textract.Config{})
	},
}

// noOCR is the value of OCR without an engine.
const noOCR = "none"

// loadOCR reads the settings of the engine that reads pages without text.
func loadOCR(env Env, c *Config) (errs []error) {
	c.OCR = env(manifest.EnvOCR)
	switch {
	case c.OCR == "":
		c.OCR = noOCR
	case c.OCR != noOCR && engines[c.OCR] == nil:
		names := append(slices.Sorted(maps.Keys(engines)), noOCR)
		return []error{fmt.Errorf("%s: not one of %s", manifest.EnvOCR, strings.Join(names, ", "))}
	}
	if c.OCR != "documentai" {
		return nil
	}
	env, _, errs = secretsManager().Resolve(env, manifest.EnvDocumentAIKey)
	c.DocumentAI.Key = required(env, manifest.EnvDocumentAIKey, "the JSON of a service account's key", &errs)
	c.DocumentAI.Processor = required(env, manifest.EnvDocumentAIProcessor,
		"the processor, projects/P/locations/eu/processors/ID", &errs)
	return errs
}

// openOCR opens the engine; nil for none.
func openOCR(ctx context.Context, c Config) (ingest.OCR, error) {
	open := engines[c.OCR]
	if open == nil {
		return nil, nil
	}
	engine, err := open(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvOCR, err)
	}
	return engine, nil
}
