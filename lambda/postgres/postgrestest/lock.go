package postgrestest

import (
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

const waitingSQL = `
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

// Waiting returns when n statements of the database wait for a lock. It fails the test when
// done is closed before.
func (f *Fixture) Waiting(n int, done <-chan struct{}) {
	f.T.Helper()
	for {
		f.Exec("SELECT pg_stat_clear_snapshot()") // within a transaction it would not change
		if Value[int](f.T, f.Conn, waitingSQL) >= n {
			return
		}
		select {
		case <-done:
			f.T.Fatal("it did not wait for the lock")
		default:
		}
	}
}

// Meanwhile starts work that has to wait for a lock, and returns as soon as it waits;
// end waits for its end and returns its error.
func (f *Fixture) Meanwhile(work func() error) (end func() error) {
	f.T.Helper()
	done, err := make(chan struct{}), error(nil)
	go func() {
		defer close(done)
		err = work()
	}()
	f.Waiting(1, done)
	return func() error {
		<-done
		return err
	}
}

// Blocks runs a statement that takes locks, in a transaction that ends with release.
func (f *Fixture) Blocks(sql string, args ...any) (release func()) {
	f.T.Helper()
	tx := must.Get(f.Conn.Begin(f.T.Context()))(f.T)
	must.Get(tx.Exec(f.T.Context(), sql, args...))(f.T)
	return func() {
		f.T.Helper()
		must.OK(f.T, tx.Commit(f.T.Context()))
	}
}

// Lock locks a row of a table until unlock.
func (f *Fixture) Lock(table string, id uuid.UUID) (unlock func()) {
	f.T.Helper()
	return f.Blocks("SELECT FROM "+table+" WHERE id = $1 FOR UPDATE", id)
}
