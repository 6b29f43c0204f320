package postgres

import (
	"matchbook/lambda/document"
	"matchbook/lambda/score"

	"github.com/google/uuid"
)

// search returns the parameters of reachedRows.
func search(id uuid.UUID, types []document.Type, n score.Normalized) []any {
	return []any{id, types, n.Lookup, n.Window.Company, n.Window.Days, n.Window.From, n.Window.To}
}

// The keys of a document are rows of document_key (migration 00023 and its trigger),
// ordered by the document's day and id. A document reaches the 50 nearest on each side
// under each key, so that the cost of a search does not grow with the documents of a
// tenant. Both ends of a pair see each other at the same distance: they reach each
// other, or neither does. Later documents may come between the two. Then their write
// deletes the pair (separatedSQL), so that the stored pairs depend on the documents
// only, and not on their order of arrival.
//
// A citation has no such bound: the document reaches those whose number it cites, and
// those that cite its number, of these 2,500 on each side in one search. They find it
// as well when they are matched.
//
// Only this depends on the order of arrival: a citation is missing if more than 2,500
// documents that cite one number on one side of a document were matched before it. And
// where a document is deleted, or has other keys than before, others come into reach of
// each other; their pair is stored when one of them is matched again.

// wantedRows are the keys that a search reads, each from the document's place among
// the documents with it. A common number counts more than any company and month.
// The months of a lookup are those of its window. The arrays are read by subqueries,
// so that their sizes do not change the plan: it is made once, not for each search.
const wantedRows = `
	SELECT k, match_key(tenant_id, k) AS key, coalesce(($5::integer[])[1], 0) AS day, 0 AS first, 99999999 AS last,
		CASE WHEN substr(k, 10, 4) = 'ref|' THEN 100 ELSE 1 END AS weight,
		CASE WHEN substr(k, 10, 4) = 'cit|' THEN 2500 ELSE 50 END AS most
	FROM (SELECT tenant_id FROM document WHERE id = $1) AS itself, unnest((SELECT $3::text[])) AS k
	WHERE k NOT LIKE '________|month|%'
	UNION ALL
	SELECT k, match_key(tenant_id, k), day, $6::integer, $7::integer, 1, 50
	FROM (SELECT tenant_id FROM document WHERE id = $1) AS itself, unnest((SELECT $4::text[])) AS k,
		unnest((SELECT $5::integer[])) AS day`

// nearestOfEach joins to each wanted key the nearest documents before the document's
// place and the nearest after it, in the order of days and ids.
const nearestOfEach = ` CROSS JOIN LATERAL (
			(SELECT document_id FROM document_key AS k
			WHERE k.key = wanted.key AND (k.day, k.document_id) < (wanted.day, $1) AND k.day >= first
			ORDER BY k.day DESC, k.document_id DESC LIMIT most)
			UNION ALL
			(SELECT document_id FROM document_key AS k
			WHERE k.key = wanted.key AND (k.day, k.document_id) > (wanted.day, $1) AND k.day <= last
			ORDER BY k.day, k.document_id LIMIT most)
		) AS near`

// sharingRows are the documents that a search reaches.
const sharingRows = `
	SELECT document_id, sum(weight) AS shared FROM (
		SELECT DISTINCT wanted.key, weight, document_id
		FROM (` + wantedRows + `) AS wanted` + nearestOfEach + `
	) AS reached GROUP BY document_id`

// reachedRows is the one rule of which documents with a common key a document is
// scored with. OFFSET 0 has each document read by its id.
const reachedRows = `
	SELECT other.*, shared
	FROM (` + sharingRows + `) AS sharing
	CROSS JOIN LATERAL (SELECT * FROM document WHERE id = document_id OFFSET 0) AS other
	WHERE tenant_id = (SELECT tenant_id FROM document WHERE id = $1) AND id <> $1
		AND type = ANY ($2::text[]::document_type[]) AND structured_data IS NOT NULL`

// nearestRows are those that are held in memory at once.
const nearestRows = reachedRows + `
	ORDER BY shared DESC, id LIMIT 400`

// companyRows are the nearest documents of a company, whatever their contents: 250
// on each side. $2 are its keys, and $3 the days of the document, none if it has no
// date.
const companyRows = `
	SELECT DISTINCT document_id
	FROM (
		SELECT match_key(tenant_id, k) AS key, day, 0 AS first, 99999999 AS last, 250 AS most
		FROM (SELECT tenant_id FROM document WHERE id = $1) AS itself, unnest((SELECT $2::text[])) AS k,
			unnest((SELECT coalesce(nullif($3::integer[], '{}'), '{0}'))) AS day
	) AS wanted` + nearestOfEach
