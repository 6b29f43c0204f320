package report

import (
	"context"
	"encoding/json"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Sheet describes to a person how a document was read, from which pages of its file, and why
// somebody must look.
type Sheet struct {
	File    uuid.UUID // ingestion of the whole file; zero: the document came in none
	Path    string    // key of the file
	Status  string    // job_status of the file; empty for NULL
	Error   string
	Pages   []int           // of the document, from 1; nil: all
	Of      int             // pages of the file; 0: unknown
	Fields  json.RawMessage // by path: value, quote, page, box
	Waits   bool            // for a person
	Reasons []string        // why
	Source  string          // einvoice, rules, or the model's name
	Begins  []int           // pages at which the documents of the file begin
}

const sheetSQL = `
SELECT coalesce(f.id, '00000000-0000-0000-0000-000000000000'), coalesce(f.file_path, ''), coalesce(f.job_status, ''), coalesce(f.error, ''),
	i.pages, coalesce((f.page_account ->> 'pages')::integer, (SELECT max(n) FROM ingestion AS p, unnest(p.pages) AS n
		WHERE p.id = f.id OR p.part_of = f.id), 0),
	coalesce(i.fields, '{}'), coalesce(i.needs_human_review, false), coalesce(i.review_reasons, '{}'), coalesce(i.extraction_model, ''),
	coalesce(f.begins, ARRAY(SELECT DISTINCT p.pages[1] FROM ingestion AS p
		WHERE (p.id = f.id OR p.part_of = f.id) AND p.pages[1] IS NOT NULL ORDER BY 1))
FROM document AS d LEFT JOIN LATERAL (
	SELECT * FROM ingestion WHERE document_id = d.id ORDER BY created_at DESC, id LIMIT 1
) AS i ON true LEFT JOIN ingestion AS f ON f.id = coalesce(i.part_of, i.id)
WHERE d.id = $1`

// Sheet reads the sheet of an existing document.
func (r Reader) Sheet(ctx context.Context, document uuid.UUID) (Sheet, error) {
	found, err := postgres.Find[Sheet](ctx, r.db, sheetSQL, document)
	if found == nil {
		return Sheet{}, err
	}
	return *found, nil
}
