package matches

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// competition holds the pairs a write depends on: its own documents' pairs in full, their
// partners' in brief, because reading many pairs in full takes seconds instead of
// milliseconds. Of a document cited by thousands it holds a few pairs.
type competition struct {
	own    []uuid.UUID // the rules decide all their pairs
	pairs  []rules.Pair
	place  map[[2]uuid.UUID]int // of each pair in pairs
	read   map[uuid.UUID]bool   // documents with all their pairs here
	plain  map[uuid.UUID]bool   // documents with perhaps only some pairs here, all plain
	ends   map[string]score.End // by their JSON; each document has many pairs
	briefs map[string][]score.Evidence
	lost   map[[2]uuid.UUID]bool // deleted pairs
	bounds rules.Bounds          // of the tenant
}

func newCompetition(own ...uuid.UUID) *competition {
	return &competition{own: own, place: map[[2]uuid.UUID]int{}, read: map[uuid.UUID]bool{}, plain: map[uuid.UUID]bool{},
		ends: map[string]score.End{}, briefs: map[string][]score.Evidence{}}
}

const briefColumns = `document_a_id, document_b_id, type_a::text, type_b::text, points, units_a, units_b, units_common,
	veto, verdict, coalesce(brief, evidence)::text, coalesce(ends ->> 0, '{}'), coalesce(ends ->> 1, '{}')`

const briefsSQL = `
SELECT ` + briefColumns + ` FROM match_pair WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1)`

// plainPair is rules.Pair.Plain in SQL without the points. Two indexes use this expression
// (migration 00034).
const plainPair = `coalesce(veto = '' AND verdict = ''
	AND brief @? '$[*] ? (@.name == "cites")'
	AND NOT brief @? '$[*] ? (exists(@.cited) && @.name != "cites")', false)`

// ownBriefsSQL reads the pairs of the own documents $1, of their partners, and of the others
// $2. The others $3 have plain pairs with the own documents. If such a document has many pairs
// and all are plain, the statement reads only a few: the two with the most points, apart from
// the own documents' ones, decide about the rest (rules.Pair.Plain), unless another document
// has the same number as an own one. $4 are the points of a match, $5 the own documents'
// numbers in their pairs, and $6 the keys of documents with the numbers $7.
const ownBriefsSQL = `
WITH few AS MATERIALIZED (
	SELECT id FROM unnest($3::uuid[]) AS id
	WHERE ` + inTurn + ` AND EXISTS (SELECT FROM (SELECT FROM match_pair WHERE document_a_id = id
			UNION ALL SELECT FROM match_pair WHERE document_b_id = id) AS p OFFSET 16)
		AND NOT EXISTS (SELECT FROM match_pair WHERE document_a_id = id AND NOT ` + plainPair + `)
		AND NOT EXISTS (SELECT FROM match_pair WHERE document_b_id = id AND NOT ` + plainPair + `)
		AND NOT EXISTS (SELECT FROM match_pair WHERE document_a_id = id AND ` + plainPair + ` AND points < $4)
		AND NOT EXISTS (SELECT FROM match_pair WHERE document_b_id = id AND ` + plainPair + ` AND points < $4)
		AND NOT EXISTS (SELECT FROM unnest($1::uuid[], $5::text[]) AS mine (own, number) CROSS JOIN LATERAL (
			SELECT CASE WHEN own < id THEN ends -> 0 ELSE ends -> 1 END ->> 'number' AS was FROM match_pair
			WHERE document_a_id = least(own, id) AND document_b_id = greatest(own, id) OFFSET 0) AS p
			WHERE was IS DISTINCT FROM nullif(number, ''))
		AND NOT EXISTS (SELECT FROM unnest($6::uuid[], $7::text[]) AS mine (key, number)
			JOIN document_key AS k USING (key) CROSS JOIN LATERAL (
			SELECT CASE WHEN document_id < id THEN ends -> 0 ELSE ends -> 1 END ->> 'number' AS its FROM match_pair
			WHERE document_a_id = least(document_id, id) AND document_b_id = greatest(document_id, id) OFFSET 0) AS p
			WHERE its = number AND document_id <> ALL ($1))
), known AS (
	SELECT id FROM unnest($1::uuid[] || $2::uuid[]) AS id WHERE ` + inTurn + `
	UNION (
		(SELECT id FROM unnest($3::uuid[]) AS id WHERE ` + inTurn + `
		UNION SELECT document_b_id FROM match_pair WHERE document_a_id = ANY ($1) AND ` + inTurn + `
		UNION SELECT document_a_id FROM match_pair WHERE document_b_id = ANY ($1) AND ` + inTurn + `)
		EXCEPT SELECT id FROM few)
)
SELECT ` + briefColumns + ` FROM match_pair
WHERE document_a_id = ANY (ARRAY(SELECT id FROM known)) OR document_b_id = ANY (ARRAY(SELECT id FROM known))
UNION ALL
SELECT ` + briefColumns + ` FROM few CROSS JOIN LATERAL (
	(SELECT * FROM match_pair WHERE document_a_id = few.id AND ` + plainPair + ` ORDER BY points DESC LIMIT 2 + cardinality($1::uuid[]))
	UNION ALL
	(SELECT * FROM match_pair WHERE document_b_id = few.id AND ` + plainPair + ` ORDER BY points DESC LIMIT 2 + cardinality($1::uuid[]))
) AS most`

