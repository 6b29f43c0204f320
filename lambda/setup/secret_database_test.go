package setup

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/schema"
	"matchbook/lambda/setup/secret/secrettest"

	"github.com/jackc/pgx/v5"
)

var question = llm.Question{Name: "q", User: "u", Schema: json.RawMessage(`{"type":"object"}`)}

// guarded is a server of the test's own that wants the password of the role app.
type guarded struct {
	t     *testing.T
	admin *pgx.Conn
	url   *url.URL
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	server := must.Get(pgserver.Start(t.Context(), pgserver.Options{InMemory: true}))(t)
	t.Cleanup(func() { _ = server.Stop() })
	u := must.Get(url.Parse(server.URL("postgres")))(t)
	admin := must.Get(pgx.Connect(t.Context(), u.String()))(t)
	g := &guarded{t, admin, u}
	t.Cleanup(func() { _ = admin.Close(t.Context()) })
	must.Get(schema.Migrate(t.Context(), u.String()))(t)
	var file string
	must.OK(t, admin.QueryRow(t.Context(), "SHOW hba_file").Scan(&file))
	g.exec(fmt.Sprintf(`COPY (SELECT unnest(ARRAY['local all app scram-sha-256', 'local all all trust'])) TO '%s'`,
		file))
	g.exec("SELECT pg_reload_conf()")
	g.exec("CREATE ROLE app LOGIN SUPERUSER")
	return g
}

func (g *guarded) exec(sql string) {
	g.t.Helper()
	must.Get(g.admin.Exec(g.t.Context(), sql))(g.t)
}

// rotate gives the role a new password and ends its connections. It returns
// the URL with it.
func (g *guarded) rotate(password string) string {
	g.t.Helper()
	g.exec("ALTER ROLE app PASSWORD '" + password + "'")
	g.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'")
	u := *g.url
	u.User = url.UserPassword("app", password)
	return u.String()
}

// A password that is rotated while the pool is open is read again, once, and no
// query fails.
func TestPasswordRotation(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	g := newGuarded(t)
	var logged safeBuilder
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(old)
	m.Set("database", g.rotate("PLANTED-1"))
	var clock atomic.Int64
	c, err := loadFunction(envOf(map[string]string{"QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/000000000000/match", "MATCH_MODE": "rules",
		"DATABASE_URL_SECRET_ARN": secrettest.ARN("database")}), manifest.Match, source(&clock))
	must.OK(t, err)
	db, _, err := Open(t.Context(), c, manifest.Match.PoolSize)
	must.OK(t, err)
	defer db.Close()
	count := func() (failed string) {
		var all sync.WaitGroup
		var text atomic.Value
		for range 100 {
			all.Go(func() {
				if _, err := db.InProgress(t.Context()); err != nil {
					text.Store(err.Error())
				}
			})
		}
		all.Wait()
		failed, _ = text.Load().(string)
		return failed
	}
	if failed := count(); failed != "" {
		t.Fatal(failed)
	}

	m.Set("database", g.rotate("PLANTED-2"))
	if failed := count(); !strings.Contains(failed, "28P01") && !strings.Contains(failed, "57P01") ||
		m.Count("database") != 1 {
		t.Errorf("within five minutes: got %q, read %d times", failed, m.Count("database"))
	}
	clock.Add(int64(fetchEvery))
	if failed := count(); failed != "" || m.Count("database") != 2 {
		t.Errorf("after it was rotated: %q, read %d times; want it read once more and no failure",
			failed, m.Count("database"))
	}

	g.rotate("PLANTED-3") // and the secret does not know
	clock.Add(int64(fetchEvery))
	_ = count() // some find their connection ended
	if failed := count(); !strings.Contains(failed, "28P01") || strings.Contains(failed, "PLANTED") ||
		m.Count("database") != 3 {
		t.Errorf("when the secret is wrong: got %q, read %d times; want the refusal, and it read once more",
			failed, m.Count("database"))
	}
	if strings.Contains(logged.String(), "PLANTED") {
		t.Errorf("logged %s", logged.String())
	}
}

// Each way to use the database gets over a password that was rotated.
func TestRotationEverywhere(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	g := newGuarded(t)
	for name, use := range uses(t) {
		m.Set("database", g.rotate("first-"+name))
		var clock atomic.Int64
		c, err := loadFunction(envOf(map[string]string{"QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/000000000000/match", "MATCH_MODE": "rules",
			"DATABASE_URL_SECRET_ARN": secrettest.ARN("database")}), manifest.Match, source(&clock))
		must.OK(t, err)
		db, _, err := Open(t.Context(), c, 1)
		must.OK(t, err)
		m.Set("database", g.rotate("second-"+name)) // before the pool has a connection
		clock.Add(int64(fetchEvery))
		if err := use(db); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		db.Close()
	}
}

// uses are one for each method of the pool.
func uses(t *testing.T) map[string]func(*postgres.DB) error {
	vectors := map[string]llm.Vector{"12345678901234567890123456789012": make(llm.Vector, 4)}
	return map[string]func(*postgres.DB) error{
		"ping":  func(db *postgres.DB) error { return db.Ping(t.Context()) },
		"row":   func(db *postgres.DB) error { _, err := db.InProgress(t.Context()); return err },
		"query": func(db *postgres.DB) error { _, err := matches.New(db).Raws(t.Context(), nil); return err },
		"exec":  func(db *postgres.DB) error { return db.NotificationsSent(t.Context(), "x", nil) },
		"transact": func(db *postgres.DB) error {
			_, err := db.Add(t.Context(), nil, postgres.AddOptions{Replace: true, Send: true})
			return err
		},
		"batch": func(db *postgres.DB) error {
			err := db.KeepVectors(t.Context(), [16]byte{1}, "e", vectors, llm.Usage{})
			if err != nil && strings.Contains(err.Error(), "23503") { // it got there, and there is no such tenant
				return nil
			}
			return err
		},
	}
}

type safeBuilder struct {
	mu sync.Mutex
	strings.Builder
}

func (b *safeBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}
