package ingestions

import (
	"context"
	"encoding/json"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const taughtColumns = `id, field, keys, source, taught_at, place`

const taughtSQL = `
SELECT ` + taughtColumns + ` FROM taught
WHERE tenant_id = $1 AND keys && $3 AND (forgotten_at IS NULL OR forgotten_for = $2) ORDER BY taught_at DESC, id DESC`

// Taught implements ingest.Store.
func (s *Store) Taught(ctx context.Context, tenantID, documentID uuid.UUID, keys []string) (rules []taught.Rule, err error) {
	return postgres.RowsBy(ctx, s.db.Steady(), ruleOf, taughtSQL, tenantID, documentID, keys)
}

func ruleOf(row pgx.CollectableRow) (r taught.Rule, err error) {
	return r, row.Scan(&r.ID, &r.Field, &r.Keys, &r.Source, &r.At, &r.Place)
}

const forgottenSQL = `
UPDATE taught SET forgotten_at = now(), forgotten_for = $2, forgotten_why = $3 WHERE id = $1 AND forgotten_at IS NULL`

// Statements of teach.
const (
	learnFromSQL = `
SELECT coalesce(d.type::text, ''), coalesce(d.structured_data, '{}'), i.printed_lines, coalesce(i.extraction_model, '') = 'einvoice',
	(SELECT coalesce(jsonb_agg(jsonb_build_object('name', o.name, 'vat_id', o.vat_id) ORDER BY o.name), '[]')
		FROM own_company o WHERE o.tenant_id = d.tenant_id)
FROM document AS d JOIN ingestion AS i ON i.document_id = d.id
WHERE d.id = $1 AND i.status = 'completed' ORDER BY i.completed_at DESC, i.id LIMIT 1`
	unteachSQL = `
DELETE FROM taught WHERE document_id = $1 AND field = $2`
	rivalsSQL = `
SELECT ` + taughtColumns + ` FROM taught
WHERE tenant_id = (SELECT tenant_id FROM document WHERE id = $1) AND field = $2 AND keys && $3`
	replacedSQL = `
DELETE FROM taught WHERE id = ANY ($1)`
	teachSQL = `
INSERT INTO taught (tenant_id, document_id, field, keys, source, place, taught_by)
SELECT tenant_id, id, $2, $3, $4, $5, $6 FROM document WHERE id = $1`
)

// lesson is a document to learn from.
type lesson struct {
	Type  document.Type
	Data  json.RawMessage
	Lines []taught.Line
	IsXML bool
	Own   []document.Party
}

// teach learns from the corrections of a document's fields, after they're stored, and says for
// each what was learned, and why not. A correction replaces what earlier ones of the field
// taught about the supplier.
func teach(ctx context.Context, tx pgx.Tx, id uuid.UUID, by string, fields []string) (said []taught.Lesson, err error) {
	found, err := postgres.Rows[lesson](ctx, tx, learnFromSQL, id)
	if err != nil || len(found) == 0 || found[0].IsXML {
		return nil, err // not read from a page
	}
	data, _ := document.Parse(found[0].Data) // without data nothing is learned
	doc := taught.Document{Type: found[0].Type, Data: data, Lines: found[0].Lines, Own: found[0].Own}
	for _, field := range fields {
		if !taught.Learns(field) {
			continue
		}
		if _, err := tx.Exec(ctx, unteachSQL, id, field); err != nil {
			return nil, err
		}
		place, keys, why := doc.Learn(field)
		if why == "" {
			err = keep(ctx, tx, id, by, taught.Rule{Field: field, Keys: keys, Source: doc.Name(), Place: place})
		}
		if err != nil {
			return nil, err
		}
		said = append(said, taught.Said(field, place, why))
	}
	return said, nil
}

// keep stores a rule instead of the supplier's earlier ones.
func keep(ctx context.Context, tx pgx.Tx, id uuid.UUID, by string, r taught.Rule) error {
	rivals, err := postgres.RowsBy(ctx, tx, ruleOf, rivalsSQL, id, r.Field, r.Keys)
	if err != nil {
		return err
	}
	var replaced []int64
	for _, other := range rivals {
		if taught.Same(other, r) {
			replaced = append(replaced, other.ID)
		}
	}
	if _, err := tx.Exec(ctx, replacedSQL, replaced); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, teachSQL, id, r.Field, r.Keys, r.Source, r.Place, by)
	return err
}

// TaughtRow is a rule of a tenant with its history.
type TaughtRow struct {
	taught.Rule
	Person       string
	ForgottenAt  time.Time // zero: in use
	ForgottenWhy string
}

const listTaughtSQL = `
SELECT ` + taughtColumns + `, taught_by, coalesce(forgotten_at, '0001-01-01'), coalesce(forgotten_why, '') FROM taught
WHERE tenant_id = $1 ORDER BY id`

// ListTaught lists what corrections taught a tenant, the oldest first.
func (s *Store) ListTaught(ctx context.Context, tenantID uuid.UUID) (all []TaughtRow, err error) {
	return postgres.RowsBy(ctx, s.db.Steady(), func(row pgx.CollectableRow) (r TaughtRow, err error) {
		return r, row.Scan(&r.ID, &r.Field, &r.Keys, &r.Source, &r.At, &r.Place, &r.Person, &r.ForgottenAt, &r.ForgottenWhy)
	}, listTaughtSQL, tenantID)
}

const forgetSQL = `DELETE FROM taught WHERE tenant_id = $1 AND id = $2`

// Forget removes a rule of a tenant, and reports whether there was one.
func (s *Store) Forget(ctx context.Context, tenantID uuid.UUID, id int64) (found bool, err error) {
	return s.db.Steady().Changes(ctx, forgetSQL, tenantID, id)
}
