package matches

import (
	"matchbook/lambda/job"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// identitiesSQL lists the identities of a supplier's name, one a line: the VAT id, if the name
// appears with exactly one VAT id and that one with another name as well; and a pair of names
// for each name that a person confirmed with it. A document that prints a VAT id has that one.
// The labels and articles taught about the name come with them, labels first, and the habits with
// their first sources, so that more of the same change nothing.
// Identities are computed from the documents' rows each time, so that the order of arrival
// makes no difference.
const identitiesSQL = `
	(SELECT coalesce(string_agg(identity, E'\n' ORDER BY identity), '') FROM (
		SELECT sole.vat_id AS identity
		FROM (SELECT min(vat_id) AS vat_id FROM party_name
			WHERE tenant_id = own.tenant_id AND name = own.name AND vat_id <> ''
			HAVING min(vat_id) = max(vat_id)) AS sole
		WHERE own.vat_id = '' AND own.name <> '' AND (SELECT min(name) <> own.name OR max(name) <> own.name
			FROM party_name WHERE tenant_id = own.tenant_id AND vat_id = sole.vat_id AND vat_id <> '')
		UNION ALL
		(SELECT DISTINCT least(mine.name, other.name) || '=' || greatest(mine.name, other.name) AS identity
		FROM party_name AS mine JOIN party_name AS other ON other.document_id = ANY (mine.confirmed)
		WHERE mine.tenant_id = own.tenant_id AND mine.name = own.name AND mine.confirmed <> '{}'
			AND own.name <> '' AND other.name NOT IN ('', own.name)
		ORDER BY identity LIMIT 8)
		UNION ALL
		(SELECT fact COLLATE "C" AS identity FROM (
			SELECT fact, count(*) OVER (PARTITION BY split_part(fact, '` + score.HabitSource + `', 1)) AS times,
				row_number() OVER (PARTITION BY split_part(fact, '` + score.HabitSource + `', 1) ORDER BY fact COLLATE "C") AS place
			FROM (SELECT DISTINCT fact FROM taught_fact
				WHERE tenant_id = own.tenant_id AND supplier = own.name AND own.name <> '') AS each) AS counted
		WHERE NOT starts_with(fact, '` + score.HabitPrefix + `') OR times >= ` + score.HabitFrom + ` AND place <= ` + score.HabitFrom + `
		ORDER BY starts_with(fact, 'label:') DESC, identity LIMIT 200)
	) AS known)`

// knownColumn is score.Raw.Known.
const knownColumn = `
	coalesce((SELECT ` + identitiesSQL + ` FROM party_name AS own WHERE own.document_id = id), '')`

// namingSQL stores the documents' supplier names, their VAT ids, and the identities used for
// matching. It returns the names and VAT ids before, and whether other documents' identities
// may have changed.
const namingSQL = `
WITH named AS (
	SELECT * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS n (id, name, vat_id, known)
), put AS (
	INSERT INTO party_name AS old (document_id, tenant_id, name, vat_id, confirmed, matched_as)
	SELECT id, $1, name, vat_id, '{}', known FROM named ORDER BY id
	ON CONFLICT (document_id) DO UPDATE SET name = excluded.name, vat_id = excluded.vat_id, matched_as = excluded.matched_as
	WHERE (old.name, old.vat_id, old.matched_as) <> (excluded.name, excluded.vat_id, excluded.matched_as)
)
SELECT coalesce(old.name, ''), coalesce(old.vat_id, ''), CASE WHEN old.document_id IS NULL
	THEN named.vat_id <> '' AND NOT EXISTS (SELECT FROM party_name AS p
		WHERE p.tenant_id = $1 AND p.name = named.name AND p.vat_id = named.vat_id)
	ELSE (old.name, old.vat_id, old.matched_as) <> (named.name, named.vat_id, named.known) END
FROM named LEFT JOIN LATERAL (SELECT * FROM party_name WHERE document_id = named.id OFFSET 0) AS old ON true`

// confirmedSQL stores, for both sides, documents of other names that a person confirmed as
// matches of these documents.
const confirmedSQL = `
WITH concerned AS (
	SELECT unnest($1::uuid[]) AS id
	UNION SELECT document_b_id FROM match_pair WHERE document_a_id = ANY ($1) AND verdict <> ''
	UNION SELECT document_a_id FROM match_pair WHERE document_b_id = ANY ($1) AND verdict <> ''
), verdict AS (
	SELECT document_a_id AS mine, document_b_id AS other FROM match_pair
	WHERE document_a_id = ANY (ARRAY(SELECT id FROM concerned)) AND verdict = 'confirmed'
	UNION ALL SELECT document_b_id, document_a_id FROM match_pair
	WHERE document_b_id = ANY (ARRAY(SELECT id FROM concerned)) AND verdict = 'confirmed'
), now AS (
	SELECT own.document_id, ARRAY(
		SELECT other.document_id FROM verdict JOIN party_name AS other ON other.document_id = verdict.other
		WHERE verdict.mine = own.document_id AND other.name <> own.name
		ORDER BY other.document_id) AS confirmed
	FROM party_name AS own JOIN concerned ON concerned.id = own.document_id
)
UPDATE party_name AS p SET confirmed = now.confirmed
FROM now
WHERE p.document_id = now.document_id AND p.confirmed <> now.confirmed
RETURNING p.name`

// renamedSQL lists documents matched with other identities of their supplier's name than the
// current ones. The number is bounded, because each publishes the next ones when it's matched.
// Pending documents and ones in progress notice by themselves. OFFSET 0 makes PostgreSQL read
// the documents by name instead of in id order.
const renamedSQL = `
WITH touched AS (
	SELECT unnest($2::text[]) COLLATE "C" AS name
	UNION SELECT name FROM party_name WHERE tenant_id = $1 AND vat_id = ANY ($3) AND vat_id <> ''
	UNION SELECT name FROM party_name
	WHERE document_id = ANY (ARRAY(SELECT unnest(confirmed) FROM party_name WHERE document_id = ANY ($4)))
), own AS (
	SELECT $1::uuid AS tenant_id, name, printed AS vat_id
	FROM touched CROSS JOIN (VALUES (''), ('printed')) AS v (printed)
	WHERE name <> ''
), now AS MATERIALIZED (
	SELECT *, ` + identitiesSQL + ` AS known FROM own
)
SELECT p.document_id
FROM now CROSS JOIN LATERAL (
	SELECT document_id FROM party_name AS p
	WHERE p.tenant_id = $1 AND p.name = now.name AND (p.vat_id = '') = (now.vat_id = '') AND p.matched_as <> now.known
	OFFSET 0) AS p
JOIN document AS d ON d.id = p.document_id
WHERE d.matching_status = 'succeeded'
ORDER BY p.document_id LIMIT 200`

const publishRenamedSQL = publishAgain + `
WHERE id = ANY (ARRAY(` + renamedSQL + `))` + publishedColumns

// renaming is a change to the known names.
type renaming struct {
	tenant    uuid.UUID
	documents []uuid.UUID // with the changed names or verdicts
	matched   []*write    // the documents as matched; none for a verdict
	confirmed bool        // a person decided about a pair of them, now or before
	names     []string    // of suppliers, now and before
	vatIDs    []string
	happened  bool // identities may have changed
	teaches   bool // so may the taught facts of these documents' suppliers
}

// queue stores the documents' names, and the ones a person confirmed with them. Other
// documents' identities may change with that; queuePublish finds them.
func (r *renaming) queue(batch *pgx.Batch) {
	var names, vatIDs, known []string
	for _, w := range r.matched {
		names, vatIDs, known = append(names, w.n.Naming.Name), append(vatIDs, w.n.Naming.VATID), append(known, w.n.Known)
	}
	r.names, r.vatIDs = append(r.names, names...), append(r.vatIDs, vatIDs...)
	if len(r.matched) > 0 {
		var name, vatID string
		var changed bool
		batch.Queue(namingSQL, r.tenant, r.documents, names, vatIDs, known).Query(postgres.Each([]any{&name, &vatID, &changed}, func() {
			r.names, r.vatIDs, r.happened = append(r.names, name), append(r.vatIDs, vatID), r.happened || changed
		}))
	}
	var name string
	concerned := postgres.Each([]any{&name}, func() { r.names, r.happened = append(r.names, name), true })
	if r.teaches {
		batch.Queue(taughtNamesSQL, r.documents).Query(concerned)
	}
	if r.confirmed {
		batch.Queue(confirmedSQL, r.documents).Query(concerned)
	}
}

// queuePublish publishes the documents matched with other identities.
func (r *renaming) queuePublish(batch *pgx.Batch, published *[]job.Stamped) {
	if r.happened {
		queuePublish(batch, published, publishRenamedSQL, r.tenant, r.names, r.vatIDs, r.documents)
	}
}
