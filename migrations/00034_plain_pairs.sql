-- +goose NO TRANSACTION
-- The pairs of a document by whether they are plain (package score, Pair.Plain), and by
-- their points: of an order that thousands of deliveries cite, a write reads the best. And
-- the documents of a cluster by their type: of thousands of deliveries, the invoices.
-- Every statement may be run again.

-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS match_pair_a_plain_idx;
CREATE INDEX CONCURRENTLY match_pair_a_plain_idx ON match_pair (document_a_id, (coalesce(veto = '' AND verdict = ''
    AND brief @? '$[*] ? (@.name == "cites")'
    AND NOT brief @? '$[*] ? (exists(@.cited) && @.name != "cites")', false)), points);
DROP INDEX CONCURRENTLY IF EXISTS match_pair_b_plain_idx;
CREATE INDEX CONCURRENTLY match_pair_b_plain_idx ON match_pair (document_b_id, (coalesce(veto = '' AND verdict = ''
    AND brief @? '$[*] ? (@.name == "cites")'
    AND NOT brief @? '$[*] ? (exists(@.cited) && @.name != "cites")', false)), points);
DROP INDEX CONCURRENTLY IF EXISTS match_pair_b_idx;
DROP INDEX CONCURRENTLY IF EXISTS document_cluster_type_idx;
CREATE INDEX CONCURRENTLY document_cluster_type_idx ON document (cluster_id, type) WHERE cluster_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS document_cluster_idx;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS document_cluster_idx ON document (cluster_id) WHERE cluster_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS document_cluster_type_idx;
CREATE INDEX CONCURRENTLY IF NOT EXISTS match_pair_b_idx ON match_pair (document_b_id);
DROP INDEX CONCURRENTLY IF EXISTS match_pair_b_plain_idx;
DROP INDEX CONCURRENTLY IF EXISTS match_pair_a_plain_idx;
