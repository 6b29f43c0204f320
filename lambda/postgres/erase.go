package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// TenantDigestSQL names an erased tenant without its id, the parameter $1.
const TenantDigestSQL = `sha256(convert_to($1::uuid::text, 'UTF8'))`

// Erasure selects what is erased: documents of a tenant, or all of the tenant without any.
type Erasure struct {
	Tenant    uuid.UUID
	Documents []uuid.UUID
}

// TableRows counts rows of a table.
type TableRows struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// Batches of Erase: documents, each with its rows in one transaction, and rows of a table.
const eraseDocuments, eraseRows = 200, 10_000

// erasePasses bounds the passes over the tables. Each deletes what was added since the last one.
const erasePasses = 20

// ErrStillAdded reports a tenant that got new rows while it was erased.
var ErrStillAdded = errors.New("rows of the tenant are still being added: stop the programs that add them, and run it again")

const fileDocumentsSQL = `
SELECT d.tenant_id, ARRAY(
	SELECT d.id UNION SELECT other.document_id FROM ingestion AS own
	JOIN ingestion AS other ON coalesce(other.part_of, other.id) = coalesce(own.part_of, own.id)
	WHERE own.document_id = d.id ORDER BY 1)
FROM document AS d WHERE d.id = $1`

// ErasureOf returns the erasure of a document with all documents of its file, because the file
// and its text have them all. It returns job.ErrNotFound for an unknown id.
func (db *DB) ErasureOf(ctx context.Context, document uuid.UUID) (Erasure, error) {
	return First[Erasure](ctx, db.Steady(), fileDocumentsSQL, document)
}

// Erasable counts the rows that Erase would delete. Rows that follow a document count in no
// table, as in document_key.
func (db *DB) Erasable(ctx context.Context, e Erasure) (list []TableRows, err error) {
	for _, t := range erasables {
		where := t.where(e)
		if where == "" {
			continue
		}
		n, err := Value[int64](ctx, db, "SELECT count(*) FROM "+t.table+" WHERE "+where, e.args())
		if err != nil {
			return nil, fmt.Errorf("count rows of %s: %w", t.table, err)
		}
		if n > 0 {
			list = append(list, TableRows{t.table, n})
		}
	}
	return list, nil
}

// where returns the condition of the rows to delete, empty if the table has none.
func (t erasable) where(e Erasure) string {
	if e.Documents != nil {
		return t.document
	}
	if t.tenant != "" {
		return t.tenant
	}
	return strings.ReplaceAll(t.document, "@documents", "ARRAY(SELECT id FROM document WHERE tenant_id = @tenant)")
}

func (e Erasure) args() pgx.NamedArgs {
	return pgx.NamedArgs{"tenant": e.Tenant, "documents": e.Documents}
}

// Recluster computes the clusters of documents that were matched with erased ones:
// matches.Recluster.
type Recluster func(ctx context.Context, tx pgx.Tx, documents []uuid.UUID) error

// TurnKey is the key of the lock of the tenant $1. Whoever writes matches, or deletes their
// documents, holds it (turn.go in package matches).
const TurnKey = `hashtextextended('match:' || $1::text, 0)`

// AwaitTurnSQL waits for the lock of the tenant $1.
const AwaitTurnSQL = `SELECT pg_advisory_xact_lock(` + TurnKey + `)`

// Erase deletes rows. Work in progress on them loses its fence, so it writes nothing more. Rows
// of documents go in one transaction, which reclusters and publishes the documents
// compared with them; the caller must send the messages. A whole tenant goes in batches, the
// tenant last: after an interruption, run it again. note is called after each batch.
func (db *DB) Erase(ctx context.Context, e Erasure, recluster Recluster, note func(TableRows)) ([]job.Stamped, error) {
	if e.Documents != nil {
		return db.eraseDocuments(ctx, e, recluster, note)
	}
	for range erasePasses {
		n, err := db.erasePass(ctx, e.Tenant, note)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			continue
		}
		if gone, err := db.eraseTenant(ctx, e.Tenant, note); gone || err != nil {
			return nil, err
		}
	}
	return nil, ErrStillAdded
}

const neighbourSQL = `
SELECT id FROM document WHERE tenant_id = @tenant AND id <> ALL (@documents) AND matching_status IS NOT NULL AND id IN (
	SELECT unnest(ARRAY[document_a_id, document_b_id]) FROM match_pair WHERE ` + ofPair + `
	UNION SELECT unnest(ARRAY[document_a_id, document_b_id]) FROM document_match WHERE ` + ofPair + `
	UNION SELECT unnest(ARRAY[document_a_id, document_b_id]) FROM match_suggestion WHERE ` + ofPair + `
	UNION SELECT unnest(ARRAY[document_id, other_document_id]) FROM document_warning WHERE ` + ofWarning + `
	UNION SELECT document_id FROM three_way_match WHERE ` + comparisonsOfDocument + `)
ORDER BY id`

func (db *DB) eraseDocuments(
	ctx context.Context, e Erasure, recluster Recluster, note func(TableRows),
) (stamped []job.Stamped, err error) {
	var deleted []TableRows
	stamped, err = Within(ctx, db, func(tx pgx.Tx) ([]job.Stamped, error) {
		if _, err := tx.Exec(ctx, AwaitTurnSQL, e.Tenant); err != nil {
			return nil, err
		}
		neighbours, err := IDs(ctx, tx, neighbourSQL, e.args())
		if err != nil {
			return nil, err
		}
		if deleted, err = deleteDocuments(ctx, tx, e); err != nil {
			return nil, err
		}
		if err := recluster(ctx, tx, neighbours); err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, forgetRowsSQL); err != nil {
			return nil, err
		}
		return db.PublishIn(ctx, tx, neighbours)
	})
	for _, n := range deleted {
		note(n)
	}
	return stamped, err
}

