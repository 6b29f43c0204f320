package postgres

import (
	"crypto/md5" //nolint:gosec // a key is no secret; match_key (migration 00023) is the same function
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// The keys of a document are rows of document_key (migration 00023 and its trigger),
// ordered by the document's day and id. A document reaches the 50 nearest on each side
// under each key, so that the cost of a search does not grow with the documents of a
// tenant. Both ends of a pair see each other at the same distance: they reach each
// other, or neither does. Later documents may come between the two. Then their write
// deletes the pair (separatedSQL), so that the stored pairs depend on the documents
// only, and not on their order of arrival.
//
// A citation has no such bound where the two numbers have a form in common: the document
// reaches those whose number it cites, and those that cite its number, of these 2,500 on
// each side in one search. They find it as well when they are matched.
//
// Only this depends on the order of arrival: a citation is missing if more than 2,500
// documents that cite one number on one side of a document were matched before it. And
// where a document is deleted, or has other keys than before, others come into reach of
// each other; their pair is stored when one of them is matched again.

// search holds the documents of a tenant whose neighbours are looked up, and the keys by
// which each of them looks: the columns of wantedRows and itsRows.
type search struct {
	tenant uuid.UUID

	own, keys           []uuid.UUID // of each wanted key: the document that wants it, and the key's hash
	kinds               []string    // such as ref
	days, firsts, lasts []int32     // the document's place, and where the search ends
	weights, most       []int16

	ids           []uuid.UUID // the documents
	types         []string    // that each may match, separated by commas
	names, vatIDs []string    // of their suppliers
}

// The reach of a key: so many documents are read on each side.
const (
	reach       = 50
	citedReach  = 2500
	similarOnes = 250
)

const (
	firstDay = 0
	lastDay  = 9999_99_99
)

// add adds a document with the keys of its lookup. A common number counts more than any
// company and month. The months of a lookup are those of its window.
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

// addCompany adds a document with the keys of its company, whatever the time.
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

// args are the first twelve parameters of a statement with wantedRows and itsRows.
func (s *search) args(more ...any) []any {
	return append([]any{s.own, s.keys, s.days, s.firsts, s.lasts, s.weights, s.most,
		s.tenant, s.ids, s.types, s.names, s.vatIDs}, more...)
}

// kindOf is the second part of a key (package score, keys.go): the first one is a piece
// of the tenant's id.
func kindOf(key string) string {
	_, rest, _ := strings.Cut(key, "|")
	kind, _, _ := strings.Cut(rest, "|")
	return kind
}

// matchKey is the SQL function match_key (migration 00023).
func matchKey(tenant uuid.UUID, key string) (hash uuid.UUID) {
	sum := md5.Sum([]byte(tenant.String() + key)) //nolint:gosec // as above
	copy(hash[:4], tenant[:4])
	copy(hash[4:], sum[4:])
	return hash
}

// wantedRows are the keys of a search, each from the document's place among the
// documents with it.
const wantedRows = `
	unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::integer[], $6::smallint[], $7::smallint[])
		AS wanted (own, key, day, first, last, weight, most)`

// itsRows are the documents of a search.
const itsRows = `
	SELECT id, string_to_array(types, ',')::document_type[] AS types, name COLLATE "C" AS name, vat_id
	FROM unnest($9::uuid[], $10::text[], $11::text[], $12::text[]) AS i (id, types, name, vat_id)`

// foundRows joins to each wanted key the nearest documents before the document's
// place and the nearest after it, in the order of days and ids.
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

// sharingRows are the documents that are found, with the weight of the keys that they
// share.
const sharingRows = `
	SELECT own, document_id AS id, sum(weight) AS shared
	FROM (SELECT DISTINCT own, key, weight, document_id FROM found WHERE document_id <> own) AS each
	GROUP BY own, document_id`

// othersRows is the rule of which of them (its a document of the search, picked a
// document that is found) may be matched. OFFSET 0 has each document read by its id.
const othersRows = ` CROSS JOIN LATERAL (
		SELECT tenant_id, type, structured_data, received_at, embedding FROM document
		WHERE id = picked.id AND tenant_id = $8 AND type = ANY (its.types) AND structured_data IS NOT NULL OFFSET 0
	) AS other`

// reachedRows are the documents that a search reaches.
const reachedRows = `
	WITH found AS MATERIALIZED (` + foundRows + `)
	SELECT own, picked.id, shared
	FROM (` + sharingRows + `) AS picked JOIN (` + itsRows + `) AS its ON its.id = own` + othersRows
