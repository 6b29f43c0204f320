package main

import (
	"context"
	"fmt"
	"log/slog"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// open opens the function. close closes its adapters.
func open(ctx context.Context, c setup.Config, log *slog.Logger) (r *sqsjob.Relay, close func(), err error) {
	files, err := blob.Open(ctx, c.Blobs, setup.LoadAWS)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvBlobURL, err)
	}
	sender, err := setup.OpenQueue(ctx, manifest.Ingest.QueueEnv(), c.Queues[manifest.Ingest.Name])
	if err != nil {
		return nil, nil, err
	}
	db, queue, err := setup.Open(ctx, c, manifest.Inbox.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	in := &inbox.Inbox{Store: db.Ingestions(), Files: files, Sender: sender, Log: log}
	return &sqsjob.Relay{Take: in.Take, Queue: queue, Last: manifest.Inbox.MaxReceiveCount(), Log: log,
		Count: c.Metrics.Count}, db.Close, nil
}