// deleteDocuments deletes documents with all rows about them.
func deleteDocuments(ctx context.Context, tx pgx.Tx, e Erasure) (deleted []TableRows, err error) {
	if _, err := tx.Exec(ctx, `SELECT event_lock($1)`, e.Documents); err != nil { // as every writer, in id order
		return nil, err
	}
	for _, t := range erasables {
		if t.document == "" {
			continue
		}
		tag, err := tx.Exec(ctx, "DELETE FROM "+t.table+" WHERE "+t.document, e.args())
		if err != nil {
			return nil, fmt.Errorf("delete rows of %s: %w", t.table, err)
		}
		deleted = append(deleted, TableRows{t.table, tag.RowsAffected()})
	}
	for _, sql := range scrubs {
		if _, err := tx.Exec(ctx, sql, e.args()); err != nil {
			return nil, err
		}
	}
	return deleted, nil
}

// erasePass deletes the tenant's rows of all tables, but not the tenant, and returns their number.
func (db *DB) erasePass(ctx context.Context, tenant uuid.UUID, note func(TableRows)) (total int64, err error) {
	for _, t := range erasables {
		next := func() (int64, error) { return db.eraseBatch(ctx, t, tenant, note) }
		switch {
		case t.table == "tenant":
			continue
		case t.table == "document":
			next = func() (int64, error) { return db.eraseNext(ctx, tenant, note) }
		case t.tenant == "":
			continue // with the documents
		}
		for {
			n, err := next()
			if err != nil {
				return total, fmt.Errorf("delete rows of %s: %w", t.table, err)
			}
			if total += n; n == 0 {
				break
			}
		}
	}
	return total, nil
}

func (db *DB) eraseBatch(ctx context.Context, t erasable, tenant uuid.UUID, note func(TableRows)) (n int64, err error) {
	some := fmt.Sprintf("SELECT ctid FROM %s WHERE %s LIMIT %d", t.table, t.tenant, eraseRows)
	sql := "DELETE FROM " + t.table + " WHERE ctid = ANY (ARRAY(" + some + "))"
	n, err = db.pool.changed(ctx, sql, pgx.NamedArgs{"tenant": tenant})
	if err == nil {
		note(TableRows{t.table, n})
	}
	return n, err
}

const someDocumentsSQL = `
SELECT id FROM document WHERE tenant_id = $1 ORDER BY id LIMIT $2`

// eraseNext deletes some documents of the tenant.
func (db *DB) eraseNext(ctx context.Context, tenant uuid.UUID, note func(TableRows)) (n int64, err error) {
	deleted, err := Within(ctx, db, func(tx pgx.Tx) ([]TableRows, error) {
		if _, err := tx.Exec(ctx, AwaitTurnSQL, tenant); err != nil {
			return nil, err
		}
		ids, err := IDs(ctx, tx, someDocumentsSQL, tenant, eraseDocuments)
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		return deleteDocuments(ctx, tx, Erasure{tenant, ids})
	})
	for _, d := range deleted {
		note(d)
		n += d.Rows
	}
	return n, err
}

const rememberErasedSQL = `
INSERT INTO erased_tenant (digest, erased_at) VALUES (` + TenantDigestSQL + `, now())
ON CONFLICT (digest) DO UPDATE SET erased_at = now()`

// eraseTenant deletes the tenant itself, unless it has got rows since.
func (db *DB) eraseTenant(ctx context.Context, tenant uuid.UUID, note func(TableRows)) (gone bool, err error) {
	var deleted int64
	err = db.InTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM tenant WHERE id = $1`, tenant)
		deleted = tag.RowsAffected()
		if err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, rememberErasedSQL, tenant); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, forgetRowsSQL)
		return err
	})
	if stateOf(err) == "23503" { // a document came
		return false, nil
	}
	if err == nil {
		note(TableRows{"tenant", deleted})
	}
	return err == nil, err
}

// ErasedFiles are the files of an erasure, as keys of the blob store.
type ErasedFiles struct {
	Prefixes []string // of keys
	Keys     []string // whole ones
	// Running is the time until the last attempt ends that has a claim. Until then it may still
	// write a file or a model's answer, so erase once more afterwards.
	Running time.Duration
}

const erasedFilesSQL = `
WITH doc AS (SELECT id FROM document WHERE tenant_id = $1 AND ($2::uuid[] IS NULL OR id = ANY ($2))),
ing AS (SELECT * FROM ingestion WHERE document_id IN (SELECT id FROM doc))
SELECT ARRAY(SELECT 'documents/' || id || '.' FROM doc UNION ALL SELECT 'ingestions/' || id || '/' FROM ing ORDER BY 1),
	ARRAY(SELECT DISTINCT file_path FROM ing
		WHERE file_path LIKE 'documents/%' OR file_path LIKE 'inbox/' || $1::uuid || '/%' ORDER BY 1),
	greatest(interval '0', (SELECT max(until) FROM (
		SELECT matching_lease_until AS until FROM document WHERE id IN (SELECT id FROM doc) AND matching_status = 'in-progress'
		UNION ALL SELECT lease_until FROM ing WHERE job_status = 'in-progress'
		UNION ALL SELECT lease_until FROM review_chunk WHERE status = 'in-progress' AND job_id IN (
			SELECT id FROM review_job WHERE tenant_id = $1 AND document_id IN (SELECT id FROM doc))) AS lease) - now())`

// ErasedFiles returns the files of an erasure. Call it before Erase, which deletes their names.
func (db *DB) ErasedFiles(ctx context.Context, e Erasure) (ErasedFiles, error) {
	return First[ErasedFiles](ctx, db.Steady(), erasedFilesSQL, e.Tenant, e.Documents)
}
