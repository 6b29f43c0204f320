package matches

import (
	"context"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// lessons lists the facts that a confirmation teaches, such as articles (score.Lessons), each
// about the names of the supplier on both documents.
func (w *word) lessons() (suppliers, facts []string) {
	if w.Verdict != rules.Confirmed {
		return nil, nil
	}
	first, second := w.raws[0], w.raws[1]
	first.Known, second.Known = "", "" // a lesson must not depend on earlier ones
	a, err1 := score.Read(first)
	b, err2 := score.Read(second)
	if err1 != nil || err2 != nil {
		return nil, nil
	}
	names := map[string]bool{a.Naming().Name: true, b.Naming().Name: true}
	delete(names, "")
	for _, fact := range score.Lessons(a, b) {
		for name := range names {
			suppliers, facts = append(suppliers, name), append(facts, fact)
		}
	}
	return suppliers, facts
}

// Statements about the lessons of a pair.
const (
	unteachFactsSQL = `
DELETE FROM taught_fact WHERE document_a_id = $1 AND document_b_id = $2`
	teachFactsSQL = `
INSERT INTO taught_fact (document_a_id, document_b_id, tenant_id, supplier, fact)
SELECT $1, $2, tenant_id, l.supplier, l.fact FROM document, unnest($3::text[], $4::text[]) AS l (supplier, fact) WHERE id = $1`
	// taughtNamesSQL lists the suppliers' names of documents after a decision about them, because
	// it may have taught something or withdrawn it.
	taughtNamesSQL = `
SELECT name FROM party_name WHERE document_id = ANY ($1) AND name <> ''`
)

// teach replaces what the pair taught before.
func (w *word) teach(batch *pgx.Batch) {
	a, b := w.pair[0], w.pair[1]
	batch.Queue(unteachFactsSQL, a, b)
	if suppliers, facts := w.lessons(); len(facts) > 0 {
		batch.Queue(teachFactsSQL, a, b, suppliers, facts)
	}
}

// TaughtFact is a lesson of a confirmed match.
type TaughtFact struct {
	ID       string // begins with m, unlike the numbers of corrections' rules
	Fact     string // see score.Lesson
	Supplier string // its names
	Person   string
	At       time.Time
}

const factIDSQL = `'m' || left(md5(concat(document_a_id, document_b_id, fact)), 9)`

const taughtFactsSQL = `
SELECT ` + factIDSQL + `, fact, string_agg(supplier, ', ' ORDER BY supplier), max(last.decided_by), max(last.decided_at)
FROM taught_fact JOIN LATERAL (SELECT decided_by, decided_at FROM decision AS d
	WHERE (d.document_a_id, d.document_b_id) = (taught_fact.document_a_id, taught_fact.document_b_id)
	ORDER BY d.id DESC LIMIT 1) AS last ON true
WHERE tenant_id = $1 GROUP BY document_a_id, document_b_id, fact ORDER BY max(last.decided_at), fact COLLATE "C"`

// TaughtFacts lists what confirmed matches taught a tenant, the oldest first.
func (m *Store) TaughtFacts(ctx context.Context, tenant uuid.UUID) (all []TaughtFact, err error) {
	return postgres.Rows[TaughtFact](ctx, m.db.Steady(), taughtFactsSQL, tenant)
}

const forgetFactSQL = `
DELETE FROM taught_fact WHERE tenant_id = $1 AND ` + factIDSQL + ` = $2 RETURNING supplier`

// ForgetFact removes what a confirmed match taught a tenant, and reports whether there was
// anything. The match stays confirmed. The supplier's documents are published; the caller must
// send the messages.
func (m *Store) ForgetFact(ctx context.Context, tenant uuid.UUID, id string) (found bool, published []job.Stamped, err error) {
	err = m.db.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, postgres.AwaitTurnSQL, tenant); err != nil {
			return err
		}
		r := &renaming{tenant: tenant}
		if r.names, err = postgres.RowsBy(ctx, tx, pgx.RowTo[string], forgetFactSQL, tenant, id); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		published, found = nil, len(r.names) > 0
		r.happened = found
		r.queuePublish(batch, &published)
		return tx.SendBatch(ctx, batch).Close()
	})
	return found, published, err
}
