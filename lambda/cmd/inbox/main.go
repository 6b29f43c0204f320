// Command inbox is the Lambda function for the inbox: it starts an ingestion for each new
// file.
package main

import (
	"context"
	"fmt"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

func main() { setup.Main(manifest.Inbox.Name, load, open) }

func load(env setup.Env) (setup.Config, error) { return setup.LoadFunction(env, manifest.Inbox) }

func open(ctx context.Context, c setup.Config, t *telemetry.Telemetry) (handler any, close func(), err error) {
	files, err := blob.Open(ctx, c.Blobs, setup.LoadAWS)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", variable.BlobURL, err)
	}
	sender, err := c.OpenQueue(ctx, manifest.Ingest.QueueEnv(), c.Queues[manifest.Ingest.Name])
	if err != nil {
		return nil, nil, err
	}
	db, queue, err := setup.Open(ctx, c, manifest.Inbox.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	in := &inbox.Inbox{Store: ingestions.New(db), Files: files, Sender: sender, Log: t.Log}
	relay := &sqsjob.Relay{Take: in.Take, Queue: queue, Last: manifest.Inbox.MaxReceiveCount(), Log: t.Log,
		Count: c.Metrics.Count}
	return t.Handler(relay.Handle), db.Close, nil
}
