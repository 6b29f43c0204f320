package drill

import (
	"context"
	"time"

	"matchbook/lambda/document/corpus"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// auditSQL records each change of a document's state, and each transaction with changes to
// pairs or matches, with its process and the real time. now() is unqualified on purpose, so
// that it is the functions' clock.
const auditSQL = `
CREATE SCHEMA drill;
CREATE TABLE drill.change (
	n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	clock timestamptz NOT NULL, tx bigint NOT NULL DEFAULT txid_current(),
	process text NOT NULL DEFAULT current_setting('application_name'),
	document uuid NOT NULL, was text, status text, was_attempt integer, attempt integer, was_lease timestamptz,
	was_published timestamptz, published timestamptz, contents boolean, error text, parked boolean);
CREATE TABLE drill.edge (tx bigint, relation text, process text, PRIMARY KEY (tx, relation));
CREATE TABLE drill.answer (id bigint PRIMARY KEY, at timestamptz NOT NULL, process text NOT NULL);

CREATE FUNCTION drill.note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO drill.change (clock, document, was, status,
		was_attempt, attempt, was_lease, was_published, published,
		contents, error, parked)
	VALUES (now(), NEW.id, coalesce(OLD.matching_status, ''), coalesce(NEW.matching_status, ''),
		OLD.matching_attempts, NEW.matching_attempts, OLD.matching_lease_until,
		OLD.matching_published_at, NEW.matching_published_at,
		(OLD.normalized_counterparty, OLD.normalized_references, OLD.match_keys)
			IS DISTINCT FROM (NEW.normalized_counterparty, NEW.normalized_references, NEW.match_keys),
		NEW.matching_error, NEW.matching_parked_for IS NOT NULL AND NEW.matching_due_at > now());
	RETURN NULL;
END $$;
CREATE TRIGGER drill AFTER UPDATE ON document FOR EACH ROW
WHEN ((OLD.matching_status, OLD.matching_attempts, OLD.matching_lease_until, OLD.matching_published_at,
		OLD.normalized_counterparty, OLD.normalized_references, OLD.match_keys)
	IS DISTINCT FROM
	(NEW.matching_status, NEW.matching_attempts, NEW.matching_lease_until, NEW.matching_published_at,
		NEW.normalized_counterparty, NEW.normalized_references, NEW.match_keys))
EXECUTE FUNCTION drill.note_change();

CREATE FUNCTION drill.note_edge() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO drill.edge VALUES (txid_current(), TG_RELNAME, current_setting('application_name'))
		ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;
CREATE TRIGGER drill AFTER INSERT OR UPDATE OR DELETE ON document_match
	FOR EACH ROW EXECUTE FUNCTION drill.note_edge();
CREATE TRIGGER drill AFTER INSERT OR UPDATE OR DELETE ON match_suggestion
	FOR EACH ROW EXECUTE FUNCTION drill.note_edge();
CREATE TRIGGER drill AFTER INSERT OR UPDATE OR DELETE ON match_pair
	FOR EACH ROW EXECUTE FUNCTION drill.note_edge();

CREATE FUNCTION drill.note_answer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO drill.answer VALUES (NEW.id, pg_catalog.clock_timestamp(), current_setting('application_name'));
	RETURN NULL;
END $$;
CREATE TRIGGER drill AFTER INSERT ON model_answer FOR EACH ROW EXECUTE FUNCTION drill.note_answer()`

// roleSQL creates the functions' role. A fail-over can make it read-only while the drill still
// writes.
const roleSQL = `
DO $$ BEGIN CREATE ROLE app LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT ALL ON ALL TABLES IN SCHEMA public TO app;
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO app`

// change is a row of the audit.
type change struct {
	N             int64
	At            time.Time // real
	Clock         time.Time // the stack's
	Tx            int64
	Process       string // application_name of the process
	Document      uuid.UUID
	Was, Status   string
	WasAttempt    int
	Attempt       int
	WasLease      *time.Time
	WasPublished  *time.Time
	Published     *time.Time
	Contents      bool // the normalized contents changed
	Error         *string
	Parked        bool // for a service that is away, without a message
	PublishedAnew bool // the stamp changed
}

const changesSQL = `
SELECT n, at, clock, tx, process, document, was, status, was_attempt, attempt,
	was_lease, was_published, published, contents, error, coalesce(parked, false), published IS DISTINCT FROM was_published
FROM drill.change ORDER BY n`

// edgesSQL lists transactions with changes to pairs or matches but not to a document's state.
const edgesSQL = `
SELECT tx, min(process), string_agg(relation, ', ' ORDER BY relation) FROM drill.edge
WHERE NOT EXISTS (
	SELECT FROM drill.change AS c WHERE c.tx = edge.tx AND c.was = 'in-progress' AND c.status <> 'in-progress')
GROUP BY tx`

type strayEdges struct {
	Tx                 int64
	Process, Relations string
}

const answersSQL = `
SELECT m.document_id, a.at, a.process, m.answer FROM drill.answer AS a JOIN model_answer AS m USING (id)
WHERE m.unusable = '' ORDER BY a.at`

// answer is a usable answer in storage.
type answer struct {
	Document uuid.UUID
	At       time.Time
	Process  string
	Text     string
}

const documentsSQL = `
SELECT id, tenant_id, coalesce(type::text, ''), coalesce(matching_status, ''), matching_attempts, cluster_id,
	coalesce(matching_error, '')
FROM document`

type row struct {
	ID, Tenant uuid.UUID
	Type       string
	Status     string
	Attempts   int
	Cluster    *uuid.UUID
	Error      string
}

const matchesSQL = `
SELECT m.document_a_id, m.document_b_id, m.confidence || ' by ' || m.decided_by, a.tenant_id, b.tenant_id
FROM document_match AS m JOIN document AS a ON a.id = m.document_a_id JOIN document AS b ON b.id = m.document_b_id`

type edge struct {
	A, B             uuid.UUID
	How              string
	TenantA, TenantB uuid.UUID
}

const notificationsSQL = `
SELECT n.document_id, n.attempt, n.kind, coalesce(d.status, 'pending')
FROM notification AS n LEFT JOIN notification_delivery AS d ON d.notification_id = n.id AND d.channel = 'slack'
WHERE n.attempt > 0 -- 0 is a warning
ORDER BY n.created_at`

type notification struct {
	Document uuid.UUID
	Attempt  int
	Kind     string
	Delivery string // to Slack
}

// audit is the evidence from the database.
type audit struct {
	changes       []change
	stray         []strayEdges
	answers       []answer
	documents     []row
	matches       []edge
	notifications []notification
}

func readAudit(ctx context.Context, db *pgxpool.Pool) (a *audit, err error) {
	a = &audit{}
	for _, read := range []func() error{
		func() error { a.changes, err = rows[change](ctx, db, changesSQL); return err },
		func() error { a.stray, err = rows[strayEdges](ctx, db, edgesSQL); return err },
		func() error { a.answers, err = rows[answer](ctx, db, answersSQL); return err },
		func() error { a.documents, err = rows[row](ctx, db, documentsSQL); return err },
		func() error { a.matches, err = rows[edge](ctx, db, matchesSQL); return err },
		func() error { a.notifications, err = rows[notification](ctx, db, notificationsSQL); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func rows[T any](ctx context.Context, db *pgxpool.Pool, sql string) ([]T, error) {
	found, _ := db.Query(ctx, sql)
	return pgx.CollectRows(found, pgx.RowToStructByPos[T])
}

// links returns the matches by their documents.
func (a *audit) links() map[corpus.Pair]string {
	links := map[corpus.Pair]string{}
	for _, m := range a.matches {
		links[corpus.PairOf(m.A, m.B)] = m.How
	}
	return links
}
