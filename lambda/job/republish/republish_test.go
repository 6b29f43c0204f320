package republish_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"testing"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// queue accepts messages until it refuses them.
type queue struct {
	sent    int
	before  func() // called before each batch
	refusal error
}

func (q *queue) Send(ctx context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	if q.before != nil {
		q.before()
	}
	refusal := cmp.Or(ctx.Err(), q.refusal)
	if refusal != nil {
		for _, m := range messages {
			unsent = append(unsent, m.ID)
		}
		return unsent, refusal
	}
	q.sent += len(messages)
	return nil, nil
}

// failed is a database with n documents that failed.
func failed(t *testing.T, n int) (url string, db *postgres.DB) {
	t.Helper()
	url = postgrestest.URL(t)
	must.Get(postgrestest.Conn(t, url).Exec(t.Context(), `WITH t AS (INSERT INTO tenant (id, name) VALUES ($1, 'one'))
		INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at, matching_attempts)
		SELECT gen_random_uuid(), $1, 'invoice', '{}', 'failed', now() - interval '1 hour', 2 FROM generate_series(1, $2)`,
		uuid.New(), n))(t)
	return url, postgrestest.Open(t, url)
}

// fate is the part of a report that counts documents.
type fate struct{ selected, published, unsent, skipped, left int }

func fateOf(r *republish.Report) fate {
	return fate{r.Selected, r.Published, r.Unsent, r.Skipped, r.Left}
}

func publish(ctx context.Context, t *testing.T, db *postgres.DB, q *queue) (*republish.Report, error) {
	t.Helper()
	m := term.NewMeter(io.Discard)
	defer m.Close()
	return republish.Publish(ctx, db, postgres.Tables[manifest.Match.Name], q, postgres.FailedFilter{}, m)
}

func TestChangedRowIsSkipped(t *testing.T) {
	t.Parallel()
	const all = republish.Batch + 3
	url, db := failed(t, all)
	conn := postgrestest.Conn(t, url)
	q := &queue{before: func() { // while the first batch is sent, two documents of the second one fail again
		_, err := conn.Exec(t.Context(), `UPDATE document SET matching_failed_at = now() + interval '1 hour'
			WHERE id IN (SELECT id FROM document WHERE matching_status = 'failed' LIMIT 2)`)
		if err != nil {
			t.Error(err)
		}
	}}
	r, err := publish(t.Context(), t, db, q)
	if want := (fate{all, all - 2, 0, 2, 0}); err != nil || fateOf(r) != want || q.sent != all-2 {
		t.Errorf("got %+v, %d messages, %v; want %+v", fateOf(r), q.sent, err, want)
	}
}

func TestRefusalEndsRun(t *testing.T) {
	t.Parallel()
	_, db := failed(t, republish.Batch+20)
	refusal := errors.New("no such queue")
	r, err := publish(t.Context(), t, db, &queue{refusal: refusal})
	want := fate{republish.Batch + 20, 0, republish.Batch, 0, 20}
	if err != nil || fateOf(r) != want || !errors.Is(r.Refused, refusal) {
		t.Errorf("got %+v, %v, %v; want %+v", fateOf(r), r.Refused, err, want)
	}
}

func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	_, db := failed(t, republish.Batch+20)
	ctx, interrupt := context.WithCancel(t.Context())
	r, err := publish(ctx, t, db, &queue{before: interrupt})
	want := fate{republish.Batch + 20, republish.Batch, 0, 0, 20}
	if !errors.Is(err, context.Canceled) || fateOf(r) != want {
		t.Errorf("got %+v, %v; want %+v", fateOf(r), err, want)
	}
}
