package report

import (
	"context"
	"strings"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Views lists the views other programs may depend on (migrations 00026 and 00030), without
// their prefix.
var Views = []string{"match", "open_question", "cluster", "document_state", "three_way", "decision"}

const columnsSQL = `
SELECT * FROM matchbook_{view} LIMIT 0`

// exportSQL reads a view of one tenant, or of all for the zero id.
const exportSQL = `
SELECT {row} FROM (
	SELECT * FROM matchbook_{view}
	WHERE $1 = '00000000-0000-0000-0000-000000000000'::uuid OR tenant_id = $1
	ORDER BY 1, 2, 3, 4
) AS line`

// Export reads a view row by row: first the names of its columns, then each row as text, empty
// for NULL. An error of row ends it.
func (r Reader) Export(ctx context.Context, view string, tenant uuid.UUID, row func([]string) error) error {
	var names, texts []string
	err := postgres.Read(ctx, r.db, func(rows pgx.Rows) error {
		for _, f := range rows.FieldDescriptions() {
			names, texts = append(names, f.Name), append(texts, "coalesce("+f.Name+"::text, '')")
		}
		return nil
	}, strings.ReplaceAll(columnsSQL, "{view}", view))
	if err != nil {
		return err
	}
	if err := row(names); err != nil {
		return err
	}
	return export(ctx, r, "ARRAY["+strings.Join(texts, ", ")+"]", view, tenant, row)
}

// ExportJSON reads a view row by row, each as a JSON object. An error of row ends it.
func (r Reader) ExportJSON(ctx context.Context, view string, tenant uuid.UUID, row func(string) error) error {
	return export(ctx, r, "row_to_json(line)::text", view, tenant, row)
}

func export[T any](ctx context.Context, r Reader, expression, view string, tenant uuid.UUID, row func(T) error) error {
	sql := strings.NewReplacer("{row}", expression, "{view}", view).Replace(exportSQL)
	b := &pgx.Batch{}
	b.Queue(sql, tenant).Query(func(rows pgx.Rows) error {
		var value T
		_, err := pgx.ForEachRow(rows, []any{&value}, func() error { return row(value) })
		return err
	})
	return r.db.SendBatch(ctx, b).Close() // once, because row has side effects
}
