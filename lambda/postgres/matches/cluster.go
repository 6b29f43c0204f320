package matches

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// clusterRow is a document with the columns for clusters and fences.
type clusterRow struct {
	ID      uuid.UUID
	Type    document.Type
	Cluster uuid.NullUUID
	Attempt int // in progress; -1: none
}

// joins reports whether the document's matches join clusters: all but a contract's do.
func (d clusterRow) joins() bool { return d.Type != document.Contract }

// root returns the id of the document's cluster, or its own if it's alone.
func (d clusterRow) root() uuid.UUID {
	if d.Cluster.Valid {
		return d.Cluster.UUID
	}
	return d.ID
}

const (
	attemptColumn = `CASE matching_status WHEN 'in-progress' THEN matching_attempts ELSE -1 END`
	clusterRows   = `
SELECT id, coalesce(type::text, ''), cluster_id, ` + attemptColumn + ` FROM document WHERE id = ANY `
	clusterRowsSQL = clusterRows + `($1)`
)

// edgesSQL reads the matches and suggestions of the documents $1 and of the pairs $2, $3.
const edgesSQL = `
SELECT document_a_id, document_b_id, decided_by = 'person', true FROM document_match
WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1)
UNION
SELECT a, b, decided_by = 'person', true FROM unnest($2::uuid[], $3::uuid[]) AS p (a, b)
CROSS JOIN LATERAL (SELECT decided_by FROM document_match WHERE document_a_id = a AND document_b_id = b OFFSET 0) AS m
UNION
SELECT document_a_id, document_b_id, decided_by = 'person', false FROM match_suggestion
WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1)
UNION
SELECT a, b, decided_by = 'person', false FROM unnest($2::uuid[], $3::uuid[]) AS p (a, b)
CROSS JOIN LATERAL (SELECT decided_by FROM match_suggestion WHERE document_a_id = a AND document_b_id = b OFFSET 0) AS m`

// edgeRow is a match or a suggestion. A suggestion by a person is a rejected pair.
type edgeRow struct {
	A, B              uuid.UUID
	ByPerson, Matched bool
}

// standing holds the documents a write may change, and their matches. It stays true while the
// write has the tenant's turn.
type standing struct {
	docs  []clusterRow
	edges []edgeRow
	word  *word // a person's new decision about a pair, or nil
}

// queueStanding reads the documents of decided pairs, and all matches of the own documents.
func queueStanding(batch *pgx.Batch, own []uuid.UUID, decided []rules.Pair, word *word) *standing {
	s := &standing{word: word}
	as, bs := keysOf(decided)
	batch.Queue(clusterRowsSQL, sortedIDs(slices.Concat(own, as, bs))).Query(postgres.All(&s.docs))
	s.queueEdges(batch, edgesSQL, own, as, bs)
	return s
}

func (s *standing) queueEdges(batch *pgx.Batch, sql string, args ...any) {
	var e edgeRow
	batch.Queue(sql, args...).Query(postgres.Each([]any{&e.A, &e.B, &e.ByPerson, &e.Matched}, func() {
		if s.word.about([2]uuid.UUID{e.A, e.B}) {
			e.ByPerson = false // replaced by the new decision
		}
		s.edges = append(s.edges, e)
	}))
}

// matched reports whether there was a match before the write.
func (s *standing) matched() bool {
	return slices.ContainsFunc(s.edges, func(e edgeRow) bool { return e.Matched })
}

// billed reports whether one of the documents is an invoice.
func (s *standing) billed(ids []uuid.UUID) bool {
	return slices.ContainsFunc(s.docs, func(d clusterRow) bool {
		return d.Type == document.Invoice && slices.Contains(ids, d.ID)
	})
}

// holds reports whether an attempt still has its document.
func (s *standing) holds(f job.Attempt) bool {
	return slices.ContainsFunc(s.docs, func(d clusterRow) bool { return d.ID == f.ID && d.Attempt == f.Number })
}

// clustering is a change of clusters.
type clustering struct {
	docs   map[uuid.UUID]uuid.NullUUID     // documents that change cluster one by one, with the new one
	merged map[uuid.NullUUID]uuid.NullUUID // clusters merged whole into another one
}

