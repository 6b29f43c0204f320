package report

import (
	"context"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Count is a number of rows. See maxCounted: from there on, it's the planner's estimate.
type Count struct {
	N        int
	Estimate bool
}

// maxCounted bounds the counted rows of a state and type.
const maxCounted = 1000

// stagesSQL uses an order so that a state with few or no rows is counted by the index: the
// planner expects equally many of each.
const stagesSQL = `
SELECT stage, coalesce(sum(n), 0)::integer, coalesce(max(n), 0)::integer
FROM unnest($2::text[]) AS stage CROSS JOIN LATERAL (
	SELECT n FROM unnest($4::text[]) AS kind CROSS JOIN LATERAL (
		SELECT count(*) AS n FROM (
			SELECT FROM document WHERE tenant_id = $1 AND type = kind::document_type AND coalesce(matching_status, 'none') = stage
			ORDER BY received_at LIMIT $3
		) AS few) AS counted
	UNION ALL
	SELECT count(*) FROM (
		SELECT FROM document WHERE tenant_id = $1 AND type IS NULL AND coalesce(matching_status, 'none') = stage
		ORDER BY type, received_at LIMIT $3
	) AS few
) AS counts GROUP BY stage`

const estimateSQL = `
EXPLAIN (FORMAT JSON) SELECT FROM document WHERE tenant_id = $1 AND coalesce(matching_status, 'none') = $2`

// Stages counts a tenant's documents by state, for the states in Stages.
func (r Reader) Stages(ctx context.Context, tenant uuid.UUID) (map[string]Count, error) {
	type stage struct {
		Name    string
		N, Most int
	}
	found, err := postgres.Rows[stage](ctx, r.db, stagesSQL, tenant, Stages, maxCounted, document.Types)
	counts := make(map[string]Count, len(found))
	for _, s := range found {
		if s.Most < maxCounted {
			counts[s.Name] = Count{N: s.N}
			continue
		}
		type plan struct {
			Plan struct {
				Rows float64 `json:"Plan Rows"`
			}
		}
		estimate, err := postgres.Value[[1]plan](ctx, r.db, estimateSQL, tenant, s.Name)
		if err != nil {
			return nil, err
		}
		counts[s.Name] = Count{max(s.N, int(estimate[0].Plan.Rows)), true}
	}
	return counts, err
}

const oldestSQL = `
SELECT coalesce(greatest(interval '0', now() - min(since)), interval '0')
FROM unnest(ARRAY['pending', 'in-progress']) AS stage CROSS JOIN LATERAL (
	SELECT coalesce(matching_lease_until, matching_due_at, received_at) AS since FROM document
	WHERE tenant_id = $1 AND matching_status = stage AND matching_status IN ('pending', 'in-progress')
	ORDER BY since LIMIT 1) AS first`

// Oldest returns for how long a tenant's longest waiting document has been due, or 0.
func (r Reader) Oldest(ctx context.Context, tenant uuid.UUID) (time.Duration, error) {
	return postgres.Value[time.Duration](ctx, r.db, oldestSQL, tenant)
}

// Hour counts the documents received in an hour, by their state now. A count ends at maxHourly
// for each type.
type Hour struct {
	Start                      time.Time
	Succeeded, Failed, Waiting int
	Full                       bool // there were more
}

// maxHourly bounds the counted documents of an hour, type and state.
const maxHourly = 200

const hoursSQL = `
SELECT hour, coalesce(sum(n) FILTER (WHERE stage = 'succeeded'), 0)::integer,
	coalesce(sum(n) FILTER (WHERE stage = 'failed'), 0)::integer,
	coalesce(sum(n) FILTER (WHERE stage NOT IN ('succeeded', 'failed')), 0)::integer, coalesce(max(n), 0) >= $3
FROM unnest($4::timestamptz[]) AS hour CROSS JOIN unnest($2::text[]) AS stage CROSS JOIN unnest($5::text[]) AS kind
CROSS JOIN LATERAL (
	SELECT count(*) AS n FROM (
		SELECT FROM document WHERE tenant_id = $1 AND type = kind::document_type AND coalesce(matching_status, 'none') = stage
			AND received_at >= hour AND received_at < hour + interval '1 hour' LIMIT $3
	) AS few) AS counted
GROUP BY hour ORDER BY hour`

// Hours counts a tenant's documents received in the hour of last and the 23 before it. It
// leaves out documents without a type.
func (r Reader) Hours(ctx context.Context, tenant uuid.UUID, last time.Time) ([]Hour, error) {
	hours := make([]time.Time, 24)
	for i := range hours {
		hours[i] = last.Truncate(time.Hour).Add(time.Duration(i-23) * time.Hour)
	}
	return postgres.Rows[Hour](ctx, r.db, hoursSQL, tenant, Stages, maxHourly, hours, document.Types)
}

// KindCount counts the failures of a kind.
type KindCount struct {
	Kind string
	N    int
}

// maxFailures bounds the counted failures.
const maxFailures = 10_000

const failureKindsSQL = `
SELECT kind, count(*)::integer FROM (
	SELECT kind FROM notification WHERE created_at > now() - $2::interval AND tenant_id = $1
	ORDER BY created_at DESC LIMIT $3
) AS latest GROUP BY kind ORDER BY count(*) DESC, kind`

// FailureKinds counts a tenant's terminal failures within this time by kind, at most the last
// 10,000.
func (r Reader) FailureKinds(ctx context.Context, tenant uuid.UUID, within time.Duration) ([]KindCount, error) {
	return postgres.Rows[KindCount](ctx, r.db, failureKindsSQL, tenant, within, maxFailures)
}

// Tenant is a customer with its name.
type Tenant struct {
	ID   uuid.UUID
	Name string
}

const tenantsSQL = `
SELECT id, left(name, 400) FROM tenant WHERE $1::uuid[] IS NULL OR id = ANY ($1) ORDER BY name, id LIMIT $2`

// Tenants reads tenants by id (nil: all), sorted by name, at most limit.
func (r Reader) Tenants(ctx context.Context, ids []uuid.UUID, limit int) ([]Tenant, error) {
	return postgres.Rows[Tenant](ctx, r.db, tenantsSQL, ids, limit)
}

const withoutDocumentsSQL = `
SELECT id FROM unnest($1::uuid[]) AS t (id) WHERE NOT EXISTS (SELECT FROM document WHERE tenant_id = t.id) ORDER BY id`

// WithoutDocuments returns the tenants without a document; they may even lack a row.
func (r Reader) WithoutDocuments(ctx context.Context, tenants []uuid.UUID) ([]uuid.UUID, error) {
	return postgres.IDs(ctx, r.db, withoutDocumentsSQL, tenants)
}
