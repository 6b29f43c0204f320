package matches

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
)

// Unread counts documents that share a key with a document but were never compared with it,
// because nearer ones come first.
type Unread struct {
	Key       string `json:"key"` // its kind: ref, amount, item, period, who
	Documents int    `json:"documents"`
	More      bool   `json:"more,omitempty"` // there are more: counting stops at 10,000
}

// unreadSQL counts when a person asks, so that a search doesn't pay for it. It skips the kinds
// own and cit, which come with a ref.
const unreadSQL = `
WITH reached AS MATERIALIZED (` + reachedRows + `), sharing AS (
	SELECT kind, document_id, found FROM ` + wantedRows + `
	JOIN unnest($2::uuid[], $13::text[]) AS named (key, kind) USING (key) CROSS JOIN LATERAL (
		SELECT document_id, count(*) OVER () AS found FROM (
			SELECT document_id FROM document_key AS has
			WHERE has.key = wanted.key AND has.day BETWEEN first AND last LIMIT 10001) AS counted
	) AS those
	WHERE kind NOT IN ('own', 'cit')
)
SELECT kind, count(DISTINCT document_id), bool_or(found > 10000)
FROM sharing CROSS JOIN (` + itsRows + `) AS its CROSS JOIN LATERAL (SELECT document_id AS id) AS picked` + othersRows + `
WHERE picked.id <> its.id AND picked.id NOT IN (SELECT id FROM reached) AND picked.id NOT IN (SELECT id FROM (` + keptRows + `) AS kept)
GROUP BY kind ORDER BY kind`

// Unread counts the documents that share a key with a document but are out of its reach, by
// kind of key. It returns nil for unreadable data.
func (m *Store) Unread(ctx context.Context, raw score.Raw) ([]Unread, error) {
	d, err := score.Read(raw)
	if err != nil {
		return nil, nil //nolint:nilerr // the document has failed, and shows why
	}
	var s search
	s.add(raw.ID, d.Normalized(), score.Matchable(raw.Type))
	return postgres.Rows[Unread](ctx, m.db, unreadSQL, s.args(s.kinds)...)
}

// sharing describes documents by the kind of their common key (see keys.go in score).
var sharing = map[string]string{
	"ref":    "with a common number",
	"amount": "of the same company with an equal amount",
	"item":   "of the same company with an equal item",
	"period": "of the same company with the same period",
	"who":    "of the same company from about the same time",
}

// UnreadWords returns a sentence for people, or "" for an empty list.
func UnreadWords(list []Unread) string {
	var parts []string
	for _, u := range list {
		more, words := "", sharing[u.Key]
		if u.More {
			more = "more than "
		}
		words = cmp.Or(words, "with another common key")
		parts = append(parts, fmt.Sprintf("%s%d %s", more, u.Documents, words))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Documents not compared, because others are nearer in time: " + strings.Join(parts, ", ") + "."
}
