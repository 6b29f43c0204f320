package pgserver_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/postgres/postgrestest"
)

func TestCreateAndDropDatabase(t *testing.T) {
	t.Parallel()
	server := postgrestest.URL(t)
	ctx, cancel := context.WithCancel(t.Context())
	url, drop, err := pgserver.CreateDatabase(ctx, server, "matchbook_test_")
	must.OK(t, err)
	conn := postgrestest.Conn(t, url) // and stays connected
	var name string
	var relations int
	if err := conn.QueryRow(t.Context(),
		"SELECT current_database(), count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace").
		Scan(&name, &relations); err != nil || !strings.HasPrefix(name, "matchbook_test_") || relations != 0 {
		t.Errorf("got %s with %d relations, %v", name, relations, err)
	}
	cancel() // an interrupted run cleans up as well
	for range 2 {
		must.OK(t, drop())
	}
	var there bool
	if err := postgrestest.Conn(t, server).QueryRow(t.Context(),
		"SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).
		Scan(&there); err != nil || there {
		t.Errorf("it is still there: %v, %v", there, err)
	}
}

func TestErrorHidesPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://me:secret@[::1/db", "host=localhost password=secret",
		"postgres://me:secret@127.0.0.1:1/db"} {
		_, _, err := pgserver.CreateDatabase(t.Context(), url, "x_")
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", url, err)
		}
	}
}

// A commit that was answered survives both kinds of restart; a connection does
// neither, and the server is still gone after Stop.
func TestRestartKeepsCommits(t *testing.T) {
	t.Parallel()
	s := start(t, pgserver.Options{Settings: map[string]string{"synchronous_commit": "on"}})
	url := s.URL("postgres")
	query(t, url, "SELECT lo_create(4711)::text") // a table needs a statement without an answer
	for _, how := range []pgserver.Shutdown{pgserver.Fast, pgserver.Immediate, pgserver.Fast} {
		before := query(t, url, "SELECT pg_postmaster_start_time()::text")
		query(t, url, "SELECT lo_put(4711, coalesce(octet_length(lo_get(4711)), 0), '|')::text")
		must.OK(t, s.Restart(t.Context(), how, 10*time.Millisecond))
		if after := query(t, url, "SELECT pg_postmaster_start_time()::text"); after == before {
			t.Error("it is the same server")
		}
	}
	const tally = "|||" // a stroke before each restart
	if kept := query(t, url, "SELECT convert_from(lo_get(4711), 'UTF8')"); kept != tally {
		t.Errorf("%s is left, want %s", kept, tally)
	}
	must.OK(t, s.Stop())
	if err := s.Restart(t.Context(), pgserver.Fast, 0); err == nil {
		t.Error("a server that is gone was restarted")
	}
}
