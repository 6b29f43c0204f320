// Package inbox starts an ingestion for each file put into a tenant's inbox,
// inbox/{tenant}/{name}, as reported by S3 events.
//
// The ids derive from the tenant and the content (for a file beyond the size limit, from its
// key, version and size), so the same file, or an event delivered twice, changes nothing. Each event has one of these ends:
//
//   - A new file is copied to the documents, and its ingestion is published.
//   - So is each file in a ZIP archive, a mail or a signed file; see package container.
//   - So is an unreadable file, or one not taken out of its container: its ingestion fails with
//     the reason, and a person is notified. A file beyond the size limit stays where it is.
//   - A known file, a folder and a missing file are skipped.
//   - A key without a tenant or with .. in it, and a message that isn't an event, are malformed.
//   - Anything else, such as an unavailable database, is an error: the message comes back.
package inbox

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/container"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"

	"github.com/google/uuid"
)

// Store inserts ingestions.
type Store interface {
	// AddFile inserts the ingestion of a stored file and publishes it. A known file changes
	// nothing, and returns no stamp.
	AddFile(ctx context.Context, in ingestion.Row) ([]job.Stamped, error)
}

// Files reads, copies and writes files by key. A missing version must be fs.ErrNotExist.
type Files interface {
	Write(ctx context.Context, key string, file io.ReadSeeker) error
	Open(ctx context.Context, key, version string) (io.ReadCloser, int64, error)
	Copy(ctx context.Context, key, version, to string) error
}

// Inbox starts ingestions. Store, Files and Log must be set.
type Inbox struct {
	Store  Store
	Files  Files
	Sender job.Sender // to the ingest queue; nil: left to the sweep
	Log    *slog.Logger
}

// Take handles a message, which should be an S3 event. It returns the metric that counts the
// message.
func (in *Inbox) Take(ctx context.Context, body string) (counted string, err error) {
	files, ok := read(body)
	if !ok {
		in.Log.Error("message is not an S3 event", "bytes", len(body))
		return metric.Malformed, nil
	}
	counted = metric.Skipped
	for _, f := range files {
		end, err := in.add(ctx, f)
		if err != nil {
			return "", err
		}
		if end != metric.Skipped && counted != metric.Malformed {
			counted = end
		}
	}
	return counted, nil
}

func (in *Inbox) add(ctx context.Context, f file) (counted string, err error) {
	log := in.Log.With("version", f.version)
	tenant, name, ok := split(f.key)
	switch {
	case !ok:
		log.Error("key is not inbox/{tenant id}/{name}; file skipped", "key", shown(f.key))
		return metric.Malformed, nil
	case name == "" || strings.HasSuffix(name, "/"):
		log.Info("folder skipped", "tenant", tenant.String())
		return metric.Skipped, nil
	}
	log = log.With("tenant", tenant.String())
	counted, err = in.ingest(ctx, log, tenant, f)
	if errors.Is(err, fs.ErrNotExist) {
		in.Log.Warn("missing file skipped", "version", f.version) // without the tenant, who may have been deleted with it
		return metric.Skipped, nil
	}
	return counted, err
}

// ingest starts the ingestion of a file, or of each file in it.
func (in *Inbox) ingest(ctx context.Context, log *slog.Logger, tenant uuid.UUID, f file) (counted string, err error) {
	content, size, err := in.Files.Open(ctx, f.key, f.version)
	if err != nil {
		return "", err
	}
	defer content.Close()
	if size > filetype.MaxBytes {
		return in.publish(ctx, log, tooLarge(tenant, f, size).Named(f.key))
	}
	buffered := bufio.NewReaderSize(content, container.Head)
	var whole io.Reader = buffered
	if head, _ := buffered.Peek(container.Head); container.Is(head) {
		data := make([]byte, size)
		if _, err := io.ReadFull(buffered, data); err != nil {
			return "", failure.At("read the file", err)
		}
		counted, ok, err := in.unpack(ctx, log, tenant, f.key, data)
		if ok || err != nil {
			return counted, err
		}
		whole = bytes.NewReader(data) // damaged, or a text that looks like a container
	}
	row, err := in.store(ctx, tenant, f, whole, size)
	if err != nil {
		return "", err
	}
	return in.publish(ctx, log, row.Named(f.key))
}

