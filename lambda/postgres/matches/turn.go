package matches

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// tryLock requests the tenant's lock until the end of the transaction.
const tryLock = `pg_try_advisory_xact_lock(` + postgres.TurnKey + `)`

// lockTenantSQL requests the lock. The following statements use its answer (inTurn) and read
// nothing if it was refused.
const lockTenantSQL = `
SELECT set_config('matchbook.turn', ` + tryLock + `::text, true) = 'true'`

// planOnceSQL begins the transactions each document has. Their statements read rows by index,
// but PostgreSQL plans most of them each time for the sizes of their arrays, which took an
// eighth of the server's time. With the statistics of a new tenant, or of a table empty a
// minute ago, it even reads whole tables. planOnceSQL also sets inTurn, so that reads work
// without the tenant's lock; lockTenantSQL sets it again.
const planOnceSQL = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
	set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('matchbook.turn', 'true', true)`

// lockBrieflySQL shortens the wait for a row. A row kept locked by another program has already
// failed a shared turn, and each of its documents would hold the tenant's others as long again.
const lockBrieflySQL = `
SELECT set_config('lock_timeout', greatest(setting::integer / 15, 1)::text, true) FROM pg_settings WHERE name = 'lock_timeout'`

// inTurn is the condition of statements sent together with the lock request.
const inTurn = `current_setting('matchbook.turn') = 'true'`

// freeSQL asks whether the lock is free. It must be a transaction by itself, because it takes
// a free lock.
const freeSQL = `SELECT ` + tryLock

// The waits of a process before it looks again for a tenant's lock held by another. They
// double from the first to the longest; a turn is a whole batch's.
const (
	firstWait   = 5 * time.Millisecond
	longestWait = 40 * time.Millisecond
)

var errTaken = errors.New("tenant's lock is held by another process")

// inTurn runs the statements of first, and then fn, in a transaction that has the tenant to
// itself, again if it lost a race. Waiting for a tenant holds no connection. The statements go
// out together with the lock request; a refused process looks until the lock is free before it
// requests it again.
//
// Within a process, a tenant's writers queue in order. Between processes chance decides, and no
// process starves: it waits at most longestWait between two looks, and the lock is free for a
// round trip between two transactions of another process, so the chance of an attempt doesn't
// go down with time. A brief turn waits only briefly for locks of rows.
func (m *Store) inTurn(ctx context.Context, tenant uuid.UUID, brief bool, first func(*pgx.Batch), fn func(pgx.Tx) error) error {
	return postgres.Steadily(ctx, func() error {
		if err := m.turns.enter(ctx, tenant); err != nil {
			return err
		}
		defer m.turns.leave(tenant)
		err, free := errTaken, !m.turns.contended(tenant)
		for waits := (backoff.Waits{First: firstWait, Longest: longestWait}); ; {
			if free {
				err = m.tryTurn(ctx, tenant, brief, first, fn)
			}
			if !errors.Is(err, errTaken) {
				return err
			}
			m.turns.refuse(tenant)
			if !waits.Next(ctx) {
				return ctx.Err()
			}
			looked, err := postgres.Value[bool](ctx, m.db, freeSQL, tenant)
			if err != nil {
				return err
			}
			free = looked
		}
	})
}

// errNothing ends a transaction with nothing to write.
var errNothing = errors.New("nothing to write")

// tryTurn returns errTaken if another process has the lock.
func (m *Store) tryTurn(ctx context.Context, tenant uuid.UUID, brief bool, first func(*pgx.Batch), fn func(pgx.Tx) error) error {
	var ours bool
	err := m.db.InTxWith(ctx, func(batch *pgx.Batch) {
		batch.Queue(planOnceSQL)
		if brief {
			batch.Queue(lockBrieflySQL)
		}
		batch.Queue(lockTenantSQL, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&ours) })
		first(batch)
	}, func(tx pgx.Tx) error {
		if !ours {
			return errTaken
		}
		return fn(tx)
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// turns holds this process's queues of writers, one for each tenant.
type turns struct {
	mu      sync.Mutex
	lines   map[uuid.UUID][]chan struct{} // by tenant, in order; present while a writer has the turn
	refused map[uuid.UUID]time.Time
	onEvent func(event string) // for tests; nil
}

// contendedFor is the time after a refusal in which a tenant counts as contended. Processes
// must then look whether the lock is free before they request it.
const contendedFor = 250 * time.Millisecond

func (t *turns) contended(tenant uuid.UUID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	contended := time.Since(t.refused[tenant]) <= contendedFor
	if !contended {
		delete(t.refused, tenant)
	}
	return contended
}

func (t *turns) refuse(tenant uuid.UUID) {
	t.event("refused")
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused[tenant] = time.Now()
}

// enter waits until the turn begins, or until ctx is done. You must end a turn with leave.
func (t *turns) enter(ctx context.Context, tenant uuid.UUID) error {
	t.mu.Lock()
	line, taken := t.lines[tenant]
	if !taken {
		t.lines[tenant] = nil
		t.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	t.lines[tenant] = append(line, turn)
	t.mu.Unlock()
	t.event("queued")
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	i := slices.Index(t.lines[tenant], turn)
	if i >= 0 {
		t.lines[tenant] = slices.Delete(t.lines[tenant], i, i+1)
	}
	t.mu.Unlock()
	if i < 0 { // the turn has begun
		t.leave(tenant)
	}
	return ctx.Err()
}

// leave passes the turn to the next writer.
func (t *turns) leave(tenant uuid.UUID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.lines[tenant]
	if len(line) == 0 {
		delete(t.lines, tenant)
		return
	}
	t.lines[tenant] = line[1:]
	close(line[0])
}

func (t *turns) event(event string) {
	if t.onEvent != nil {
		t.onEvent(event)
	}
}
