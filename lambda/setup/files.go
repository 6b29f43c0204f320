package setup

import (
	"errors"

	"matchbook/lambda/manifest"
)

const storeMeaning = "the store of files, s3://bucket or file:///folder"

// LoadIngest reads the configuration of the ingest function, its secrets too.
func LoadIngest(env Env) (Config, error) {
	c, err := LoadFunction(env, manifest.Ingest)
	var errs []error
	c.Blobs = required(env, manifest.EnvBlobURL, storeMeaning, &errs)
	match := required(env, manifest.EnvMatchQueueURL, queueMeaning(manifest.Match), &errs)
	c.Queues = map[string]string{manifest.Match.Name: match}
	errs = append(errs, loadOCR(env, &c)...)
	return c, errors.Join(err, report(errs))
}

// LoadInbox reads the configuration of the inbox function, its secrets too.
func LoadInbox(env Env) (Config, error) {
	c, err := LoadFunction(env, manifest.Inbox)
	var errs []error
	c.Blobs = required(env, manifest.EnvBlobURL, storeMeaning, &errs)
	c.Queues = map[string]string{manifest.Ingest.Name: required(
		env, manifest.Ingest.QueueEnv(), queueMeaning(manifest.Ingest), &errs)}
	return c, errors.Join(err, report(errs))
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
