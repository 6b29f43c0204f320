package pgserver_test

import (
	"context"
	"strings"
	"testing"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/postgres/postgrestest"
)

func TestDatabaseIsEmptyAndGoneAfterDrop(t *testing.T) {
	t.Parallel()
	server := postgrestest.URL(t)
	ctx, cancel := context.WithCancel(t.Context())
	url, drop, err := pgserver.CreateDatabase(ctx, server, "matchbook_test_")
	testenv.Must(t, err)
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
		testenv.Must(t, drop())
	}
	var there bool
	if err := postgrestest.Conn(t, server).QueryRow(t.Context(),
		"SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).
		Scan(&there); err != nil || there {
		t.Errorf("it is still there: %v, %v", there, err)
	}
}

func TestDatabaseOfNoServerIsRefusedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://me:secret@[::1/db", "host=localhost password=secret",
		"postgres://me:secret@127.0.0.1:1/db"} {
		_, _, err := pgserver.CreateDatabase(t.Context(), url, "x_")
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", url, err)
		}
	}
}
