package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// Watch is a folder of files for a tenant. A file laid there is ingested, then moved to done/ or
// failed/ in the folder, next to a file with the reasons.
type Watch struct {
	Dir    string
	Tenant uuid.UUID
}

const (
	doneFolder   = "done"
	failedFolder = "failed"
	reasonSuffix = ".reason.txt"
	// watchEvery is the longest period of the look into a folder; a file must be unchanged for as
	// long.
	watchEvery = 2 * time.Second
)

// watcher moves the files of a folder through ingest. It keeps no state that a restart needs: a
// file stays in the folder until its rows have ended, and a known file adds no row.
type watcher struct {
	Watch
	*Server
	files   blob.Store
	queue   job.Sender
	seen    map[string]stamp       // files at the last look
	waiting map[string][]uuid.UUID // ingestions of files taken
}

// stamp changes while a file is being written.
type stamp struct {
	size int64
	at   time.Time
}

func (s *Server) openWatches(ctx context.Context) error {
	for _, w := range s.config.Watch {
		files, err := blob.Open(ctx, s.env(variable.BlobURL), setup.LoadAWS)
		if err != nil {
			return err
		}
		queue, err := setup.Config{SQS: s.sqs.Client()}.OpenQueue(ctx, manifest.Ingest.QueueEnv(), s.env(manifest.Ingest.QueueEnv()))
		if err != nil {
			return err
		}
		for _, folder := range []string{doneFolder, failedFolder} {
			if err := os.MkdirAll(filepath.Join(w.Dir, folder), 0o755); err != nil { //nolint:gosec // the user's own folder
				return fmt.Errorf("--watch: %w", err)
			}
		}
		one := &watcher{Watch: w, Server: s, files: files, queue: queue, seen: map[string]stamp{}, waiting: map[string][]uuid.UUID{}}
		s.every(ctx, min(watchEvery, s.period()), one.look)
	}
	return nil
}

// look takes new files and moves those with ended rows.
func (w *watcher) look(ctx context.Context) {
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		w.log.Error("watch failed", "reason", plain(err))
		return
	}
	now := map[string]stamp{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || unfinished(e.Name()) {
			continue
		}
		now[e.Name()] = stamp{info.Size(), info.ModTime()}
		if now[e.Name()] != w.seen[e.Name()] || ctx.Err() != nil {
			continue // still being written
		}
		if err := w.step(ctx, e.Name()); err != nil && ctx.Err() == nil {
			w.log.Error("file not taken; it is tried again", "reason", plain(err))
		}
	}
	w.seen = now
}

// unfinished reports whether a name is one that programs give to a file they still write, or to
// their own notes.
func unfinished(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") ||
		slices.Contains([]string{".part", ".tmp", ".crdownload", ".download", ".partial"}, path.Ext(lower))
}

// step takes a file, or moves it once its rows have ended.
func (w *watcher) step(ctx context.Context, name string) error {
	ids, taken := w.waiting[name]
	if !taken {
		var err error
		if ids, err = w.take(ctx, name); err != nil {
			return err
		}
		w.waiting[name] = ids
	}
	ends, err := ingestions.New(w.db).Ends(ctx, ids)
	if err != nil || len(ends) < len(ids) {
		return err
	}
	var reasons []string
	for _, end := range ends {
		if end.Error != "" {
			reasons = append(reasons, end.Error)
		}
	}
	delete(w.waiting, name)
	return w.move(name, reasons)
}

// rows notes the rows of a file, the known ones too.
type rows struct {
	inbox.Store
	ids []uuid.UUID
}

// AddFile implements inbox.Store.
func (r *rows) AddFile(ctx context.Context, in ingestion.Row) ([]job.Stamped, error) {
	r.ids = append(r.ids, in.ID)
	return r.Store.AddFile(ctx, in)
}

// take stores the file in the tenant's inbox and starts its ingestions, as the inbox function
// does when S3 reports a file.
func (w *watcher) take(ctx context.Context, name string) ([]uuid.UUID, error) {
	file, err := os.Open(filepath.Join(w.Dir, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	key := manifest.FolderInbox + w.Tenant.String() + "/" + name
	if err := w.files.Write(ctx, key, file); err != nil {
		return nil, err
	}
	store := &rows{Store: ingestions.New(w.db)}
	in := &inbox.Inbox{Store: store, Files: w.files, Sender: w.queue, Log: w.log}
	event := fmt.Sprintf(`{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{"key":%q}}}]}`, url.QueryEscape(key))
	if _, err := in.Take(ctx, event); err != nil {
		return nil, err
	}
	if len(store.ids) == 0 {
		return nil, errors.New("file vanished while it was read")
	}
	return store.ids, w.again(ctx, store.ids)
}

// again publishes ingestions that failed before: somebody laid the file there once more.
func (w *watcher) again(ctx context.Context, ids []uuid.UUID) error {
	ends, err := ingestions.New(w.db).Ends(ctx, ids)
	if err != nil {
		return err
	}
	var failed []uuid.UUID
	for _, end := range ends {
		if end.Error != "" {
			failed = append(failed, end.ID)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	stamped, err := w.db.JobsOf(postgres.Tables[manifest.Ingest.Name]).Publish(ctx, failed)
	if err != nil {
		return err
	}
	_, err = w.queue.Send(ctx, stamped)
	return err
}

// move moves a file to done, or to failed next to its reasons.
func (w *watcher) move(name string, reasons []string) error {
	folder := doneFolder
	if len(reasons) > 0 {
		folder = failedFolder
	}
	to, err := free(filepath.Join(w.Dir, folder, name))
	if err != nil {
		return err
	}
	if len(reasons) > 0 {
		text := strings.Join(slices.Compact(reasons), "\n") + "\n"
		if err := os.WriteFile(to+reasonSuffix, []byte(text), 0o644); err != nil { //nolint:gosec // for the people of the folder
			return err
		}
	}
	return os.Rename(filepath.Join(w.Dir, name), to)
}

// free returns the path, with a number before the extension if it is taken.
func free(to string) (string, error) {
	ext := filepath.Ext(to)
	for n, try := 2, to; ; n++ {
		switch _, err := os.Lstat(try); {
		case errors.Is(err, fs.ErrNotExist):
			return try, nil
		case err != nil:
			return "", err
		}
		try = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(to, ext), n, ext)
	}
}

// plain returns an error without the name of its file, which may be a person's.
func plain(err error) string {
	var named *fs.PathError
	if errors.As(err, &named) {
		return named.Op + ": " + named.Err.Error()
	}
	return failure.Of(err).Text
}
