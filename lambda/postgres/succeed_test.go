package postgres_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// succeeding is work without results.
func succeeding(jobs *postgres.Jobs) job.Work {
	return func(ctx context.Context, batch []*job.Task) {
		job.Commit(ctx, batch, func(ctx context.Context, some []*job.Task) ([]job.Attempt, error) {
			return jobs.SucceedAll(ctx, job.Fences(some))
		})
	}
}

// Success without results keeps what the conformance tests promise.
func TestSucceedConforms(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "is the whole suite of stores once more")
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture {
		f := newFixture(t)
		c := f.conformance()
		c.Work = succeeding(f.Jobs).One
		return c
	})
}

// The rows of a batch are read by their ids, also if the statistics are of a moment
// when nothing was in progress: the indexes on the status would lead to all that is.
func TestRowsReadByID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Exec(`INSERT INTO document (id, tenant_id, matching_status)
		SELECT gen_random_uuid(), $1, 'pending' FROM generate_series(1, 2000)`, tenant)
	f.Exec("VACUUM ANALYZE document")
	f.Exec("UPDATE document SET matching_status = 'in-progress', matching_attempts = 1, matching_lease_until = now()")
	ids := postgrestest.Values[uuid.UUID](t, f.Conn, "SELECT id FROM document ORDER BY id LIMIT 10")
	attempts := slices.Repeat([]int{1}, len(ids))
	for name, p := range map[string]postgrestest.Plan{
		"extended":  f.Explain(postgres.ExtendSQL, ids, attempts, time.Minute),
		"succeeded": f.Explain(postgres.SucceedAllSQL, ids, attempts),
	} {
		if n := p.Fetched("document"); n != 30 { // locked, found again, updated
			t.Errorf("%.0f documents were read for 10 that are %s", n, name)
		}
	}
}
