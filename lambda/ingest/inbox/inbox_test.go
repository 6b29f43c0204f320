package inbox_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

var tenant = uuid.MustParse("6f1c2b1e-0a52-4d8e-9d2f-3f0f6f2f8a11")

// office is an inbox with a versioned bucket behind the real SDK, and a database.
type office struct {
	*inbox.Inbox
	t      *testing.T
	s3     *s3.Client
	files  blob.Store
	db     *postgres.DB
	conn   *pgx.Conn
	sent   *sender
	logged *bytes.Buffer
}

type sender struct {
	mu  sync.Mutex
	ids []uuid.UUID
	err error
}

func (s *sender) Send(_ context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	for _, m := range messages {
		s.ids = append(s.ids, m.ID)
	}
	return nil, nil
}

func newOffice(t *testing.T) *office {
	t.Helper()
	server := httptest.NewServer(copyVersions(gofakes3.New(s3mem.New()).Server()))
	t.Cleanup(server.Close)
	config := aws.Config{Region: "eu-central-1", BaseEndpoint: &server.URL,
		Credentials: credentials.NewStaticCredentialsProvider("AKID", "secret", "")}
	o := &office{t: t, sent: &sender{}, logged: &bytes.Buffer{},
		s3: s3.NewFromConfig(config, func(o *s3.Options) { o.UsePathStyle = true })}
	bucket := aws.String("files")
	_, err1 := o.s3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: bucket})
	_, err2 := o.s3.PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{Bucket: bucket,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}})
	files, err3 := blob.Open(t.Context(), "s3://files", func(context.Context) (aws.Config, error) { return config, nil })
	url := postgrestest.URL(t)
	db, err4 := postgres.Open(t.Context(), url, 2)
	must.OK(t, errors.Join(err1, err2, err3, err4))
	t.Cleanup(db.Close)
	o.files, o.db, o.conn = files, db, postgrestest.Conn(t, url)
	o.Inbox = &inbox.Inbox{Store: ingestions.New(db), Files: files, Sender: o.sent, Log: slog.New(slog.NewTextHandler(o.logged, nil))}
	return o
}

// copyVersions copies versions, as S3 does: gofakes3 copies the latest only.
func copyVersions(fake http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		source, version, ok := strings.Cut(r.Header.Get("X-Amz-Copy-Source"), "?versionId=")
		if !ok {
			fake.ServeHTTP(w, r)
			return
		}
		got, put := httptest.NewRecorder(), httptest.NewRecorder()
		fake.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/"+source+"?versionId="+version, nil))
		if got.Code != http.StatusOK {
			http.Error(w, got.Body.String(), got.Code)
			return
		}
		to := httptest.NewRequest(http.MethodPut, r.URL.Path, got.Body)
		to.Header.Set("Content-Length", strconv.Itoa(got.Body.Len()))
		fake.ServeHTTP(put, to)
		w.WriteHeader(put.Code)
		_, _ = io.WriteString(w, "<CopyObjectResult></CopyObjectResult>")
	})
}

// lay puts a file into the bucket, and returns the event that S3 sends.
func (o *office) lay(key, content string) string {
	o.t.Helper()
	out := must.Get(o.s3.PutObject(o.t.Context(), &s3.PutObjectInput{Bucket: aws.String("files"), Key: &key, Body: strings.NewReader(content)}))(o.t)
	return eventOf(key, aws.ToString(out.VersionId))
}

// eventOf has the form of the event message structure 2.1 in S3's manual.
func eventOf(key, version string) string {
	object, _ := json.Marshal(map[string]any{"key": url.QueryEscape(key), "size": 1, "eTag": "x", "versionId": version, "sequencer": "0A"})
	return `{"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"eu-central-1","eventTime":"2026-03-02T08:00:00.000Z",` +
		`"eventName":"ObjectCreated:Put","s3":{"s3SchemaVersion":"1.0","bucket":{"name":"files"},"object":` + string(object) + `}}]}`
}

