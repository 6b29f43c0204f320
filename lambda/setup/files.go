package setup

import (
	"context"
	"fmt"

	"matchbook/lambda/blob"
)

// Bucket opens a bucket, with the SDK's own variables.
func Bucket(ctx context.Context, name string) (blob.Store, error) {
	store, err := blob.Open(ctx, "s3://"+name, loadAWS)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s: %w", name, err)
	}
	return store, nil
}