// detailsSQL reads the columns missing in brief, by documents; chosenSQL reads them by pairs.
const (
	detailColumns = `SELECT document_a_id, document_b_id, evidence, asked, question, answer, reasoning, owed FROM match_pair`
	detailsSQL    = detailColumns + ` WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1)`
	chosenSQL     = detailColumns + ` JOIN unnest($1::uuid[], $2::uuid[]) AS c (a, b)
	ON document_a_id = a AND document_b_id = b`
)

// queueOwn reads the pairs of the own documents in full, and in brief the pairs of their
// partners and of the documents in pairs. names gives the own documents' keys. It also reads
// the tenant's thresholds.
func (c *competition) queueOwn(batch *pgx.Batch, pairs []score.Pair, names []score.Normalized) {
	numbers, keys, keyed := make([]string, len(c.own)), []uuid.UUID{}, []string{}
	others := c.others(pairs, numbers)
	for i, n := range names {
		found := false
		for _, key := range n.Keys {
			if kindOf(key) == "own" {
				keys, keyed, found = append(keys, matchKey(n.Tenant, key)), append(keyed, numbers[i]), true
			}
		}
		if numbers[i] != "" && !found { // no key finds its copies
			clear(c.plain)
		}
	}
	var some, all []uuid.UUID
	for _, id := range others {
		if c.read[id] = true; c.plain[id] {
			some = append(some, id)
		} else {
			all = append(all, id)
		}
	}
	batch.Queue(ownBriefsSQL, c.own, all, some, score.MatchAt, numbers, keys, keyed).Query(func(rows pgx.Rows) error {
		first := len(c.pairs)
		err := c.take(rows)
		for _, id := range c.own {
			c.read[id] = true
		}
		for _, p := range c.pairs[first:] {
			if c.owns(p.A) || c.owns(p.B) {
				c.read[p.A], c.read[p.B] = true, true
			}
		}
		return err
	})
	batch.Queue(detailsSQL, c.own).Query(c.takeDetails())
	b := &c.bounds
	batch.Queue(boundsSQL, c.own[0]).Query(postgres.Each([]any{&b.HighAt, &b.QuestionAt, &b.Confirmed, &b.Rejected}, func() {}))
}

// others lists the documents of pairs other than the own ones. It marks documents with only
// plain pairs, and sets the numbers of the own documents.
func (c *competition) others(pairs []score.Pair, numbers []string) (others []uuid.UUID) {
	for _, p := range pairs {
		for side, id := range []uuid.UUID{p.A, p.B} {
			if i := slices.Index(c.own, id); i >= 0 {
				numbers[i] = p.Ends[side].Number
				continue
			}
			plain, known := c.plain[id]
			if !known {
				others = append(others, id)
			}
			c.plain[id] = (plain || !known) && p.Plain() && p.Points >= score.MatchAt
		}
	}
	return others
}

// queueWhole reads all pairs of documents read only in part so far: documents of moved pairs,
// because the rules decide these, and documents with a pair no longer plain.
func (c *competition) queueWhole(batch *pgx.Batch, ids []uuid.UUID) {
	var whole []uuid.UUID
	for _, id := range ids {
		if c.plain[id] && !c.owns(id) {
			whole, c.plain[id], c.read[id] = append(whole, id), false, false
		}
	}
	c.queueMore(batch, whole)
}

// queueMore reads the pairs of documents not yet read.
func (c *competition) queueMore(batch *pgx.Batch, ids []uuid.UUID) {
	ids = sortedIDs(slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return c.read[id] }))
	if len(ids) == 0 {
		return
	}
	batch.Queue(briefsSQL, ids).Query(func(rows pgx.Rows) error {
		for _, id := range ids {
			c.read[id] = true
		}
		return c.take(rows)
	})
}

// queueFull reads the whole evidence of pairs.
func (c *competition) queueFull(batch *pgx.Batch, pairs []rules.Pair) {
	if len(pairs) == 0 {
		return
	}
	as, bs := keysOf(pairs)
	batch.Queue(chosenSQL, as, bs).Query(c.takeDetails())
}

func (c *competition) owns(id uuid.UUID) bool { return slices.Contains(c.own, id) }

func (c *competition) take(rows pgx.Rows) error {
	var p rules.Pair
	var brief, endA, endB string
	_, err := pgx.ForEachRow(rows, []any{&p.A, &p.B, &p.TypeA, &p.TypeB, &p.Points, &p.Fit.A, &p.Fit.B, &p.Fit.Common,
		&p.Veto, &p.Verdict, &brief, &endA, &endB}, func() (err error) {
		if _, known := c.place[[2]uuid.UUID{p.A, p.B}]; known {
			return nil
		}
		p.Brief = true
		if p.Evidence, err = read(c.briefs, brief); err != nil {
			return err
		}
		for i, end := range []string{endA, endB} {
			if p.Ends[i], err = read(c.ends, end); err != nil {
				return err
			}
		}
		c.put(p)
		return nil
	})
	return err
}