// take takes a message and wants this end.
func (o *office) take(body, want string) {
	o.t.Helper()
	if got, err := o.Take(o.t.Context(), body); err != nil || got != want {
		o.t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// paths are those of the ingestions, in the order of their insert.
func (o *office) paths() []string {
	o.t.Helper()
	rows, _ := o.conn.Query(o.t.Context(), "SELECT file_path FROM ingestion ORDER BY created_at, id")
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(o.t)
}

// names are those of the documents' files.
func (o *office) names() []string {
	o.t.Helper()
	return postgrestest.Value[[]string](o.t, o.conn, "SELECT array_agg(file_name ORDER BY received_at, id) FROM document")
}

func (o *office) content(key string) string {
	o.t.Helper()
	data := must.Get(o.files.Read(o.t.Context(), key, 1<<20))(o.t)
	return string(data)
}

func key(name string) string { return manifest.FolderInbox + tenant.String() + "/" + name }

func TestFileIsPublished(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.take(o.lay(key("2026/März 1+2 100%.txt"), "%PDF-1.7 an invoice"), metric.Succeeded)
	want := ingestion.Identify(tenant, sha256.Sum256([]byte("%PDF-1.7 an invoice")), "pdf")
	if got := o.paths(); len(got) != 1 || got[0] != want.FilePath {
		t.Fatalf("got %q, want %s", got, want.FilePath)
	}
	if got := o.content(want.FilePath); got != "%PDF-1.7 an invoice" {
		t.Errorf("the copy has %q", got)
	}
	if len(o.sent.ids) != 1 || o.sent.ids[0] != want.ID {
		t.Errorf("sent %v, want %s", o.sent.ids, want.ID)
	}
	if got := o.names(); !slices.Equal(got, []string{"März 1+2 100%.txt"}) {
		t.Errorf("names: %q", got)
	}
	if strings.Contains(o.logged.String(), "rz") {
		t.Errorf("the log has the file's name: %s", o.logged)
	}
	if !strings.Contains(o.logged.String(), " id="+want.ID.String()) {
		t.Errorf("the log has no id of the ingestion: %s", o.logged)
	}
}

// An event that arrives twice, the same content under another name, and the same
// content laid again are the same document.
func TestSameFileOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	first := o.lay(key("a.xml"), "<Invoice/>")
	o.take(first, metric.Succeeded)
	o.take(first, metric.Skipped)
	o.take(o.lay(key("b.xml"), "<Invoice/>"), metric.Skipped)
	o.take(o.lay(key("a.xml"), "<Invoice/>"), metric.Skipped)
	if len(o.sent.ids) != 1 || len(o.paths()) != 1 {
		t.Errorf("sent %v, ingestions %q", o.sent.ids, o.paths())
	}
	other := manifest.FolderInbox + uuid.NewString() + "/a.xml"
	o.take(o.lay(other, "<Invoice/>"), metric.Succeeded) // another tenant
}

// The event names a version: what was laid first is ingested, although the key
// has another content by now, or was deleted.
func TestVersionOfEvent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	first, second := o.lay(key("a.txt"), "first"), o.lay(key("a.txt"), "second")
	must.Get(o.s3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String("files"), Key: aws.String(key("a.txt"))}))(t)
	for _, event := range []string{first, second} {
		o.take(event, metric.Succeeded)
	}
	if len(o.paths()) != 2 {
		t.Fatalf("ingestions: %q", o.paths())
	}
	for i, want := range []string{"first", "second"} {
		if got := o.content(o.paths()[i]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A file that no ingestion can read becomes one all the same: it fails with the
// reason, and a person is notified.
func TestUnreadableFileIsAdded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, content := range []string{"PK\x03\x04", ""} {
		o.take(o.lay(key("a.pdf"), content), metric.Succeeded)
		paths := o.paths()
		path := paths[len(paths)-1]
		if !strings.HasSuffix(path, ".bin") || o.content(path) != content {
			t.Errorf("%q: got %s", content, path)
		}
	}
}

func TestTooLargeIsNotCopied(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	event := o.lay(key("large.pdf"), "%PDF-"+strings.Repeat("x", filetype.MaxBytes))
	o.take(event, metric.Succeeded)
	o.take(event, metric.Skipped)
	if got := o.paths(); len(got) != 1 || got[0] != key("large.pdf") {
		t.Errorf("got %q", got)
	}
}

func TestEventsWithoutFile(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	gone := o.lay(key("gone.pdf"), "gone")
	var e struct {
		Records []struct {
			S3 struct{ Object struct{ VersionID string } }
		}
	}
	must.OK(t, json.Unmarshal([]byte(gone), &e))
	must.Get(o.s3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String("files"), Key: aws.String(key("gone.pdf")),
		VersionId: &e.Records[0].S3.Object.VersionID}))(t)
	for name, tc := range map[string]struct{ body, want string }{
		"version that is gone": {gone, metric.Skipped},
		"key that is gone":     {eventOf(key("none.pdf"), ""), metric.Skipped},
		"folder":               {o.lay(key("2026/"), ""), metric.Skipped},
		"tenant's folder":      {o.lay(key(""), ""), metric.Skipped},
		"removed":              {strings.Replace(gone, "ObjectCreated:Put", "ObjectRemoved:Delete", 1), metric.Skipped},
		"test event":           {`{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"files"}`, metric.Skipped},
		"no tenant":            {o.lay("inbox/a.pdf", "x"), metric.Malformed},
		"tenant's name":        {o.lay("inbox/acme/a.pdf", "x"), metric.Malformed},
		"urn":                  {o.lay("inbox/urn:uuid:"+tenant.String()+"/a.pdf", "x"), metric.Malformed},
		"no id":                {o.lay("inbox/"+uuid.Nil.String()+"/a.pdf", "x"), metric.Malformed},
		"other folder":         {o.lay("documents/"+tenant.String()+"/a.pdf", "x"), metric.Malformed},
		"another's folder":     {eventOf(key("../"+uuid.NewString()+"/a.pdf"), ""), metric.Malformed},
		"NUL":                  {eventOf(key("a\x00.pdf"), ""), metric.Malformed},
		"bad escape":           {strings.Replace(gone, `"key":"`, `"key":"%zz`, 1), metric.Malformed},
		"no event":             {`{"Records":[]}`, metric.Malformed},
		"an id":                {tenant.String(), metric.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := o.Take(t.Context(), tc.body); err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	if got := o.paths(); len(got) > 0 {
		t.Errorf("ingestions: %q", got)
	}
}

// bridged has the form of S3's events in EventBridge, in S3's manual.
func bridged(kind, key, version string) string {
	object, _ := json.Marshal(map[string]any{"key": key, "size": 1, "etag": "x", "version-id": version, "sequencer": "0A"})
	return `{"version":"0","id":"17793124-05d4-b198-2fde-7ededc63b103","detail-type":"` + kind + `","source":"aws.s3",` +
		`"account":"111122223333","time":"2026-03-02T08:00:00Z","region":"eu-central-1","resources":["arn:aws:s3:::files"],` +
		`"detail":{"version":"0","bucket":{"name":"files"},"object":` + string(object) + `,"reason":"PutObject"}}`
}

// EventBridge doesn't escape keys, so a plus sign and a percent sign stay.
func TestEventBridge(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	name := "offer 100%25 + more.txt"
	first := must.Get(o.s3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("files"), Key: aws.String(key(name)),
		Body: strings.NewReader("the first text")}))(t)
	o.lay(key(name), "another text")
	o.take(bridged("Object Created", key(name), *first.VersionId), metric.Succeeded)
	o.take(bridged("Object Deleted", key(name), ""), metric.Skipped)
	o.take(bridged("Object Created", "", ""), metric.Malformed)
	if got := o.paths(); len(got) != 1 || o.content(got[0]) != "the first text" || o.names()[0] != name {
		t.Errorf("got %q, %q", got, o.names())
	}
}