// unpack starts the ingestion of each file in a container. ok is false if it isn't one. The files
// of a message that comes back are known already, up to where the first delivery stopped.
func (in *Inbox) unpack(ctx context.Context, log *slog.Logger, tenant uuid.UUID, name string, data []byte) (
	counted string, ok bool, err error) {
	counted, n := metric.Skipped, 0
	digest := sha256.Sum256(data)
	ok, err = container.Each(data, func(f container.File) error {
		n++
		row, content := ingestion.Refuse(tenant, digest, n, f.Refused)
		if f.Refused == "" {
			kind, err := filetype.Of(bytes.NewReader(f.Content), int64(len(f.Content)))
			if err != nil {
				kind = unknownType
			}
			row, content = ingestion.Identify(tenant, sha256.Sum256(f.Content), string(kind)), f.Content
		}
		if err := in.Files.Write(ctx, row.FilePath, bytes.NewReader(content)); err != nil {
			return err
		}
		end, err := in.publish(ctx, log, row.Named(name, f.Name))
		if err == nil && end != metric.Skipped {
			counted = end
		}
		return err
	})
	if ok && err == nil {
		log.Info("container unpacked", "files", n)
	}
	return counted, ok, err
}

// Taken is a file as taken, also one in a container.
type Taken struct {
	ingestion.Row
	New bool // false: it was known, so nothing was done
}

// taking notes the rows of one file.
type taking struct {
	Store
	files []Taken
}

// AddFile implements Store.
func (t *taking) AddFile(ctx context.Context, row ingestion.Row) ([]job.Stamped, error) {
	stamped, err := t.Store.AddFile(ctx, row)
	t.files = append(t.files, Taken{row, len(stamped) > 0})
	return stamped, err
}

// Put takes a file that a program has, as if it had been put into the tenant's folder. It returns
// the failure of filetype.Of for a file that no ingestion can read, and stores nothing then.
func (in *Inbox) Put(ctx context.Context, tenant uuid.UUID, name string, data []byte) ([]Taken, error) {
	store := &taking{Store: in.Store}
	one := &Inbox{Store: store, Files: in.Files, Sender: in.Sender, Log: in.Log}
	log := in.Log.With("tenant", tenant.String())
	if container.Is(data[:min(len(data), container.Head)]) {
		if _, ok, err := one.unpack(ctx, log, tenant, name, data); ok || err != nil {
			return store.files, err
		}
	}
	kind, err := filetype.Of(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	row := ingestion.Identify(tenant, sha256.Sum256(data), string(kind)).Named(name)
	if err := in.Files.Write(ctx, row.FilePath, bytes.NewReader(data)); err != nil {
		return nil, err
	}
	_, err = one.publish(ctx, log, row)
	return store.files, err
}

// publish publishes the ingestion of a stored file.
func (in *Inbox) publish(ctx context.Context, log *slog.Logger, row ingestion.Row) (counted string, err error) {
	log = log.With("id", row.ID.String(), "document", row.DocumentID.String())
	stamped, err := in.Store.AddFile(ctx, row)
	if err != nil {
		return "", failure.At("add the file", err)
	}
	if len(stamped) == 0 {
		log.Info("known file skipped")
		return metric.Skipped, nil
	}
	log.Info("ingestion published")
	in.send(ctx, log, stamped)
	return metric.Succeeded, nil
}

// sendFor bounds the sending of a message, as in package ingest.
const sendFor = 5 * time.Second

func (in *Inbox) send(ctx context.Context, log *slog.Logger, stamped []job.Stamped) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendFor)
	defer cancel()
	if err := job.Send(ctx, in.Sender, stamped); err != nil {
		log.Warn("enqueue failed; sweep will retry", "reason", failure.Of(err).Text)
	}
}

