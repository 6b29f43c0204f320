package postgres

import (
	"bytes"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/rules"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// clusterRow is a locked document with the columns that clusters and fences depend on.
type clusterRow struct {
	ID      uuid.UUID
	Type    *document.Type
	Cluster *uuid.UUID
	Attempt *int // at work on the document; nil without one
}

// memberRows are the ids of the documents $1, of their partners by matches, and of
// all members of the clusters of both. Within the tenant's lock no cluster changes.
const memberRows = `
WITH near AS (
	SELECT unnest($1::uuid[]) AS id
	UNION SELECT document_b_id FROM document_match WHERE document_a_id = ANY ($1)
	UNION SELECT document_a_id FROM document_match WHERE document_b_id = ANY ($1)
), member AS (
	SELECT id FROM document
	WHERE id = ANY (ARRAY(SELECT id FROM near))
		OR cluster_id = ANY (ARRAY(SELECT cluster_id FROM document WHERE id = ANY (ARRAY(SELECT id FROM near))))
)`

// lockRowsSQL locks the members in id order, as every transaction does.
const lockRowsSQL = memberRows + `
SELECT id, type::text, cluster_id, CASE matching_status WHEN 'in-progress' THEN matching_attempts END
FROM document
WHERE id = ANY (ARRAY(SELECT id FROM member))
ORDER BY id
FOR NO KEY UPDATE`

// edgesSQL reads the matches of the members, and which of the pairs $2 and $3 a
// person decided against.
const edgesSQL = memberRows + `
SELECT document_a_id, document_b_id, decided_by = 'person', true FROM document_match
WHERE document_a_id = ANY (ARRAY(SELECT id FROM member))
UNION ALL
SELECT document_a_id, document_b_id, true, false FROM match_suggestion
JOIN unnest($2::uuid[], $3::uuid[]) AS p (a, b) ON document_a_id = p.a AND document_b_id = p.b
WHERE decided_by = 'person'`

// edgeRow is a match, or a pair that is none by a person's word.
type edgeRow struct {
	A, B              uuid.UUID
	ByPerson, Matched bool
}

// locked holds the rows of the documents that a write may touch, and their matches.
type locked struct {
	docs  []clusterRow
	edges []edgeRow
}

// queueLock locks the documents, and reads what decides about their clusters.
func queueLock(batch *pgx.Batch, ids []uuid.UUID, decided []rules.Pair) *locked {
	l := &locked{}
	batch.Queue(lockRowsSQL, ids).Query(func(rows pgx.Rows) (err error) {
		l.docs, err = pgx.CollectRows(rows, pgx.RowToStructByPos[clusterRow])
		return err
	})
	as, bs := keysOf(decided)
	batch.Queue(edgesSQL, ids, as, bs).Query(func(rows pgx.Rows) (err error) {
		l.edges, err = pgx.CollectRows(rows, pgx.RowToStructByPos[edgeRow])
		return err
	})
	return l
}

// holds reports whether an attempt has its document: until the commit, as its row is
// locked.
func (l *locked) holds(f job.Fence) bool {
	return slices.ContainsFunc(l.docs, func(d clusterRow) bool {
		return d.ID == f.ID && d.Attempt != nil && *d.Attempt == f.Attempt
	})
}

// forget leaves out a person's word about a pair, which has a new one.
func (l *locked) forget(pair [2]uuid.UUID) {
	l.edges = slices.DeleteFunc(l.edges, func(e edgeRow) bool { return pair == [2]uuid.UUID{e.A, e.B} })
}

const setClusterSQL = `
UPDATE document SET cluster_id = c.cluster_id
FROM unnest($1::uuid[], $2::uuid[]) AS c (id, cluster_id)
WHERE document.id = c.id`

// queueClusters makes cluster_id exact for the locked documents: whole clusters, as
// they were before the matches changed, so that every match that counts lies among
// them. It returns the documents of the matches that may have changed. replaced
// tells whether queueResult replaces the match of a pair by the new ones.
func (l *locked) queueClusters(
	batch *pgx.Batch, replaced func(a, b uuid.UUID) bool, matches []rules.Edge,
) (changed []uuid.UUID) {
	sets, refused := newUnionFind(), map[[2]uuid.UUID]bool{}
	joins := make(map[uuid.UUID]bool, len(l.docs)) // a contract joins nothing
	for _, d := range l.docs {
		joins[d.ID] = d.Type == nil || *d.Type != document.Contract
	}
	join := func(a, b uuid.UUID) {
		if joins[a] && joins[b] {
			sets.join(a, b)
		}
	}
	for _, e := range l.edges {
		switch {
		case !e.Matched:
			refused[[2]uuid.UUID{e.A, e.B}] = true
		case e.ByPerson || !replaced(e.A, e.B):
			join(e.A, e.B)
		default:
			changed = append(changed, e.A, e.B)
		}
	}
	for _, e := range matches {
		if changed = append(changed, e.A, e.B); !refused[[2]uuid.UUID{e.A, e.B}] {
			join(e.A, e.B)
		}
	}
	var ids []uuid.UUID
	var clusters []*uuid.UUID
	for _, d := range l.docs {
		if now := sets.cluster(d.ID); !equalID(now, d.Cluster) {
			ids, clusters = append(ids, d.ID), append(clusters, now)
		}
	}
	if len(ids) > 0 {
		batch.Queue(setClusterSQL, ids, clusters)
	}
	return changed
}

func equalID(a, b *uuid.UUID) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// unionFind keeps sets of ids, each under its smallest one.
type unionFind map[uuid.UUID]uuid.UUID // id -> an id of its set that is not larger

func newUnionFind() unionFind { return unionFind{} }

func (u unionFind) smallest(id uuid.UUID) uuid.UUID {
	parent, ok := u[id]
	if !ok || parent == id {
		return id
	}
	root := u.smallest(parent)
	u[id] = root
	return root
}

func (u unionFind) join(a, b uuid.UUID) {
	a, b = u.smallest(a), u.smallest(b)
	if bytes.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	u[a], u[b] = a, a
}

// cluster is the smallest id of the set of id; nil when it was never joined.
func (u unionFind) cluster(id uuid.UUID) *uuid.UUID {
	if _, ok := u[id]; !ok {
		return nil
	}
	root := u.smallest(id)
	return &root
}
