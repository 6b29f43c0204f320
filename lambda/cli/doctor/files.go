package doctor

import (
	"context"
	"errors"
	"io/fs"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/doctor/template"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// unlikely is the key of a file that is not there. A store that can be read says
// so; one that cannot be listed denies access instead.
const unlikely = manifest.FolderDocuments + "doctor-looks-for-no-file"

// askFiles tries to read from the store of files that a function names.
func (l *look) askFiles(ctx context.Context, f *facts, function string, env variables) {
	if !env.has(manifest.EnvBlobURL) {
		return
	}
	l.Progress("asking the store of files")
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	store, err := blob.Open(ctx, env[manifest.EnvBlobURL].Text, func(ctx context.Context) (aws.Config, error) {
		c, err := l.aws(ctx)
		if err != nil {
			return aws.Config{}, err
		}
		return c.config, nil
	})
	if err != nil {
		f.files = append(f.files, files{function, known(problem(err.Error()))})
		return
	}
	file, _, err := store.Open(ctx, unlikely, "")
	if err == nil {
		err = file.Close()
	}
	said := problem("")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		said = problem("the store of files cannot be read: " + sentence(err))
	}
	f.files = append(f.files, files{function, known(said)})
}

func eachFiles(f facts) (results []result) {
	for _, s := range f.files {
		results = append(results, answers(s.function, "the store of files can be read", checkFiles, s.readable))
	}
	return results
}

// watched reports whether files in the inbox become events.
func watched(f facts) []result {
	switch {
	case f.inbox.why() != "":
		return []result{skipped("", f.inbox.why())}
	case !f.inbox.value:
		return []result{wrong("", "Give the bucket a NotificationConfiguration that sends s3:ObjectCreated:* of "+
			manifest.FolderInbox+" to the queue of the inbox function.", "no bucket sends its events to the inbox")}
	}
	return []result{fine("", "a bucket sends its events to the inbox")}
}

// inbox reports whether a bucket of the template sends events to the queue of the
// inbox function.
func (t templateReader) inbox(lines []line) fact[bool] {
	queue := ""
	for _, l := range lines {
		if l.row.Watches != "" && l.queue.is {
			queue = l.queue.value.id
		}
	}
	if queue == "" {
		return unknown[bool]("the template has no inbox function")
	}
	for _, name := range t.Names(template.TypeBucket) {
		watch, _ := t.Resource(name).Properties["NotificationConfiguration"].(map[string]any)
		list, _ := watch["QueueConfigurations"].([]any)
		for _, entry := range list {
			c, _ := entry.(map[string]any)
			if to := queueNamed(t.Resolve(c["Queue"])); to.is && to.value == queue {
				return known(true)
			}
		}
	}
	return known(false)
}
