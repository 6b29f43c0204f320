package postgres

import (
	"bytes"

	"matchbook/lambda/document"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// clusterRow holds the columns of a document that clusters depend on.
type clusterRow struct {
	ID      uuid.UUID
	Type    *document.Type
	Cluster *uuid.UUID
}

// lockRowsSQL locks the documents, their partners by matches, and all members
// of the clusters of both, in id order as every transaction does. Within the
// tenant's lock no cluster changes.
const lockRowsSQL = `
WITH near AS (
	SELECT unnest($1::uuid[]) AS id
	UNION SELECT document_b_id FROM document_match WHERE document_a_id = ANY ($1)
	UNION SELECT document_a_id FROM document_match WHERE document_b_id = ANY ($1)
)
SELECT id, type::text, cluster_id FROM document
WHERE id = ANY (ARRAY(SELECT id FROM near))
	OR cluster_id = ANY (ARRAY(SELECT cluster_id FROM document WHERE id = ANY (ARRAY(SELECT id FROM near))))
ORDER BY id
FOR NO KEY UPDATE`

func queueLock(batch *pgx.Batch, ids []uuid.UUID, locked *[]clusterRow) {
	batch.Queue(lockRowsSQL, ids).Query(func(rows pgx.Rows) (err error) {
		*locked, err = pgx.CollectRows(rows, pgx.RowToStructByPos[clusterRow])
		return err
	})
}

const clusterEdgesSQL = `
SELECT document_a_id, document_b_id FROM document_match
WHERE document_a_id = ANY ($1) AND document_b_id = ANY ($1)`

const setClusterSQL = `
UPDATE document SET cluster_id = c.cluster_id
FROM unnest($1::uuid[], $2::uuid[]) AS c (id, cluster_id)
WHERE document.id = c.id`

// queueEdges reads the edges between documents. Edges that touch a contract join
// nothing.
func queueEdges(batch *pgx.Batch, docs []clusterRow, sets unionFind) {
	joinable := make([]uuid.UUID, 0, len(docs))
	for _, d := range docs {
		if d.Type == nil || *d.Type != document.Contract {
			joinable = append(joinable, d.ID)
		}
	}
	batch.Queue(clusterEdgesSQL, joinable).Query(func(rows pgx.Rows) error {
		var a, b uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&a, &b}, func() error {
			sets.join(a, b)
			return nil
		})
		return err
	})
}

// queueClusters makes cluster_id exact for these documents: whole clusters, as
// they were before the edges changed, so that every edge that matters lies
// among them.
func queueClusters(batch *pgx.Batch, docs []clusterRow, sets unionFind) {
	var ids []uuid.UUID
	var clusters []*uuid.UUID
	for _, d := range docs {
		if now := sets.cluster(d.ID); !equalID(now, d.Cluster) {
			ids, clusters = append(ids, d.ID), append(clusters, now)
		}
	}
	if len(ids) > 0 {
		batch.Queue(setClusterSQL, ids, clusters)
	}
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