// unknownType is the extension of a file that no ingestion can read.
const unknownType = "bin"

// store reads a file once, derives its ingestion, and copies it to where the ingestion reads
// it.
func (in *Inbox) store(ctx context.Context, tenant uuid.UUID, f file, content io.Reader, size int64) (ingestion.Row, error) {
	var sample filetype.Sample
	hash := sha256.New()
	if n, err := io.Copy(io.MultiWriter(hash, &sample), content); err != nil || n != size {
		return ingestion.Row{}, failure.At("read the file", errors.Join(err, io.ErrUnexpectedEOF))
	}
	extension := unknownType // the ingestion fails with the reason
	if kind, err := sample.Type(); err == nil {
		extension = string(kind)
	}
	row := ingestion.Identify(tenant, ingestion.Digest(hash.Sum(nil)), extension)
	return row, in.Files.Copy(ctx, f.key, f.version, row.FilePath)
}

// tooLarge returns the ingestion of a file too large to read or copy. It fails with that
// reason.
func tooLarge(tenant uuid.UUID, f file, size int64) ingestion.Row {
	of := strings.Join([]string{f.key, f.version, strconv.FormatInt(size, 10)}, "\x00")
	ingestion := ingestion.Identify(tenant, sha256.Sum256([]byte(of)), unknownType)
	ingestion.FilePath = f.key
	return ingestion
}

// split returns the tenant of a key, and the name below the tenant's folder.
func split(key string) (tenant uuid.UUID, name string, ok bool) {
	rest, ok := strings.CutPrefix(key, manifest.FolderInbox)
	folder, name, found := strings.Cut(rest, "/")
	tenant, err := uuid.Parse(folder)
	return tenant, name, ok && found && err == nil && strings.EqualFold(tenant.String(), folder) && tenant != uuid.Nil &&
		blob.CheckKey(strings.TrimSuffix(key, "/")) == nil // a folder's ends so
}

// shown returns the part of a key that may be logged: its folder, because the name may be a
// person's.
func shown(key string) string {
	parts := strings.SplitN(key, "/", 3)
	if len(parts) == 3 {
		parts[2] = "..."
	}
	folder := strings.Join(parts, "/")
	return folder[:min(len(folder), 80)]
}

type file struct{ key, version string }

// event is the part of an S3 event in use, in S3's form or EventBridge's. S3 escapes keys as in
// a query, so that a space is a plus sign; EventBridge doesn't.
type event struct {
	Event   string // of the message S3 sends when the notification is set up
	Records []struct {
		EventName string
		S3        struct {
			Object struct{ Key, VersionID string }
		}
	}
	Source     string // of EventBridge's form
	DetailType string `json:"detail-type"`
	Detail     struct {
		Object struct {
			Key     string
			Version string `json:"version-id"`
		}
	}
}

// bridged reads EventBridge's form.
func (e event) bridged() (files []file, ok bool) {
	if e.DetailType == "Object Created" {
		files = []file{{e.Detail.Object.Key, e.Detail.Object.Version}}
	}
	return files, e.Detail.Object.Key != ""
}

// read returns the created files; ok is false if the body isn't an S3 event.
func read(body string) (files []file, ok bool) {
	var e event
	switch err := json.Unmarshal([]byte(body), &e); {
	case err == nil && e.Source == "aws.s3":
		return e.bridged()
	case err != nil || e.Event != "s3:TestEvent" && len(e.Records) == 0:
		return nil, false
	}
	for _, r := range e.Records {
		key, err := url.QueryUnescape(r.S3.Object.Key)
		if err != nil || key == "" {
			return nil, false
		}
		if strings.HasPrefix(strings.TrimPrefix(r.EventName, "s3:"), "ObjectCreated:") {
			files = append(files, file{key, r.S3.Object.VersionID})
		}
	}
	return files, true
}
