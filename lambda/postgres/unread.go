package postgres

import (
	"context"
	"fmt"
	"strings"

	"matchbook/lambda/score"

	"github.com/jackc/pgx/v5"
)

// Unread is a number of documents that share a key with a document and were never
// compared with it: nearer ones come first.
type Unread struct {
	Key       string `json:"key"` // its kind: ref, amount, item, period, who
	Documents int    `json:"documents"`
	More      bool   `json:"more,omitempty"` // there are more: a common key is counted to 10,000
}

// unreadSQL has the parameters of reachedRows. It counts when a person asks, so that
// a search does not pay for it.
const unreadSQL = `
SELECT split_part(k, '|', 2) AS kind, count(DISTINCT id), bool_or(found > 10000)
FROM (` + wantedRows + `) AS wanted CROSS JOIN LATERAL (
	SELECT document_id, count(*) OVER () AS found FROM (
		SELECT document_id FROM document_key AS has
		WHERE has.key = wanted.key AND has.day BETWEEN first AND last LIMIT 10001) AS counted
) AS sharing
JOIN document ON id = document_id
WHERE id <> $1 AND type = ANY ($2::text[]::document_type[]) AND structured_data IS NOT NULL
	AND id NOT IN (` + partnersSQL + `) AND split_part(k, '|', 2) NOT IN ('own', 'cit') -- they are beside a ref
GROUP BY kind ORDER BY kind`

// Unread counts the documents that share a key with a document and are out of reach
// of its search, by kinds of keys. A document without readable data has none.
func (db *DB) Unread(ctx context.Context, raw score.Raw) ([]Unread, error) {
	d, err := score.Read(raw)
	if err != nil {
		return nil, nil //nolint:nilerr // the document has failed, and says why
	}
	rows, _ := db.pool.Query(ctx, unreadSQL, search(raw.ID, score.Matchable(raw.Type), d.Normalized())...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Unread])
}

// sharing describes documents by the kind of their common key (package score, keys.go).
var sharing = map[string]string{
	"ref":    "with a common number",
	"amount": "of the same company with an equal amount",
	"item":   "of the same company with an equal item",
	"period": "of the same company with the same period",
	"who":    "of the same company from about the same time",
}

// UnreadWords is a sentence for people; empty if there are none.
func UnreadWords(list []Unread) string {
	var parts []string
	for _, u := range list {
		more, words := "", sharing[u.Key]
		if u.More {
			more = "more than "
		}
		if words == "" {
			words = "with another common key"
		}
		parts = append(parts, fmt.Sprintf("%s%d %s", more, u.Documents, words))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not looked at, because others are nearer in time: " + strings.Join(parts, ", ") + "."
}