// Whatever does not answer, the message comes back, and then ends well.
func TestOutageReturnsMessage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	event := o.lay(key("a.txt"), "a text")
	whole := *o.Inbox
	for name, broken := range map[string]inbox.Inbox{
		"database": {Store: noStore{}, Files: whole.Files, Sender: whole.Sender, Log: whole.Log},
		"open":     {Store: whole.Store, Files: noFiles{o.files, true}, Sender: whole.Sender, Log: whole.Log},
		"copy":     {Store: whole.Store, Files: noFiles{o.files, false}, Sender: whole.Sender, Log: whole.Log},
	} {
		if _, err := broken.Take(t.Context(), event); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	o.take(event, metric.Succeeded)
}

var errAway = errors.New("away")

type noStore struct{}

func (noStore) AddFile(context.Context, ingestion.Row) ([]job.Stamped, error) { return nil, errAway }

type noFiles struct {
	blob.Store
	all bool
}

func (f noFiles) Open(ctx context.Context, key, version string) (file io.ReadCloser, size int64, err error) {
	if f.all {
		return nil, 0, errAway
	}
	return f.Store.Open(ctx, key, version)
}

func (noFiles) Copy(context.Context, string, string, string) error { return errAway }

// A message that is not sent is sent by the sweep.
func TestSweepSendsUnsent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.sent.err = errAway
	o.take(o.lay(key("a.txt"), "a text"), metric.Succeeded)
	must.Get(o.conn.Exec(t.Context(), "UPDATE ingestion SET due_at = now() - interval '1 day', created_at = now() - interval '1 day', published_at = now() - interval '1 day'"))(t)
	again, err := ingestions.New(o.db).Republish(t.Context(), sweep.Waits{Visibility: time.Hour, Grace: time.Minute, Drained: true, Lapses: 3, Times: 3}, 10)
	if err != nil || len(again) != 1 {
		t.Errorf("published again: %v, %v", again, err)
	}
}

