package pgserver_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/pgserver"
)

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
		testenv.Must(t, s.Restart(t.Context(), how, 10*time.Millisecond))
		if after := query(t, url, "SELECT pg_postmaster_start_time()::text"); after == before {
			t.Error("it is the same server")
		}
	}
	const tally = "|||" // a stroke before each restart
	if kept := query(t, url, "SELECT convert_from(lo_get(4711), 'UTF8')"); kept != tally {
		t.Errorf("%s is left, want %s", kept, tally)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if err := s.Restart(t.Context(), pgserver.Fast, 0); err == nil {
		t.Error("a server that is gone was restarted")
	}
}
