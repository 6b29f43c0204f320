package drill

import (
	"context"
	"strings"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// auditSQL records each change of a row's state, and each write of its results, with its process
// and the real time; changeSQL and effectSQL have the triggers. now() is unqualified on purpose, so
// that it is the functions' clock.
const auditSQL = `
CREATE SCHEMA drill;
CREATE TABLE drill.change (
	n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	clock timestamptz NOT NULL, tx bigint NOT NULL DEFAULT txid_current(),
	process text NOT NULL DEFAULT current_setting('application_name'),
	function text NOT NULL, id uuid NOT NULL, about uuid, was text, status text, was_attempt integer, attempt integer,
	was_lease timestamptz, was_published timestamptz, published timestamptz, contents boolean, error text, parked boolean);
CREATE TABLE drill.effect (
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), tx bigint NOT NULL DEFAULT txid_current(),
	process text NOT NULL DEFAULT current_setting('application_name'),
	relation text, owner uuid NOT NULL, UNIQUE (tx, relation, owner));
CREATE TABLE drill.answer (id bigint PRIMARY KEY, at timestamptz NOT NULL, process text NOT NULL);

-- Takes the column with the id of the row whose claim allows the write; none: a row's end must allow it.
CREATE FUNCTION drill.note_effect() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO drill.effect (relation, owner) VALUES (TG_RELNAME,
		coalesce((to_jsonb(NEW) ->> TG_ARGV[0])::uuid, '00000000-0000-0000-0000-000000000000')) ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;

CREATE FUNCTION drill.note_answer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO drill.answer VALUES (NEW.id, pg_catalog.clock_timestamp(), current_setting('application_name'));
	RETURN NULL;
END $$;
CREATE TRIGGER drill AFTER INSERT ON model_answer FOR EACH ROW EXECUTE FUNCTION drill.note_answer();`

// changeSQL and effectSQL are for each workload and each of its effects.
const (
	changeSQL = `
CREATE FUNCTION drill.note_{table}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO drill.change (clock, function, id, about, was, status,
		was_attempt, attempt, was_lease, was_published, published,
		contents, error, parked)
	VALUES (now(), '{function}', NEW.id, NEW.{about}, coalesce(OLD.{status}, ''), coalesce(NEW.{status}, ''),
		coalesce(OLD.{attempts}, 0), NEW.{attempts}, OLD.{lease_until}, OLD.{published_at}, NEW.{published_at},
		TG_OP = 'UPDATE' AND ROW({old contents}) IS DISTINCT FROM ROW({new contents}),
		NEW.{error}, NEW.{parked_for} IS NOT NULL AND NEW.{due_at} > now());
	RETURN NULL;
END $$;
CREATE TRIGGER drill_insert AFTER INSERT ON {table} FOR EACH ROW
WHEN (NEW.{status} IS NOT NULL) EXECUTE FUNCTION drill.note_{table}();
CREATE TRIGGER drill AFTER UPDATE ON {table} FOR EACH ROW
WHEN (ROW(OLD.{status}, OLD.{attempts}, OLD.{lease_until}, OLD.{published_at}, {old contents})
	IS DISTINCT FROM ROW(NEW.{status}, NEW.{attempts}, NEW.{lease_until}, NEW.{published_at}, {new contents}))
EXECUTE FUNCTION drill.note_{table}();`
	effectSQL = `
CREATE TRIGGER drill AFTER {events} ON {relation} FOR EACH ROW EXECUTE FUNCTION drill.note_effect({column});`
)

// roleSQL creates the functions' role. A fail-over can make it read-only while the drill still
// writes.
const roleSQL = `
DO $$ BEGIN CREATE ROLE app LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT ALL ON ALL TABLES IN SCHEMA public TO app;
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO app`

// audit returns the statements for the triggers on the workload's tables.
func (w *workload) audit() string {
	var b strings.Builder
	b.WriteString(w.sql(changeSQL))
	for _, e := range w.effects {
		events, column := "INSERT OR UPDATE OR DELETE", ""
		if e.owner != "" {
			events, column = "INSERT", "'"+e.owner+"'"
		}
		b.WriteString(strings.NewReplacer("{events}", events, "{relation}", e.relation, "{column}", column).Replace(effectSQL))
	}
	return b.String()
}

// sql fills in a statement about the rows of the workload.
func (w *workload) sql(statement string) string {
	of := func(row string) string { return row + "." + strings.Join(w.contents, ", "+row+".") }
	statement = strings.NewReplacer("{function}", w.Name, "{about}", w.about, "{old contents}", of("OLD"),
		"{new contents}", of("NEW")).Replace(statement)
	return postgres.Tables[w.Name].SQL(statement)
}

// union fills in a query for each workload.
func union(list []*workload, query string) string {
	var parts []string
	for _, w := range list {
		parts = append(parts, w.sql(query))
	}
	return strings.Join(parts, "\nUNION ALL\n")
}

// change is a row of the audit.
type change struct {
	N             int64
	At            time.Time // real
	Clock         time.Time // the stack's
	Tx            int64
	Process       string // application_name of the process
	Function      string // that works on the row
	ID            uuid.UUID
	About         uuid.UUID
	Was, Status   string
	WasAttempt    int
	Attempt       int
	WasLease      *time.Time
	WasPublished  *time.Time
	Published     *time.Time
	Contents      bool // columns that only a claim may write
	Error         *string
	Parked        bool // for a service that is away, without a message
	PublishedAnew bool // the stamp changed
}

const changesSQL = `
SELECT n, at, clock, tx, process, function, id, coalesce(about, id), was, status, was_attempt, attempt,
	was_lease, was_published, published, contents, error, coalesce(parked, false), published IS DISTINCT FROM was_published
FROM drill.change ORDER BY n`

// effectsSQL omits the writes of the drill, which may start reviews.
const effectsSQL = `
SELECT at, tx, process, relation, owner FROM drill.effect ORDER BY at`

// written is a transaction's write of results.
type written struct {
	At       time.Time
	Tx       int64
	Process  string
	Relation string
	Owner    uuid.UUID // the row with the claim; zero: any row that ended in the transaction
}

const answersSQL = `
SELECT a.at, a.process, m.question FROM drill.answer AS a JOIN model_answer AS m USING (id)
WHERE m.unusable = '' ORDER BY a.at`

// answer is a usable answer in storage.
type answer struct {
	At      time.Time
	Process string
	Prompt  []byte
}

const rowsSQL = `
SELECT '{function}', id, tenant_id, coalesce({status}, ''), {attempts}, coalesce({error}, '') FROM {table}`

type row struct {
	Function string
	ID       uuid.UUID
	Tenant   uuid.UUID
	Status   string
	Attempts int
	Error    string
}

// result is a part of what a workload stored, comparable between runs.
type result struct {
	Row         uuid.UUID
	What, Value string
}

const notificationsSQL = `
SELECT coalesce(n.document_id, n.subject_id), n.attempt, n.kind, coalesce(d.status, 'pending')
FROM notification AS n LEFT JOIN notification_delivery AS d ON d.notification_id = n.id AND d.channel = 'slack'
WHERE n.attempt > 0 -- 0 is a warning
ORDER BY n.created_at`

type notification struct {
	Row      uuid.UUID
	Attempt  int
	Kind     string
	Delivery string // to Slack
}

// audit is the evidence from the database.
type audit struct {
	changes       []change
	effects       []written
	answers       []answer
	rows          []row
	results       []result
	counts        map[string]int // of the results, by workload
	notifications []notification
	clusters      []clustered
	files         []storedFile
	reviews       []reviewRow
	matches       []edge
}

func (l *line) readAudit(ctx context.Context) (a *audit, err error) {
	a = &audit{counts: map[string]int{}}
	for _, err := range []error{
		read(ctx, l.db, changesSQL, &a.changes), read(ctx, l.db, effectsSQL, &a.effects), read(ctx, l.db, answersSQL, &a.answers),
		read(ctx, l.db, union(l.workloads(), rowsSQL), &a.rows), read(ctx, l.db, notificationsSQL, &a.notifications),
		read(ctx, l.db, clustersSQL, &a.clusters), read(ctx, l.db, matchesSQL, &a.matches),
		read(ctx, l.db, storedFilesSQL, &a.files), read(ctx, l.db, reviewsSQL, &a.reviews),
	} {
		if err != nil {
			return nil, err
		}
	}
	for _, w := range l.workloads() {
		var found []result
		if err := read(ctx, l.db, w.results, &found); err != nil {
			return nil, err
		}
		a.results, a.counts[w.Name] = append(a.results, found...), len(found)
	}
	return a, nil
}

func read[T any](ctx context.Context, db *pgxpool.Pool, sql string, into *[]T) (err error) {
	found, _ := db.Query(ctx, sql)
	*into, err = pgx.CollectRows(found, pgx.RowToStructByPos[T])
	return err
}

// outcome returns the results by what they are about.
func (a *audit) outcome() map[result]string {
	outcome := map[result]string{}
	for _, r := range a.results {
		outcome[result{Row: r.Row, What: r.What}] = r.Value
	}
	return outcome
}
