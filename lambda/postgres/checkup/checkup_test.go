package checkup_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

func TestCheckupIsReadOnly(t *testing.T) {
	t.Parallel()
	c, err := checkup.Open(t.Context(), postgrestest.URL(t))
	must.OK(t, err)
	defer c.Close(t.Context())
	err = c.Read(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "CREATE TABLE written ()")
		return err
	})
	if err == nil || !strings.Contains(failure.Of(err).Text, "SQLSTATE 25006") {
		t.Errorf("got %v, want a transaction that only reads", err)
	}
}

func TestErrorsHidePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:SECRET@host:port/", "postgres://user:SECRET@127.0.0.1:1/db"} {
		_, err := checkup.Open(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("got %v", err)
		}
	}
}

// Among 20,000 deliveries that were made, and while the statistics are those of
// the storm in which they all waited, the few that wait are read.
func TestBacklogReadsWaiting(t *testing.T) {
	t.Parallel()
	conn := postgrestest.Conn(t, postgrestest.URL(t))
	exec := func(sql string, args ...any) {
		t.Helper()
		must.Get(conn.Exec(t.Context(), sql, args...))(t)
	}
	const insert = `INSERT INTO notification (tenant_id, document_id, kind, attempt, payload)
		SELECT $1, $1, 'permanent', i, '{}' FROM generate_series($2::int, $3::int) AS i`
	tenant := uuid.New()
	exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	exec("INSERT INTO document (id, tenant_id) VALUES ($1, $1)", tenant)
	exec(insert, tenant, 1, 20_000) // with a delivery on each channel
	exec("VACUUM ANALYZE notification, notification_delivery")
	exec("UPDATE notification_delivery SET status = 'digested', sent_at = now()")
	exec("VACUUM notification_delivery")
	exec(insert, tenant, 20_001, 20_005)
	p := postgrestest.Explain(t, conn, checkup.LateSQL, []string{"slack", "email"}, time.Duration(0))
	p.WantIndexed(t, "notification_delivery_pending_idx")
	if n := p.Fetched("notification_delivery"); n > 10 {
		t.Errorf("%.0f deliveries were read, want the 10 that wait at most", n)
	}
}

//nolint:paralleltest // pgx reads the process's own environment
func TestDoubt(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	must.OK(t, os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	const anybody, sameAuthority = "anybody may answer as the server", "any server with a certificate of the same authority may answer"
	for _, tc := range []struct{ url, roots, want string }{
		{"postgres://u:p@db.example.com/d?sslmode=verify-full", "", ""},
		{"postgres://u:p@db.example.com/d?sslmode=verify-full", roots, ""},
		{"postgres://u:p@db.example.com/d?sslmode=verify-ca", roots, sameAuthority},
		{"postgres://u:p@db.example.com/d?sslmode=require", roots, sameAuthority},
		{"postgres://u:p@db.example.com/d?sslmode=require", "", anybody},
		{"postgres://u:p@db.example.com/d?sslmode=prefer", "", "the connection is not encrypted if the server refuses"},
		{"postgres://u:p@db.example.com/d", "", "the connection is not encrypted if the server refuses"},
		{"postgres://u:p@db.example.com/d?sslmode=disable", "", "the connection is not encrypted"},
		{"postgres://u:p@10.0.0.1/d?sslmode=disable", "", "the connection is not encrypted"},
		{"postgres://u:p@127.0.0.1/d?sslmode=disable", "", ""},
		{"postgres://u:p@[::1]/d?sslmode=disable", "", ""},
		{"postgres://u@localhost/d", "", ""},
		{"postgres:///d?host=/var/run", "", ""},
	} {
		t.Setenv("PGSSLROOTCERT", tc.roots)
		if got, err := checkup.Doubt(tc.url); got != tc.want || err != nil {
			t.Errorf("%s with %q: got %q, %v, want %q", tc.url, tc.roots, got, err, tc.want)
		}
	}
	if _, err := checkup.Doubt("postgres://PLANTED:x"); err == nil || err.Error() != "invalid URL of the database, or unreadable certificates" {
		t.Errorf("got %v", err)
	}
}
