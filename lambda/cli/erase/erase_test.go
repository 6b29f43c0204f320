package erase_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/erase"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Quit()
	os.Exit(code)
}

// rig has two tenants in every table (see lambda/postgres), and their files in a bucket.
type rig struct {
	db     *postgres.DB
	conn   *pgx.Conn
	bucket blob.Store
	waited []time.Duration
}

const (
	a = "aaaaaaaa-0000-4000-8000-00000000000"
	b = "bbbbbbbb-0000-4000-8000-00000000000"
)

// files have the same names for both tenants. Text such as %s is the tenant's id without its last digit.
var files = map[string]string{
	"inbox/%s0/x/first.pdf":                 "of 3",
	"inbox/%s0/again.pdf":                   "of 3",
	"inbox/%s0/large.pdf":                   "of 2",
	"inbox/%s0/unread.pdf":                  "none",
	"documents/%.34sd1.pdf":                 "of 1",
	"documents/%.34sd3.pdf":                 "of 3",
	"ingestions/%.34se3/page-1.png":         "3",
	"ingestions/%.34se4/transcription.json": "4",
	"ingestions/%.34se2/transcription.json": "2",
}

func newRig(t *testing.T) *rig {
	t.Helper()
	url := postgrestest.URL(t)
	r := &rig{db: postgrestest.Open(t, url), conn: postgrestest.Conn(t, url)}
	sql := string(must.Get(os.ReadFile("../../postgres/testdata/every_table.sql"))(t))
	backend := s3mem.New()
	must.OK(t, backend.CreateBucket("files"))
	must.OK(t, backend.SetVersioningConfiguration("files", gofakes3.VersioningConfiguration{Status: gofakes3.VersioningEnabled}))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	r.bucket = must.Get(blob.Open(t.Context(), "s3://files", func(context.Context) (aws.Config, error) {
		return aws.Config{Region: "eu-central-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("k", "s", "")}, nil
	}))(t)
	for _, tenant := range []string{a, b} {
		if _, err := r.conn.PgConn().Exec(t.Context(), strings.ReplaceAll(sql, "aaaaaaaa", tenant[:8])).ReadAll(); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			for range 2 { // versions
				must.OK(t, r.bucket.Write(t.Context(), fmt.Sprintf(name, tenant), strings.NewReader(text)))
			}
		}
		must.Get(backend.DeleteObject("files", fmt.Sprintf("inbox/%s0/unread.pdf", tenant)))(t)
	}
	return r
}

func (r *rig) eraser() *erase.Eraser {
	return &erase.Eraser{Store: r.db, Files: r.bucket, Say: func(string, ...any) {},
		Wait: func(_ context.Context, d time.Duration) error { r.waited = append(r.waited, d); return nil }}
}

// keys lists what the bucket has, with all versions.
func (r *rig) keys(t *testing.T, of string) (keys []string) {
	t.Helper()
	must.OK(t, r.bucket.List(t.Context(), "", func(v blob.Version) error {
		if strings.Contains(v.Key, of) {
			keys = append(keys, v.Key)
		}
		return nil
	}))
	slices.Sort(keys)
	return keys
}

// ids counts rows with this text in any column of any table.
func (r *rig) ids(t *testing.T, text string) (total int) {
	t.Helper()
	rows, _ := r.conn.Query(t.Context(), "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')")
	for _, table := range must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t) {
		total += postgrestest.Value[int](t, r.conn, "SELECT count(*) FROM "+table+" AS r WHERE r::text LIKE '%' || $1 || '%'", text)
	}
	return total
}

func TestTenantGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	e := postgres.Erasure{Tenant: uuid.MustParse(a + "0")}
	others, othersRows := r.keys(t, b[:8]), r.ids(t, b[:9])
	plan := must.Get(r.eraser().Plan(t.Context(), e))(t)
	if plan.Files != len(files) || plan.Versions != 2*len(files)+1 || r.ids(t, a[:9]) == 0 || len(r.keys(t, a[:8])) != plan.Versions {
		t.Errorf("planned %+v", plan)
	}
	done := must.Get(r.eraser().Run(t.Context(), e))(t)
	if done.Files != plan.Files || done.Versions != plan.Versions || len(r.waited) != 1 || r.waited[0] > time.Minute {
		t.Errorf("done %+v, waited %s", done, r.waited)
	}
	if keys, rows := r.keys(t, a[:8]), r.ids(t, a[:9]); len(keys) > 0 || rows > 0 {
		t.Errorf("left: %q and %d rows", keys, rows)
	}
	if keys, rows := r.keys(t, b[:8]), r.ids(t, b[:9]); !slices.Equal(keys, others) || rows != othersRows {
		t.Errorf("another tenant has %q and %d rows", keys, rows)
	}
	r.deliverLate(t)
}

// deliverLate takes an event for a deleted file, which brings nothing back and logs no id.
func (r *rig) deliverLate(t *testing.T) {
	t.Helper()
	var log bytes.Buffer
	in := &inbox.Inbox{Store: ingestions.New(r.db), Files: r.bucket, Log: slog.New(slog.NewTextHandler(&log, nil))}
	event := `{"Records": [{"eventName": "ObjectCreated:Put", "s3": {"object": {"key": "inbox/` + a + `0/again.pdf"}}}]}`
	if _, err := in.Take(t.Context(), event); err != nil || strings.Contains(log.String(), a[:8]) || !strings.Contains(log.String(), "missing file") {
		t.Errorf("%v, log %s", err, &log)
	}
	if rows := r.ids(t, a[:9]); rows > 0 {
		t.Errorf("%d rows came back", rows)
	}
}

// A document goes with its file, also under its name in the inbox; what others sent stays.
func TestDocumentGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	e := must.Get(r.db.ErasureOf(t.Context(), uuid.MustParse(a[:34]+"d4")))(t)
	done := must.Get(r.eraser().Run(t.Context(), e))(t)
	var want []string
	for _, name := range []string{"documents/%.34sd1.pdf", "inbox/%s0/large.pdf", "ingestions/%.34se2/transcription.json"} {
		want = append(want, fmt.Sprintf(name, a), fmt.Sprintf(name, a))
	}
	unread := fmt.Sprintf("inbox/%s0/unread.pdf", a)
	want = append(want, unread, unread, unread)
	slices.Sort(want)
	if got := r.keys(t, a[:8]); !slices.Equal(got, want) || done.Published != 1 || len(done.Documents) != 2 {
		t.Errorf("%+v\ngot  %q\nwant %q", done, got, want)
	}
	if text := done.Text(); !strings.HasPrefix(text, "deleted 2 documents of tenant "+a+"0: ") || !strings.Contains(text, "5 files in 10 versions") {
		t.Errorf("got %s", text)
	}
}

// A file that an attempt writes after the rows are gone goes at the end of its claim.
func TestLateWriterErased(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	x := r.eraser()
	late := "ingestions/" + a[:34] + "e3/page-2.png"
	x.Wait = func(ctx context.Context, _ time.Duration) error {
		return r.bucket.Write(ctx, late, strings.NewReader("late"))
	}
	must.Get(x.Run(t.Context(), postgres.Erasure{Tenant: uuid.MustParse(a + "0")}))(t)
	if left := r.keys(t, a[:8]); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Without the files, their rows must stay, because they have the keys.
func TestFilesMustBeKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	x, before := r.eraser(), r.ids(t, a[:9])
	x.Files = nil
	if _, err := x.Run(t.Context(), postgres.Erasure{Tenant: uuid.MustParse(a + "0")}); !errors.Is(err, erase.ErrNoFiles) || r.ids(t, a[:9]) != before {
		t.Errorf("got %v", err)
	}
}
