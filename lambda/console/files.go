package console

import (
	"context"
	"fmt"

	"matchbook/lambda/blob"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"
)

// OpenFiles opens the store of files and the queue of files to read. Without BLOB_URL the store
// is nil, so that the console shows no pages and takes no files; without INGEST_QUEUE_URL the
// queue is nil, so that the sweep sends the messages.
func OpenFiles(ctx context.Context, c setup.Config) (files blob.Store, reads job.Sender, err error) {
	if c.Blobs != "" {
		if files, err = blob.Open(ctx, c.Blobs, setup.LoadAWS); err != nil {
			return nil, nil, fmt.Errorf("configuration:\n%s: %w", variable.BlobURL, err)
		}
	}
	if url := c.Queues[manifest.Ingest.Name]; url != "" {
		if reads, err = c.OpenQueue(ctx, manifest.Ingest.QueueEnv(), url); err != nil {
			return nil, nil, err
		}
	}
	return files, reads, nil
}
