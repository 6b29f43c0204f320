package matches

import (
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"
)

// keptEvidence is evidence by which documents find each other however many lie between them:
// similar texts (see block.go in match), and citations of numbers with a form in common (see
// numberKeys in score).
const keptEvidence = `(evidence @? '$[*] ? (@.name == "alike" || @.name == "revision"
	|| exists(@.cited) && @.name != "cites-weakly")')`

// separatedSQL lists the pairs the document separates: it lies between them under one of its
// keys, and they no longer reach each other by any key. A person's decision keeps a pair, and
// so do similar texts and a citation that is a key. The statement compares places in the lists
// the document reads itself, each list once, because documents that look alike have equal
// lists under all their keys. Only for keys in none of these lists must it count the documents
// in between. A limit unknown to the planner makes it read the lists in index order, however
// few documents it expects.
var separatedSQL = `
WITH own AS (
	SELECT tenant_id, match_keys, ` + daysOf("d") + ` AS days FROM document AS d WHERE id = $1
), around AS MATERIALIZED (
	SELECT before, after, company, array_agg(text) AS keys
	FROM own CROSS JOIN LATERAL (
		SELECT k AS text, match_key(tenant_id, k) AS key, k LIKE '________|who|%' AS company FROM unnest(match_keys) AS k
		WHERE ` + sharedKey + `
	) AS mine CROSS JOIN LATERAL unnest(CASE WHEN company THEN days ELSE days[1:1] END) AS at
	CROSS JOIN LATERAL (SELECT
		ARRAY(SELECT document_id FROM document_key AS k WHERE k.key = mine.key AND (k.day, k.document_id) < (at, $1)
			ORDER BY k.day DESC, k.document_id DESC LIMIT (SELECT 50)) AS before,
		ARRAY(SELECT document_id FROM document_key AS k WHERE k.key = mine.key AND (k.day, k.document_id) > (at, $1)
			ORDER BY k.day, k.document_id LIMIT (SELECT 50)) AS after) AS lists
	GROUP BY before, after, company
), typed AS MATERIALIZED (
	SELECT before, ` + typesOf("before") + ` AS before_types, after, ` + typesOf("after") + ` AS after_types
	FROM around WHERE cardinality(before) + cardinality(after) > 50
), apart AS MATERIALIZED (
	SELECT DISTINCT least(l.id, r.id) AS a, greatest(l.id, r.id) AS b
	FROM typed CROSS JOIN unnest(before, before_types) WITH ORDINALITY AS l (id, type, place)
	CROSS JOIN unnest(after, after_types) WITH ORDINALITY AS r (id, type, place)
	WHERE l.place + r.place > 50 AND r.type = ANY (CASE l.type` + matchableTypes() + ` END)
), known AS MATERIALIZED (
	SELECT a, b FROM apart CROSS JOIN LATERAL (
		SELECT FROM match_pair WHERE document_a_id = a AND document_b_id = b AND verdict = ''
			AND NOT evidence @? '$[*] ? (@.name == "alike")' OFFSET 0) AS stored
), dated AS MATERIALIZED (
	SELECT a, b, x.tenant_id, x.match_keys AS keys_a, y.match_keys AS keys_b,
		` + daysOf("x") + ` AS days_a, ` + daysOf("y") + ` AS days_b
	FROM known JOIN document AS x ON x.id = a JOIN document AS y ON y.id = b
), judged AS MATERIALIZED (
	SELECT *, EXISTS (SELECT FROM unnest(days_a) AS x, unnest(days_b) AS y
		WHERE x > 0 AND y > 0 AND abs(x / 10000 * 12 + x / 100 % 100 - y / 10000 * 12 - y / 100 % 100) <= 4) AS in_time
	FROM dated
)
SELECT a, b FROM judged
WHERE NOT EXISTS (SELECT FROM unnest(keys_a) AS k
		WHERE k LIKE '________|own|%' AND overlay(k PLACING 'cit' FROM 10) = ANY (keys_b)
			OR k LIKE '________|cit|%' AND overlay(k PLACING 'own' FROM 10) = ANY (keys_b))
	AND NOT EXISTS (SELECT FROM around WHERE (in_time OR NOT company) AND (
		a = ANY (before) AND b = ANY (before) OR a = ANY (after) AND b = ANY (after)
		OR array_position(before, a) + array_position(after, b) <= 50
		OR array_position(before, b) + array_position(after, a) <= 50))
	AND NOT EXISTS (SELECT FROM unnest(keys_a) AS k
		CROSS JOIN LATERAL unnest(CASE WHEN k LIKE '________|who|%' THEN days_a ELSE days_a[1:1] END) AS x
		CROSS JOIN LATERAL unnest(CASE WHEN k LIKE '________|who|%' THEN days_b ELSE days_b[1:1] END) AS y
		WHERE k = ANY (keys_b) AND ` + sharedKey + ` AND (in_time OR k NOT LIKE '________|who|%')
			AND NOT EXISTS (SELECT FROM around WHERE k = ANY (keys) AND a = ANY (before || after) AND b = ANY (before || after))
			AND (SELECT count(*) FROM (
				SELECT FROM document_key AS other WHERE other.key = match_key(tenant_id, k)
					AND (other.day, other.document_id) > (least(x, y), CASE WHEN (x, a) < (y, b) THEN a ELSE b END)
					AND (other.day, other.document_id) <= (greatest(x, y), CASE WHEN (x, a) < (y, b) THEN b ELSE a END)
				LIMIT 51) AS between_them) <= 50)`

func typesOf(list string) string {
	return `ARRAY(SELECT type FROM unnest(` + list + `) WITH ORDINALITY AS l (id, place)
		CROSS JOIN LATERAL (SELECT type FROM document WHERE document.id = l.id OFFSET 0) AS d ORDER BY place)`
}

// matchableTypes lists the matchable types of each type, as branches of a CASE.
func matchableTypes() (branches string) {
	for _, t := range document.Types {
		var others []string
		for _, other := range score.Matchable(t) {
			others = append(others, "'"+string(other)+"'")
		}
		branches += "\n\t\t\tWHEN '" + string(t) + "' THEN ARRAY[" + strings.Join(others, ", ") + "]::document_type[]"
	}
	return branches
}

// sharedKey holds for a key k that both documents of a pair have.
const sharedKey = `substr(k, 10, 4) NOT IN ('own|', 'cit|', 'day|') AND k NOT LIKE '________|month|%'`

// daysOf are a document's days under the key of its company; under other keys, use the first.
// They must equal the days of match_key_rows (migration 00023).
func daysOf(d string) string {
	return strings.ReplaceAll(`coalesce(
		(SELECT array_agg(replace(substr(k, 14), '-', '')::integer ORDER BY k) FROM unnest(d.match_keys) AS k
			WHERE k LIKE '________|day|____-__-__'),
		(SELECT array_agg(DISTINCT replace(right(k, 7), '-', '')::integer * 100 + 1) FROM unnest(d.match_keys) AS k
			WHERE k LIKE '________|month|%|____-__'), ARRAY[0])`, "d.match_keys", d+".match_keys")
}