// cluster computes the exact clusters after a write. replaced reports whether queueResult
// replaces a pair's match. changed lists the documents of matches with a possible change.
//
// If matches are only added, clusters only join, so you needn't know their documents. If one
// is removed, the clusters of its documents must be read whole.
func (s *standing) cluster(
	ctx context.Context, tx pgx.Tx, replaced func(a, b uuid.UUID) bool, matches []rules.Edge,
) (c clustering, changed []uuid.UUID, err error) {
	now := map[[2]uuid.UUID]bool{}
	for _, e := range matches {
		now[[2]uuid.UUID{e.A, e.B}] = true
		changed = append(changed, e.A, e.B)
	}
	for _, e := range s.edges {
		switch key := [2]uuid.UUID{e.A, e.B}; {
		case !e.Matched && e.ByPerson:
			delete(now, key)
		case !e.Matched:
		case e.ByPerson || !replaced(e.A, e.B):
			now[key] = true
		default:
			changed = append(changed, e.A, e.B)
		}
	}
	if ids, whole := s.falls(now); whole {
		c, err = s.clusterWhole(ctx, tx, ids, replaced, now)
		return c, changed, err
	}
	return s.join(now), changed, nil
}

// falls reports whether a cluster may fall apart or isn't known: a match goes, a document has
// become a contract, or a matched document was not read. It lists the documents of all
// matches.
func (s *standing) falls(now map[[2]uuid.UUID]bool) (ids []uuid.UUID, falls bool) {
	known := make(map[uuid.UUID]bool, len(s.docs))
	for _, d := range s.docs {
		ids, known[d.ID] = append(ids, d.ID), true
		falls = falls || !d.joins() && d.Cluster.Valid
	}
	for _, e := range s.edges {
		falls = falls || e.Matched && !now[[2]uuid.UUID{e.A, e.B}]
	}
	for key := range now {
		ids = append(ids, key[:]...)
		falls = falls || !known[key[0]] || !known[key[1]]
	}
	return ids, falls
}

// unite joins the sets of the documents of matches, each named by root.
func (s *standing) unite(matches map[[2]uuid.UUID]bool, root func(clusterRow) uuid.UUID) unionFind {
	roots, sets := make(map[uuid.UUID]uuid.UUID, len(s.docs)), unionFind{}
	for _, d := range s.docs {
		if d.joins() {
			roots[d.ID] = root(d)
		}
	}
	for key := range matches {
		a, joins := roots[key[0]]
		if b, join := roots[key[1]]; join && joins {
			sets.join(a, b)
		}
	}
	return sets
}

func (s *standing) join(matches map[[2]uuid.UUID]bool) clustering {
	sets := s.unite(matches, clusterRow.root)
	c := clustering{map[uuid.UUID]uuid.NullUUID{}, map[uuid.NullUUID]uuid.NullUUID{}}
	for _, d := range s.docs {
		switch to := sets.cluster(d.root()); {
		case !to.Valid || to == d.Cluster:
		case !d.Cluster.Valid:
			c.docs[d.ID] = to
		default:
			c.merged[d.Cluster] = to
		}
	}
	return c
}

// memberRows are the documents $1, their partners by matches, and all members of the clusters
// of both.
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

const membersSQL = memberRows + clusterRows + `(ARRAY(SELECT id FROM member))`

const memberEdgesSQL = memberRows + `
SELECT document_a_id, document_b_id, decided_by = 'person', true FROM document_match
WHERE document_a_id = ANY (ARRAY(SELECT id FROM member))`

// clusterWhole reads whole clusters of documents and their partners, because every match that
// counts lies among them. It adds the remaining ones to matches.
func (s *standing) clusterWhole(
	ctx context.Context, tx pgx.Tx, ids []uuid.UUID, replaced func(a, b uuid.UUID) bool, matches map[[2]uuid.UUID]bool,
) (c clustering, err error) {
	whole, batch := &standing{word: s.word}, &pgx.Batch{}
	batch.Queue(membersSQL, ids).Query(postgres.All(&whole.docs))
	whole.queueEdges(batch, memberEdgesSQL, ids)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return c, err
	}
	for _, e := range whole.edges {
		if e.ByPerson || !replaced(e.A, e.B) {
			matches[[2]uuid.UUID{e.A, e.B}] = true
		}
	}
	sets := whole.unite(matches, func(d clusterRow) uuid.UUID { return d.ID })
	c.docs = map[uuid.UUID]uuid.NullUUID{}
	for _, d := range whole.docs {
		if now := sets.cluster(d.ID); now != d.Cluster {
			c.docs[d.ID] = now
		}
	}
	return c, nil
}

