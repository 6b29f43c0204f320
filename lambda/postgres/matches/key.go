package matches

import (
	"crypto/md5" //nolint:gosec // a key is no secret; match_key (migration 00023) is the same function
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// The keys of a document are rows of document_key (migration 00023 and its trigger), ordered
// by the document's day and id. A document reaches the 50 nearest on each side under each key,
// so that the cost of a search doesn't grow with the tenant's documents. Both ends of a pair
// see each other at the same distance, so either both reach each other or neither does. When
// later documents come between the two, their write deletes the pair (separatedSQL), so that
// stored pairs depend on the documents only and not on their order of arrival.
//
// A citation isn't bounded like that if the two numbers have a form in common. A document
// reaches all documents it cites, and in one search up to 2,500 on each side that cite it.
// They find it as well when they are matched.
//
// One thing still depends on the order of arrival: a citation is missing if more than 2,500
// documents citing the same number, on one side of a document, were matched before it. Note
// also that deleting a document or changing its keys brings others into reach of each other;
// their pair is stored when one of them is matched again.

// search holds documents of one tenant and the keys to look up for them, as the columns of
// wantedRows and itsRows.
type search struct {
	tenant uuid.UUID

	own, keys           []uuid.UUID // for each wanted key: the wanting document, and the key's hash
	kinds               []string    // such as ref
	days, firsts, lasts []int32     // the document's place, and the bounds of the search
	weights, most       []int16

	ids           []uuid.UUID // the documents
	types         []string    // matchable ones, separated by commas
	names, vatIDs []string    // of their suppliers
}

// The reach of a key is the number of documents read on each side.
const (
	reach       = 50
	citedReach  = 2500
	similarOnes = 250
)

const (
	firstDay = 0
	lastDay  = 9999_99_99
)

// add adds a document with its lookup keys. A common number counts more than any company and
// month. Months come from the lookup's window.
func (s *search) add(id uuid.UUID, n score.Normalized, types []document.Type) {
	s.its(id, n, types)
	day := int32(0)
	if len(n.Window.Days) > 0 {
		day = n.Window.Days[0]
	}
	for _, key := range n.Lookup {
		switch kind := kindOf(key); kind {
		case "month":
		case "ref":
			s.want(id, key, kind, day, firstDay, lastDay, 100, reach)
		case "cit":
			s.want(id, key, kind, day, firstDay, lastDay, 1, citedReach)
		default:
			s.want(id, key, kind, day, firstDay, lastDay, 1, reach)
		}
	}
	for _, key := range n.Window.Company {
		for _, day := range n.Window.Days {
			s.want(id, key, kindOf(key), day, n.Window.From, n.Window.To, 1, reach)
		}
	}
}

// addCompany adds a document with its company's keys, regardless of time.
func (s *search) addCompany(id uuid.UUID, n score.Normalized, types []document.Type) {
	s.its(id, n, types)
	days := n.Window.Days
	if len(days) == 0 {
		days = []int32{0}
	}
	for _, key := range n.Window.Company {
		for _, day := range days {
			s.want(id, key, kindOf(key), day, firstDay, lastDay, 1, similarOnes)
		}
	}
}

func (s *search) its(id uuid.UUID, n score.Normalized, types []document.Type) {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	s.tenant, s.ids, s.types = n.Tenant, append(s.ids, id), append(s.types, strings.Join(names, ","))
	s.names, s.vatIDs = append(s.names, n.Naming.Name), append(s.vatIDs, n.Naming.VATID)
}

func (s *search) want(id uuid.UUID, key, kind string, day, first, last int32, weight, most int16) {
	s.own, s.keys, s.kinds = append(s.own, id), append(s.keys, matchKey(s.tenant, key)), append(s.kinds, kind)
	s.days, s.firsts, s.lasts = append(s.days, day), append(s.firsts, first), append(s.lasts, last)
	s.weights, s.most = append(s.weights, weight), append(s.most, most)
}

// args returns the first twelve parameters of a statement that uses wantedRows and itsRows.
func (s *search) args(more ...any) []any {
	return append([]any{s.own, s.keys, s.days, s.firsts, s.lasts, s.weights, s.most,
		s.tenant, s.ids, s.types, s.names, s.vatIDs}, more...)
}

// kindOf returns the second part of a key; the first is a piece of the tenant's id. See
// keys.go in package score.
func kindOf(key string) string {
	_, rest, _ := strings.Cut(key, "|")
	kind, _, _ := strings.Cut(rest, "|")
	return kind
}

// matchKey must return the same as the SQL function match_key (migration 00023).
func matchKey(tenant uuid.UUID, key string) (hash uuid.UUID) {
	sum := md5.Sum([]byte(tenant.String() + key)) //nolint:gosec // as above
	copy(hash[:4], tenant[:4])
	copy(hash[4:], sum[4:])
	return hash
}

// wantedRows are the keys of a search, each with the document's place under it.
const wantedRows = `
	unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::integer[], $6::smallint[], $7::smallint[])
		AS wanted (own, key, day, first, last, weight, most)`

const itsRows = `
	SELECT id, string_to_array(types, ',')::document_type[] AS types, name COLLATE "C" AS name, vat_id
	FROM unnest($9::uuid[], $10::text[], $11::text[], $12::text[]) AS i (id, types, name, vat_id)`

// foundRows joins to each wanted key the nearest documents before and after the document's
// place, in the order of days and ids.
const foundRows = `
	SELECT own, wanted.key, wanted.day, weight, most, document_id
	FROM ` + wantedRows + ` CROSS JOIN LATERAL (
		(SELECT document_id FROM document_key AS k
		WHERE k.key = wanted.key AND (k.day, k.document_id) < (wanted.day, own) AND k.day >= first
		ORDER BY k.day DESC, k.document_id DESC LIMIT most)
		UNION ALL
		(SELECT document_id FROM document_key AS k
		WHERE k.key = wanted.key AND (k.day, k.document_id) > (wanted.day, own) AND k.day <= last
		ORDER BY k.day, k.document_id LIMIT most)
	) AS near`

// sharingRows are the found documents with the weight of their shared keys.
const sharingRows = `
	SELECT own, document_id AS id, sum(weight) AS shared
	FROM (SELECT DISTINCT own, key, weight, document_id FROM found WHERE document_id <> own) AS each
	GROUP BY own, document_id`

// othersRows keeps the found documents (picked) matchable with the search's document (its).
// OFFSET 0 makes PostgreSQL read each document by its id.
const othersRows = ` CROSS JOIN LATERAL (
		SELECT tenant_id, type, structured_data, received_at, embedding FROM document
		WHERE id = picked.id AND tenant_id = $8 AND type = ANY (its.types) AND structured_data IS NOT NULL OFFSET 0
	) AS other`

// reachedRows are the documents a search reaches.
const reachedRows = `
	WITH found AS MATERIALIZED (` + foundRows + `)
	SELECT own, picked.id, shared
	FROM (` + sharingRows + `) AS picked JOIN (` + itsRows + `) AS its ON its.id = own` + othersRows