func TestMessageNeverHalfDone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if metric, err := o.Take(ctx, o.lay(key("a.txt"), "a text")); err == nil {
		t.Errorf("a stopped invocation counts as %s", metric)
	}
	if got := fmt.Sprint(o.paths()); got != "[]" {
		t.Errorf("ingestions: %s", got)
	}
}

// Each file in a container is an ingestion, the same as if it came alone; a file that isn't
// taken is one that fails. A message that comes back changes nothing.
func TestContainerIsUnpacked(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.take(o.lay(key("known.xml"), "<Known/>"), metric.Succeeded)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range [][2]string{{"../../x/a.pdf", "%PDF-1.7 a"}, {"b\x00.xml", "<Known/>"}, {"c.zip", "PK\x03\x04"}, {"d.exe", "MZ\x00\x01"}} {
		_, err := must.Get(w.CreateHeader(&zip.FileHeader{Name: f[0], Method: zip.Store}))(t).Write([]byte(f[1]))
		must.OK(t, err)
	}
	must.OK(t, w.Close())
	event := o.lay(key("all.zip"), b.String())
	o.take(event, metric.Succeeded)
	o.take(event, metric.Skipped)
	o.take(o.lay(key("mail.eml"), "From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"+
		"--b\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\n%PDF-1.7 a\r\n--b\r\nContent-Type: text/xml; name=e.xml\r\n\r\n<E/>\r\n--b--\r\n"), metric.Succeeded)
	var got []string
	for _, path := range o.paths() {
		content := o.content(path)
		got = append(got, content+" "+path[strings.LastIndexByte(path, '.'):])
		if kind := path[strings.LastIndexByte(path, '.')+1:]; kind != "refused" && path != ingestion.Identify(tenant, sha256.Sum256([]byte(content)), kind).FilePath {
			t.Errorf("%s has another id than the file alone", content)
		}
	}
	want := []string{"<Known/> .xml", "%PDF-1.7 a .pdf",
		"file 3 of its container: container in a container; unpack it and send the files in it .refused", "MZ\x00\x01 .bin", "<E/> .xml"}
	if !slices.Equal(got, want) || len(o.sent.ids) != len(want) {
		t.Errorf("got %q, sent %d, want %q", got, len(o.sent.ids), want)
	}
	if got, want := o.names(), []string{"known.xml", "all.zip: x/a.pdf", "all.zip: c.zip", "all.zip: d.exe", "mail.eml: e.xml"}; !slices.Equal(got, want) {
		t.Errorf("names: %q, want %q", got, want)
	}
	if strings.Contains(o.logged.String(), "a.pdf") || !strings.Contains(o.logged.String(), "container unpacked") {
		t.Errorf("the log: %s", o.logged)
	}
}

// A container that can't be opened is an unreadable file; one whose unpacking is interrupted
// comes back.
func TestContainerIsNotLost(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	damaged := "PK\x03\x04" + strings.Repeat("\x00", 99)
	o.take(o.lay(key("a.zip"), damaged), metric.Succeeded)
	if paths := o.paths(); len(paths) != 1 || o.content(paths[0]) != damaged || !strings.HasSuffix(paths[0], ".bin") {
		t.Errorf("got %q", paths)
	}
	event := o.lay(key("b.eml"), "From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: text/xml; name=e.xml\r\n\r\n<E/>\r\n")
	broken := *o.Inbox
	broken.Files = noWrite{o.files}
	if _, err := broken.Take(t.Context(), event); !errors.Is(err, errAway) {
		t.Errorf("got %v", err)
	}
	o.take(event, metric.Succeeded)
}

type noWrite struct{ blob.Store }

func (noWrite) Write(context.Context, string, io.ReadSeeker) error { return errAway }
