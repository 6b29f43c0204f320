package setup

import (
	"context"
	"fmt"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest/pdf"
)

// Bucket opens a bucket, with the SDK's own variables.
func Bucket(ctx context.Context, name string) (blob.Store, error) {
	store, err := blob.Open(ctx, "s3://"+name, loadAWS)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s: %w", name, err)
	}
	return store, nil
}

// PDFs opens the parser of PDFs, as the ingest function does. The caller closes
// it.
func PDFs() (*pdf.Reader, error) { return pdf.New(pdf.Config{CacheDir: parserCache()}) }
