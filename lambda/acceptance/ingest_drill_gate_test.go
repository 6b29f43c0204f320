package acceptance_test

import (
	"fmt"
)

// gatesSQL holds the transactions of armed papers: a process that is to be
// killed waits for a lock of the drill. It also notes each claim, and each
// completion. No deployed code knows of it.
const gatesSQL = `
CREATE TABLE armed (n integer PRIMARY KEY, id uuid, document uuid, step text);
CREATE TABLE claimed (id uuid, attempt integer, pid integer, PRIMARY KEY (id, attempt));
CREATE TABLE ended (id uuid, attempt integer, status text);

CREATE FUNCTION hold(paper integer) RETURNS void LANGUAGE sql AS
	$$ SELECT pg_advisory_xact_lock_shared(%[1]d, paper) $$;

CREATE FUNCTION note_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO claimed VALUES (NEW.id, NEW.attempts, current_setting('application_name')::integer);
	RETURN NULL; END $$;
CREATE TRIGGER note_claim AFTER UPDATE ON ingestion FOR EACH ROW
	WHEN (NEW.attempts > OLD.attempts) EXECUTE FUNCTION note_claim();

CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO ended VALUES (NEW.id, NEW.attempts, NEW.status);
	RETURN NULL; END $$;
CREATE TRIGGER note_end AFTER UPDATE ON ingestion FOR EACH ROW
	WHEN (NEW.status <> 'in-progress' AND OLD.status = 'in-progress') EXECUTE FUNCTION note_end();

CREATE FUNCTION gate_ingestion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM hold(n) FROM armed WHERE id = NEW.id AND step = CASE
		WHEN NEW.status = 'completed' THEN '%[3]s'
		WHEN NEW.transcription_file_path IS DISTINCT FROM OLD.transcription_file_path THEN '%[2]s' END;
	RETURN NEW; END $$;
CREATE TRIGGER gate BEFORE UPDATE ON ingestion FOR EACH ROW EXECUTE FUNCTION gate_ingestion();

CREATE FUNCTION gate_answer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM hold(n) FROM armed WHERE document = NEW.document_id AND step = '%[4]s';
	RETURN NEW; END $$;
CREATE TRIGGER gate BEFORE INSERT ON model_answer FOR EACH ROW EXECUTE FUNCTION gate_answer();

-- The search for a stored answer is an update that often finds no row. Whichever
-- paper the process searches for, one in this state has not been asked about.
CREATE FUNCTION gate_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM hold(n) FROM armed JOIN ingestion USING (id) JOIN claimed ON claimed.id = armed.id AND attempt = attempts
		WHERE step = '%[5]s' AND job_status = 'in-progress' AND transcription_file_path IS NOT NULL
			AND pid = current_setting('application_name')::integer;
	RETURN NULL; END $$;
CREATE TRIGGER gate_search BEFORE UPDATE ON model_answer FOR EACH STATEMENT EXECUTE FUNCTION gate_search();`

func (d *ingestDrill) installGates() {
	d.t.Helper()
	d.exec(fmt.Sprintf(gatesSQL, gateLock, transcribed, completing, answered, asking))
}

// heldSQL lists the transactions that wait for a paper's lock, and the claims of
// papers whose reader waits at a pipe.
const heldSQL = `
SELECT DISTINCT objid::integer, application_name::integer FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND locktype = 'advisory' AND classid = $1 AND NOT granted
UNION ALL SELECT n, pid FROM armed JOIN claimed USING (id) WHERE step = $2`

// abortSQL ends the transactions that wait for a paper's lock: those of a dead
// process must commit nothing once the lock is free.
const abortSQL = `
SELECT count(pg_terminate_backend(pid)) FROM pg_locks
WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND locktype = 'advisory' AND classid = $1 AND objid = $2 AND NOT granted`

// atGates lists the papers that are held in the database, or at a pipe.
func (d *ingestDrill) atGates() (held []reached) {
	d.t.Helper()
	var n, pid int
	d.scan(func() {
		release := func() {}
		if paper := n; d.papers[n].step != reading {
			release = func() { d.exec("SELECT pg_advisory_unlock($1, $2)", gateLock, paper) }
		}
		held = append(held, reached{n, d.papers[n].step, pid, release})
	}, []any{&n, &pid}, heldSQL, gateLock, string(reading))
	return held
}
