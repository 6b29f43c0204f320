package setup

import (
	"context"
	"fmt"

	"matchbook/lambda/blob"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

// OpenFiles opens the store of the console's files and the queue of files to read. Without
// BLOB_URL the store is nil, so that the console shows no pages and takes no files; without
// INGEST_QUEUE_URL the queue is nil, so that the sweep sends the messages.
func (c Config) OpenFiles(ctx context.Context) (files blob.Store, reads job.Sender, err error) {
	if c.Blobs != "" {
		if files, err = blob.Open(ctx, c.Blobs, LoadAWS); err != nil {
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

// LoadFiles reads the settings of OpenFiles.
func LoadFiles(env Env) Config {
	return Config{Blobs: env(variable.BlobURL), Queues: map[string]string{manifest.Ingest.Name: env(manifest.Ingest.QueueEnv())}}
}
