package main

import (
	"fmt"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const triedRowsSQL = `
WITH t AS (INSERT INTO tenant (id, name) VALUES ($1, 'one')),
	d AS (INSERT INTO document (id, tenant_id, type, structured_data, matching_status) VALUES ($2, $1, 'invoice', '{}', 'pending')),
	f AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($3, $1, NULL)),
	i AS (INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status) VALUES ($4, $1, $3, 'a.pdf', 'pending')),
	r AS (INSERT INTO review_job (id, tenant_id, document_id, chunks, chunks_open, name, error) VALUES ($5, $1, $3, 1, 1, E'lease\x07.txt', E'a\tgap')),
	c AS (INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, status) VALUES ($6, $1, $5, 0, 0, 1, 'pending')),
	u AS (INSERT INTO offer_user (id, tenant_id, timezone) VALUES ($7, $1, 'UTC'))
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, job_status, input_digest)
VALUES ($7, $1, '2026-03-02', 'UTC', $7, now(), now(), 'pending', 'd')`

// attempted gives a row three attempts: the first fails, the second ends without an answer, the
// third succeeds.
func attempted(t *testing.T, jobs *postgres.Jobs, advance func(time.Duration), id uuid.UUID) {
	t.Helper()
	claim := func(request string, suspects bool) job.Attempt {
		t.Helper()
		ctx := job.WithWorker(t.Context(), job.Worker{Name: "stream-" + request, Request: "request-" + request})
		c := must.Get(jobs.Claim(ctx, []job.Delivery{{ID: id, Count: 1}}, 3*time.Minute, suspects))(t)[0]
		if c.Found != job.Claimed || c.Suspect {
			t.Fatalf("%s: claim found %v, suspect %t", request, c.Found, c.Suspect)
		}
		advance(10 * time.Second)
		return c.Attempt
	}
	first := claim("a", false)
	if held, err := jobs.Release(t.Context(), first, job.Release{Status: job.StatusPending, Reason: "storage is away", Due: 5 * time.Minute}); !held || err != nil {
		t.Fatal(held, err)
	}
	advance(350 * time.Second)
	claim("b", false)
	advance(230 * time.Second)
	third := claim("c", true)
	if held := must.Get(jobs.SucceedAll(t.Context(), []job.Attempt{third}))(t); len(held) != 1 {
		t.Fatal("the third attempt did not succeed")
	}
}

// The story of each workload's row has every attempt, with the log to read and its end.
func TestStatusHasAttempts(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	// Later than the rows, which are due by the real clock.
	now := time.Date(2040, 3, 2, 9, 0, 0, 0, time.UTC)
	clock, simURL := postgrestest.WithClock(t, url, now)
	advance := func(d time.Duration) {
		now = now.Add(d)
		must.OK(t, clock.Advance(t.Context(), d))
	}
	ids := make([]any, 7)
	for i := range ids {
		ids[i] = uuid.New()
	}
	postgrestest.Exec(t, postgrestest.Conn(t, simURL), triedRowsSQL, ids...)
	db := postgrestest.Open(t, simURL)
	var commands []string
	for _, of := range []struct {
		function manifest.Function
		row      any
	}{
		{manifest.Match, ids[1]}, {manifest.Ingest, ids[3]}, {manifest.Review, ids[5]}, {manifest.Offer, ids[6]},
	} {
		attempted(t, db.JobsOf(postgres.Tables[of.function.Name]), advance, of.row.(uuid.UUID))
		for _, command := range []string{"status", "explain"} {
			commands = append(commands, fmt.Sprint(command, " ", of.row))
		}
	}
	transcript(t, "attempts", simURL, commands...)
}