// read parses each JSON text only once.
func read[T any](known map[string]T, text string) (T, error) {
	value, ok := known[text]
	if ok {
		return value, nil
	}
	err := json.Unmarshal([]byte(text), &value)
	known[text] = value
	return value, err
}

func (c *competition) put(p rules.Pair) {
	key := [2]uuid.UUID{p.A, p.B}
	if i, ok := c.place[key]; ok {
		c.pairs[i] = p
		return
	}
	c.place[key] = len(c.pairs)
	c.pairs = append(c.pairs, p)
}

func (c *competition) takeDetails() func(pgx.Rows) error {
	var p rules.Pair
	a := &p.Asked
	return postgres.Each([]any{&p.A, &p.B, &p.Evidence, &a.About, &a.Question, &a.Answer, &a.Reasoning, &a.Owed}, func() {
		if i, ok := c.place[[2]uuid.UUID{p.A, p.B}]; ok {
			c.pairs[i].Evidence, c.pairs[i].Asked, c.pairs[i].Brief = p.Evidence, p.Asked, false
		}
		p.Evidence = nil // for the next row
	})
}

// replace returns the competition after a rewrite and the lost pairs: pairs missing from its
// documents' new ones, and separated ones. A pair with a person's verdict stays, regardless of
// its evidence.
func (c *competition) replace(r rewrite) (now *competition, lost []rules.Pair) {
	now = &competition{own: c.own, pairs: make([]rules.Pair, 0, len(c.pairs)+len(r.pairs)),
		place: make(map[[2]uuid.UUID]int, len(c.pairs)+len(r.pairs)), read: maps.Clone(c.read), plain: c.plain, ends: c.ends,
		briefs: c.briefs, lost: map[[2]uuid.UUID]bool{}, bounds: c.bounds}
	separated := make(map[[2]uuid.UUID]bool, len(r.separated))
	for _, p := range r.separated {
		separated[[2]uuid.UUID{p.A, p.B}] = true
	}
	is := make(map[[2]uuid.UUID]bool, len(r.pairs))
	for _, p := range r.pairs {
		is[[2]uuid.UUID{p.A, p.B}] = true
	}
	for i := range c.pairs {
		p := &c.pairs[i]
		key := [2]uuid.UUID{p.A, p.B}
		own := len(r.docs) > 0 && (c.owns(p.A) || c.owns(p.B))
		word := p.Verdict != "" && !r.word.about(key)
		if (own || separated[key]) && !word && !is[key] {
			lost, now.lost[key] = append(lost, *p), true
			continue
		}
		now.put(*p)
	}
	for _, p := range r.pairs {
		next, key := rules.Pair{Pair: p}, [2]uuid.UUID{p.A, p.B}
		if i, ok := now.place[key]; ok {
			next.Asked, next.Verdict = now.pairs[i].Asked, now.pairs[i].Verdict
		}
		if r.word.about(key) {
			next.Verdict = r.word.verdict()
		}
		now.put(next)
	}
	return now, lost
}

// verdict returns a person's verdict about a pair, or "".
func (c *competition) verdict(pair [2]uuid.UUID) rules.Verdict {
	if i, ok := c.place[pair]; ok {
		return c.pairs[i].Verdict
	}
	return ""
}

// judged reports whether a person decided about a pair of the own documents.
func (c *competition) judged() bool {
	return slices.ContainsFunc(c.pairs, func(p rules.Pair) bool { return p.Verdict != "" && (c.owns(p.A) || c.owns(p.B)) })
}

func (c *competition) asRules() rules.Competition {
	as, bs := keysOf(c.decided())
	return rules.Competition{Documents: sortedIDs(slices.Concat(c.own, as, bs)), Pairs: c.pairs, Bounds: c.bounds}
}

// decided lists the pairs in full: the rules decide these.
func (c *competition) decided() (pairs []rules.Pair) {
	for i := range c.pairs {
		if !c.pairs[i].Brief {
			pairs = append(pairs, c.pairs[i])
		}
	}
	return pairs
}

// decides reports whether the write decides about a pair or deletes it.
func (c *competition) decides(a, b uuid.UUID) bool {
	key := [2]uuid.UUID{a, b}
	i, known := c.place[key]
	return c.owns(a) || c.owns(b) || c.lost[key] || known && !c.pairs[i].Brief
}

// keysOf splits pairs into their first and second documents.
func keysOf(pairs []rules.Pair) (as, bs []uuid.UUID) {
	as, bs = make([]uuid.UUID, len(pairs)), make([]uuid.UUID, len(pairs))
	for i, p := range pairs {
		as[i], bs[i] = p.A, p.B
	}
	return as, bs
}

// sortedIDs sorts ids and removes duplicates.
func sortedIDs(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