// Recluster computes the clusters of documents after a loss of matches. Use it with DB.Erase.
func Recluster(ctx context.Context, tx pgx.Tx, documents []uuid.UUID) error {
	s, batch := &standing{}, &pgx.Batch{}
	c, err := s.clusterWhole(ctx, tx, documents, func(_, _ uuid.UUID) bool { return false }, map[[2]uuid.UUID]bool{})
	if err != nil {
		return err
	}
	c.queueLock(batch, documents)
	c.queue(batch)
	return tx.SendBatch(ctx, batch).Close()
}

// lockRowsSQL locks documents and whole clusters, in id order like every transaction, and
// reads the attempts in progress.
const lockRowsSQL = `
SELECT id, ` + attemptColumn + ` FROM document WHERE id = ANY ($1) OR cluster_id = ANY ($2)
ORDER BY id
FOR NO KEY UPDATE`

// queueLock locks the own documents and all documents changing their cluster. The fences in
// held stay valid until the commit.
func (c *clustering) queueLock(batch *pgx.Batch, own []uuid.UUID) (held map[job.Attempt]bool) {
	held = map[job.Attempt]bool{}
	ids := slices.AppendSeq(slices.Clone(own), maps.Keys(c.docs))
	clusters := slices.AppendSeq([]uuid.NullUUID{}, maps.Keys(c.merged))
	var f job.Attempt
	batch.Queue(lockRowsSQL, ids, clusters).Query(postgres.Each([]any{&f.ID, &f.Number}, func() { held[f] = true }))
	return held
}

// setClusterSQL changes the cluster of documents, mergeClusterSQL the name of clusters.
const (
	changeCluster = `
UPDATE document SET cluster_id = c.now FROM unnest($1::uuid[], $2::uuid[]) AS c (id, now) WHERE `
	setClusterSQL   = changeCluster + `document.id = c.id`
	mergeClusterSQL = changeCluster + `document.cluster_id = c.id`
)

// of returns a document's cluster after the change.
func (c *clustering) of(d clusterRow) uuid.NullUUID {
	if now, changes := c.docs[d.ID]; changes {
		return now
	}
	return cmp.Or(c.merged[d.Cluster], d.Cluster)
}

// succeedMatchedSQL is succeedAllSQL for locked documents with their clusters, so that each
// row enters the indexes once.
var succeedMatchedSQL = postgres.Tables[manifest.Match.Name].SQL(`
UPDATE {table} SET {succeeded}, cluster_id = m.cluster_id
FROM unnest($1::uuid[], $2::integer[], $3::uuid[]) AS m (id, attempt, cluster_id)
WHERE {table}.id = m.id AND {attempts} = m.attempt AND coalesce({status}, '') = 'in-progress'`)

func (c *clustering) queueEnds(batch *pgx.Batch, s *standing, docs []*write) {
	var ids []uuid.UUID
	var clusters []uuid.NullUUID
	var attempts []int
	for _, w := range docs {
		if w.end != "" {
			batch.Queue(w.end, w.endArgs...)
			continue
		}
		at := slices.IndexFunc(s.docs, func(d clusterRow) bool { return d.ID == w.Fence.ID })
		ids, attempts, clusters = append(ids, w.Fence.ID), append(attempts, w.Fence.Number), append(clusters, c.of(s.docs[at]))
		delete(c.docs, w.Fence.ID)
	}
	if len(ids) > 0 {
		batch.Queue(succeedMatchedSQL, ids, attempts, clusters)
	}
}

func (c *clustering) queue(batch *pgx.Batch) {
	queueClusters(batch, setClusterSQL, c.docs)
	queueClusters(batch, mergeClusterSQL, c.merged)
}

func queueClusters[ID comparable](batch *pgx.Batch, sql string, changes map[ID]uuid.NullUUID) {
	var ids []ID
	var clusters []uuid.NullUUID
	for id, cluster := range changes {
		ids, clusters = append(ids, id), append(clusters, cluster)
	}
	if len(ids) > 0 {
		batch.Queue(sql, ids, clusters)
	}
}

// unionFind keeps sets of ids, each named by its smallest id.
type unionFind map[uuid.UUID]uuid.UUID // id -> a smaller or equal id of its set

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

// cluster returns the smallest id in the set of id, or NULL if it was never joined.
func (u unionFind) cluster(id uuid.UUID) uuid.NullUUID {
	_, joined := u[id]
	if !joined {
		return uuid.NullUUID{}
	}
	return uuid.NullUUID{UUID: u.smallest(id), Valid: true}
}
