package ingest

import (
	"context"
	"fmt"

	domain "matchbook/lambda/ingest"
	"matchbook/lambda/ingest/documentai"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/ingest/textract"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"

	awstextract "github.com/aws/aws-sdk-go-v2/service/textract"
)

// engines has the values of OCR except none. All are linked in, since together they take
// 0.7 MB of a bootstrap of 24 MB.
var engines = map[string]func(context.Context, setup.Config) (domain.OCR, error){
	"tesseract": func(ctx context.Context, _ setup.Config) (domain.OCR, error) {
		return tesseract.New(ctx, tesseract.Config{})
	},
	"documentai": func(_ context.Context, c setup.Config) (domain.OCR, error) {
		return documentai.New(documentai.Config{Key: c.DocumentAI.Key, Processor: c.DocumentAI.Processor})
	},
	"textract": func(ctx context.Context, _ setup.Config) (domain.OCR, error) {
		aws, err := setup.LoadAWS(ctx)
		if err != nil {
			return nil, err
		}
		return textract.New(awstextract.NewFromConfig(aws), textract.Config{})
	},
}

// openOCR opens the engine. It returns nil for none.
func openOCR(ctx context.Context, c setup.Config) (domain.OCR, error) {
	if c.OCR == setup.NoOCR {
		return nil, nil
	}
	open, ok := engines[c.OCR]
	if !ok {
		return nil, fmt.Errorf("configuration:\n%s: %s is not linked into this build", variable.OCR, c.OCR)
	}
	engine, err := open(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", variable.OCR, err)
	}
	return engine, nil
}
