package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const lockTenantSQL = `
SELECT pg_try_advisory_xact_lock(hashtextextended('match:' || $1::text, 0))`

// The waits of a process before it requests a tenant's lock again that another
// one holds. They double from the first to the longest.
const (
	firstWait   = 5 * time.Millisecond
	longestWait = 40 * time.Millisecond
)

var errTaken = errors.New("another process has the tenant's lock")

// inTurn runs the statements of first, and then fn, in a transaction that has the
// tenant to itself, again if it lost a race. Waiting for a tenant
// holds no connection. The first time, the statements go out together with the
// request for the lock; a process that was refused waits for the lock before them.
//
// Within a process, writers of a tenant queue in order, and the first of the
// queue tries to take the lock. Between processes chance decides, and no process
// starves: the wait between two attempts never exceeds longestWait, and between
// two transactions of another process the lock is free for a round trip, so
// that the chance of an attempt does not go down with time.
func (db *DB) inTurn(
	ctx context.Context, tenant uuid.UUID, first func(*pgx.Batch), fn func(pgx.Tx) error,
) error {
	return steadily(ctx, func() error { return db.inTurnOnce(ctx, tenant, first, fn) })
}

func (db *DB) inTurnOnce(
	ctx context.Context, tenant uuid.UUID, first func(*pgx.Batch), fn func(pgx.Tx) error,
) error {
	if err := db.turns.enter(ctx, tenant); err != nil {
		return err
	}
	defer db.turns.leave(tenant)
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := repeat(ctx, func() error { return db.tryTurn(ctx, tenant, wait == firstWait, first, fn) })
		if !errors.Is(err, errTaken) {
			return err
		}
		db.turns.event("refused")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
	}
}

// tryTurn returns errTaken if another process has the lock.
func (db *DB) tryTurn(
	ctx context.Context, tenant uuid.UUID, together bool, first func(*pgx.Batch), fn func(pgx.Tx) error,
) error {
	var ours bool
	batch := &pgx.Batch{}
	batch.Queue(lockTenantSQL, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&ours) })
	if together {
		first(batch)
	}
	return db.pool.inTxWith(ctx, batch, func(tx pgx.Tx) error {
		if !ours {
			return errTaken
		}
		if !together {
			batch := &pgx.Batch{}
			first(batch)
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
		}
		return fn(tx)
	})
}

// turns holds the queues of this process, one for each tenant. The zero value is
// empty.
type turns struct {
	mu      sync.Mutex
	lines   map[uuid.UUID][]chan struct{} // by tenant; present while a writer has the turn, closed in order
	onEvent func(event string)            // for tests; nil
}

// enter waits for the turn, which leave must end, or until the context is done.
func (t *turns) enter(ctx context.Context, tenant uuid.UUID) error {
	t.mu.Lock()
	line, taken := t.lines[tenant]
	if !taken {
		if t.lines == nil {
			t.lines = map[uuid.UUID][]chan struct{}{}
		}
		t.lines[tenant] = nil
		t.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	t.lines[tenant] = append(line, mine)
	t.mu.Unlock()
	t.event("queued")
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
		t.abandon(tenant, mine)
		return ctx.Err()
	}
}

// abandon leaves the line, or passes on a turn that began at the same moment.
func (t *turns) abandon(tenant uuid.UUID, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.lines[tenant], mine); i >= 0 {
		t.lines[tenant] = slices.Delete(t.lines[tenant], i, i+1)
		return
	}
	t.pass(tenant)
}

func (t *turns) leave(tenant uuid.UUID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(tenant)
}

func (t *turns) pass(tenant uuid.UUID) {
	line := t.lines[tenant]
	if len(line) == 0 {
		delete(t.lines, tenant)
		return
	}
	close(line[0])
	t.lines[tenant] = line[1:]
}

func (t *turns) event(event string) {
	if t.onEvent != nil {
		t.onEvent(event)
	}
}
