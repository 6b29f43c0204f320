package main

import (
	"strings"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

// A slow chunk waits for the model's provider, or its worker has ended: the two
// are told apart, for a chunk and for its review.
func TestExplainSlowChunk(t *testing.T) {
	t.Parallel()
	const review, chunk = "10000000-0000-4000-8000-000000000931", "10000000-0000-4000-8000-000000000932"
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ('`+oneTenant+`', 'one')),
		d AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ('`+review+`', '`+oneTenant+`', NULL)),
		j AS (INSERT INTO review_job (id, tenant_id, document_id, status, chunks, chunks_open, model)
			VALUES ('`+review+`', '`+oneTenant+`', '`+review+`', 'running', 2, 2, 'm')),
		p AS (INSERT INTO model_pause VALUES ('m', now() - interval '1 second'))
		INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, status)
		VALUES ('`+chunk+`', '`+oneTenant+`', '`+review+`', 1, 0, 1, 'pending')`)
	for _, tc := range []struct {
		set, want string // want: parts, with | between them
		not       string
	}{
		{"UPDATE review_chunk SET due_at = now() + interval '5 minutes', attempts = 1, error = 'the model is away'",
			"status pending, 1 attempt error the model is away waits for its message, due 2", "rate limit"},
		{"UPDATE model_pause SET until = now() + interval '2 minutes'",
			"paused waits for the rate limit of the model until 2|(in |waits for its message", "ended without"},
		{`UPDATE review_chunk SET status = 'in-progress', attempts = 2, lapses = 1, error = NULL,
			lease_until = now() + interval '5 minutes'`,
			"status in-progress, 2 attempts lapsed attempt 2: the worker of attempt 1 ended without a result paused waits for the " +
				"rate limit|waits for its worker, with a lease until 2", "error"},
		{"DELETE FROM model_pause", "ended without a result waits for its worker", "rate limit"},
	} {
		postgrestest.Exec(t, conn, tc.set)
		for _, id := range []string{review, chunk} {
			explainsInOrder(t, url, id, tc.not, strings.Split("review "+review+", running chunk 2, "+chunk+"|"+tc.want, "|")...)
		}
	}
}
