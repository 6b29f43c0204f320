package postgres_test

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/reviews"

	"github.com/google/uuid"
)

var _ login.Store = (*postgres.DB)(nil)

func (f *fixture) begin(id string, life time.Duration) login.Hash {
	f.T.Helper()
	person, _ := json.Marshal(login.Person{ID: "ada", Name: `"Ada"`, Roles: map[uuid.UUID]login.Role{tenant: login.Operator}})
	hash := sha256.Sum256([]byte(id))
	must.OK(f.T, f.BeginSession(f.T.Context(), hash, person, life))
	return hash
}

// used reports whether the session is there.
func (f *fixture) used(id login.Hash, idle time.Duration) bool {
	f.T.Helper()
	stored := must.Get(f.UseSession(f.T.Context(), id, idle))(f.T)
	if stored == nil {
		return false
	}
	var p login.Person
	if err := json.Unmarshal(stored, &p); err != nil || p.ID != "ada" || p.Name != `"Ada"` || p.Role(tenant) != login.Operator {
		f.T.Errorf("got %s, %v", stored, err)
	}
	return true
}

func TestSessionExpires(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.begin("a", time.Hour)
	for range 5 {
		f.Advance(10 * time.Minute)
		if !f.used(id, 11*time.Minute) {
			t.Fatal("a session that is used has ended")
		}
	}
	f.Advance(10 * time.Minute)
	if f.used(id, 11*time.Minute) {
		t.Error("a session outlives its life")
	}
	id = f.begin("b", time.Hour)
	f.Advance(11 * time.Minute)
	if f.used(id, 11*time.Minute) {
		t.Error("a session that was not used has not ended")
	}
	if f.used(sha256.Sum256([]byte("c")), time.Hour) {
		t.Error("a session that never began")
	}
}

func TestEndedSessionsGo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first, second := f.begin("a", time.Hour), f.begin("b", 3*time.Hour)
	for range 2 { // again changes nothing
		must.OK(t, f.EndSession(t.Context(), first))
	}
	if f.used(first, time.Hour) || !f.used(second, time.Hour) {
		t.Error("not the one session has ended")
	}
	f.Advance(3 * time.Hour)
	third := f.begin("c", time.Hour)
	postgrestest.Equal(t, "rows, the last one's", postgrestest.Value[int](t, f.Conn, "SELECT count(*) FROM console_session"), 1)
	if !f.used(third, time.Hour) {
		t.Error("the last one has ended")
	}
}

// A browser sends the requests of a page at once, and a commit may be repeated.
func TestConcurrentSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.begin("a", time.Hour)
	f.begin("a", time.Hour)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if !f.used(id, time.Hour) {
				t.Error("no session")
			}
		})
	}
	all.Wait()
}

func TestOpenReviews(t *testing.T) {
	t.Parallel()
	db, conn := twoTenants(t)
	for range 2 {
		if n := must.Get(reviews.New(db).OpenReviews(t.Context(), tenantOf('a')))(t); n != 1 {
			t.Errorf("%d open reviews", n)
		}
		must.Get(conn.Exec(t.Context(), "UPDATE review_job SET status = 'completed', ended_at = now() WHERE tenant_id <> $1", tenantOf('a')))(t)
	}
	if n := must.Get(reviews.New(db).OpenReviews(t.Context(), tenantOf('b')))(t); n != 0 {
		t.Errorf("%d open reviews", n)
	}
}

func TestEndSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for id, person := range map[byte]string{1: `{"ID": "p1", "Name": "anna"}`, 2: `{"ID": "p1", "Name": "anna"}`, 3: `{"ID": "p2", "Name": "ben"}`} {
		must.OK(t, f.BeginSession(t.Context(), [32]byte{id}, []byte(person), time.Hour))
	}
	for _, c := range []struct {
		person string
		want   int64
	}{{"carl", 0}, {"p1", 2}, {"anna", 0}, {"", 1}} {
		if n := must.Get(f.EndSessions(t.Context(), c.person))(t); n != c.want {
			t.Errorf("%q: ended %d, want %d", c.person, n, c.want)
		}
	}
}
