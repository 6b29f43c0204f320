package sweep_test

import (
	"context"
	"flag"
	"log/slog"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"

	"github.com/google/uuid"
)

// The full size is 2,000,000.
var imported = flag.Int("import", 2_000, "documents of the simulated imports")

// importing is an import under way: documents that wait, the messages of some
// of them in a queue, and workers that take them off its front at a steady
// rate. A stamp that the sweep has renewed makes the message before it void.
type importing struct {
	*fixture
	messages []int // numbers of the documents, in the order of their messages
	head     int
}

const importSQL = `
INSERT INTO document (id, tenant_id, type, structured_data, file_path, matching_status, matching_published_at, matching_due_at)
SELECT gen_random_uuid(), $1, 'invoice', '{}', n::text, 'pending', now() + n * interval '1 millisecond', now() + n * interval '1 millisecond'
FROM generate_series(0, $2 - 1) AS n`

func newImport(t *testing.T, documents, sent int) *importing {
	t.Helper()
	i := &importing{fixture: newFixture(t)}
	i.exec(importSQL, uuid.Nil, documents)
	i.exec("CREATE INDEX ON document ((file_path::int))")
	i.exec("ANALYZE document")
	for n := range sent {
		i.messages = append(i.messages, n)
	}
	return i
}

// Backlog is sweep.Queue's.
func (i *importing) Backlog(context.Context) (int, error) { return len(i.messages) - i.head, nil }

// Send is sweep.Queue's: it puts messages at the end.
func (i *importing) Send(ctx context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(messages))
	for k, m := range messages {
		ids[k] = m.ID
	}
	rows, err := i.conn.Query(ctx, "SELECT file_path::int FROM document WHERE id = ANY ($1) ORDER BY 1", ids)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		i.messages = append(i.messages, n)
	}
	return nil, rows.Err()
}

// work finishes what the last batch had at work, and takes the next messages
// off the queue: the last ones of them are at work when the sweep looks.
func (i *importing) work(messages, atWork int) {
	i.t.Helper()
	end := min(i.head+messages, len(i.messages))
	taken := i.messages[i.head:end]
	i.head = end
	i.exec("UPDATE document SET matching_status = 'succeeded', matching_lease_until = NULL WHERE matching_status = 'in-progress'")
	done := max(len(taken)-atWork, 0)
	i.exec("UPDATE document SET matching_status = 'succeeded', matching_due_at = NULL WHERE file_path::int = ANY ($1) AND matching_status = 'pending'", taken[:done])
	i.exec(`UPDATE document SET matching_status = 'in-progress', matching_attempts = matching_attempts + 1, matching_due_at = NULL,
		matching_lease_until = now() + interval '4 minutes' WHERE file_path::int = ANY ($1) AND matching_status = 'pending'`, taken[done:])
}

// run imports until nothing waits, a sweep every few minutes.
func (i *importing) run(perSweep int, every time.Duration) (total sweep.Report) {
	i.t.Helper()
	s := &sweep.Sweeper{Targets: workload(i.DB, i), Log: slog.New(slog.DiscardHandler)}
	for round := 0; ; round++ {
		i.work(perSweep, min(80, perSweep/2))
		i.advance(every)
		r := must.Get(s.Run(i.t.Context()))(i.t)
		total.Republished += r.Republished
		total.Lost += r.Lost
		total.Crashed += r.Crashed
		total.Recovered += r.Recovered
		var left int
		must.OK(i.t, i.conn.QueryRow(i.t.Context(),
			"SELECT count(*) FROM document WHERE matching_status <> 'succeeded'").Scan(&left))
		if left == 0 {
			return total
		}
		if round > 10_000 {
			i.t.Fatalf("%d documents are left after %d sweeps", left, round)
		}
	}
}

// 55 hours of work: 2,000,000 documents at 10 a second, or fewer of them at
// fewer a second, with the visibility and the sweeps of the deployed stack.
func importRates() (documents, perSweep int, every time.Duration) {
	const sweeps = 166 // one in twenty minutes: the others would find the same
	return *imported, max(*imported/sweeps, 1), 20 * time.Minute
}

// No message is missing: nothing is published again, and nothing is failed.
func TestLargeImportLeftAlone(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "simulates days")
	documents, perSweep, every := importRates()
	i := newImport(t, documents, documents)
	if got := i.run(perSweep, every); got != (sweep.Report{}) {
		t.Errorf("the sweep repaired %+v of an import that needed nothing", got)
	}
	if waste := len(i.messages) - documents; waste > documents/100 {
		t.Errorf("%d messages were sent again", waste)
	}
}

// The publisher died half way: the other half has no messages. They are
// published when the queue has come to its end, the first half is left alone.
func TestDeadPublisher(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "simulates days")
	documents, perSweep, every := importRates()
	i := newImport(t, documents, documents/2)
	got := i.run(perSweep, every)
	if got.Lost+got.Crashed > 0 {
		t.Errorf("failed %d as lost and %d as crashed, and all of them were healthy", got.Lost, got.Crashed)
	}
	missing := documents - documents/2
	again := len(i.messages) - documents/2
	if again < missing || again-missing > documents/2/100 {
		t.Errorf("published %d again, want the %d without a message and at most 1 %% of the others", again, missing)
	}
}
