package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
)

// LoadInbox reads the configuration of the inbox function, its secrets too.
func LoadInbox(env Env) (Config, error) {
	c, err := LoadFunction(env, manifest.Inbox)
	var errs []error
	c.Blobs = required(env, manifest.EnvBlobURL, storeMeaning, &errs)
	c.Queues = map[string]string{manifest.Ingest.Name: required(
		env, manifest.Ingest.QueueEnv(), queueMeaning(manifest.Ingest), &errs)}
	return c, errors.Join(err, report(errs))
}

const storeMeaning = "the store of files, s3://bucket or file:///folder"

// Inbox opens the inbox function. close closes its adapters.
func Inbox(ctx context.Context, c Config, log *slog.Logger) (r *sqsjob.Relay, close func(), err error) {
	files, err := blob.Open(ctx, c.Blobs, loadAWS)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvBlobURL, err)
	}
	sender, err := openQueue(ctx, manifest.Ingest.QueueEnv(), c.Queues[manifest.Ingest.Name])
	if err != nil {
		return nil, nil, err
	}
	db, queue, err := open(ctx, c, manifest.Inbox.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	in := &inbox.Inbox{Store: db.Ingestions(), Files: files, Sender: sender, Log: log}
	return &sqsjob.Relay{Take: in.Take, Queue: queue, Last: manifest.Inbox.MaxReceiveCount(), Log: log,
		Count: c.Metrics.Count}, db.Close, nil
}

// Load reads the configuration of a function that a queue feeds, as that
// function does.
func Load(env Env, f manifest.Function) (Config, error) {
	switch f.Name {
	case manifest.Ingest.Name:
		return LoadIngest(env)
	case manifest.Inbox.Name:
		return LoadInbox(env)
	}
	return LoadFunction(env, f)
}
