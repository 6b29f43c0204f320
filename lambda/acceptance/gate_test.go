package acceptance_test

import (
	"fmt"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// gate makes the work on chosen documents wait inside the transaction that
// would finish it, so that a kill hits a worker in the middle of a write.
type gate struct {
	*line
	holder *pgx.Conn // holds the lock that the workers wait for
}

const gateLock = 4711

func newGate(l *line) *gate {
	l.exec(`CREATE TABLE gated (id uuid PRIMARY KEY)`)
	l.exec(`CREATE TABLE terminal_write (id uuid)`)
	l.exec(`CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF EXISTS (SELECT FROM gated WHERE id = NEW.id) THEN
			PERFORM pg_advisory_xact_lock_shared(` + fmt.Sprint(gateLock) + `);
		END IF;
		INSERT INTO terminal_write VALUES (NEW.id);
		RETURN NULL; END $$`)
	l.exec(`CREATE TRIGGER gate AFTER UPDATE OF matching_status ON document FOR EACH ROW
		WHEN (NEW.matching_status IN ('succeeded', 'failed') AND OLD.matching_status = 'in-progress') EXECUTE FUNCTION gate()`)
	return l.closedGate()
}

// closedGate returns the gate of a database whose triggers wait at it.
func (l *line) closedGate() *gate {
	g := &gate{l, postgrestest.Conn(l.t, l.url())}
	g.close()
	return g
}

func (g *gate) close() { g.hold("SELECT pg_advisory_lock($1)") }
func (g *gate) open()  { g.hold("SELECT pg_advisory_unlock($1)") }

func (g *gate) hold(sql string) {
	g.t.Helper()
	must.Get(g.holder.Exec(g.t.Context(), sql, gateLock))(g.t)
}

// waiting is the number of workers that stand at the gate. Other tests have gates in
// other databases of the same server.
func (g *gate) waiting() int {
	return query[int](g.line, `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
		WHERE datname = current_database() AND locktype = 'advisory' AND objid = $1 AND NOT granted`, gateLock)
}

// await waits until a worker stands at the gate.
func (g *gate) await() {
	g.t.Helper()
	waitFor(g.t, "the worker is at the gate", func() bool { return g.waiting() > 0 })
}

// again has the message of the killed delivered once more.
func (g *gate) again() {
	g.t.Helper()
	waitFor(g.t, "the mapping has noticed", g.Idle)
	must.Get(g.Jump(g.t.Context()))(g.t)
}

// finished checks that all of the documents, pairs of an order and its invoice, ended
// once, and that all pairs are matched.
func (g *gate) finished(documents int) {
	g.t.Helper()
	check(g.t, "succeeded", query[int](g.line, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), documents)
	check(g.t, "documents with other than one terminal write", query[int](g.line,
		"SELECT count(*) FROM (SELECT id FROM document LEFT JOIN terminal_write USING (id) GROUP BY id HAVING count(terminal_write) <> 1) AS d"), 0)
	check(g.t, "matches", query[int](g.line, "SELECT count(*) FROM document_match"), documents/2)
}

// killWaiting kills the process whose work waits at the gate, and its backend. The
// gate must be the only thing under way.
func (g *gate) killWaiting() {
	g.t.Helper()
	if n := query[int](g.line, "SELECT count(*) FROM document WHERE matching_status = 'in-progress'"); n == 0 {
		g.t.Fatal("no document is in progress")
	}
	if !g.Function.Kill(nil) {
		g.t.Fatal("no process to kill")
	}
	g.cut()
	waitFor(g.t, "the backend of the killed process has gone", func() bool { return g.waiting() == 0 })
}

// cut ends the sessions that wait at the gate. A worker sends its COMMIT along, which
// the backend would carry out for the dead. A worker that lives writes again.
func (g *gate) cut() {
	g.t.Helper()
	g.exec(`SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
		WHERE datname = current_database() AND locktype = 'advisory' AND objid = $1 AND NOT granted`, gateLock)
}
