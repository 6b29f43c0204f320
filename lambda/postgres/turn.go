package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/internal/backoff"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// tryLock requests the tenant's lock until the end of the transaction.
const tryLock = `pg_try_advisory_xact_lock(hashtextextended('match:' || $1::text, 0))`

// lockTenantSQL requests the lock. The following statements use its answer (inTurn) and read
// nothing if it was refused.
const lockTenantSQL = `
SELECT set_config('matchbook.turn', ` + tryLock + `::text, true) = 'true'`

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
// Within a process, a tenant's writers queue in order, and the first tries to take the lock.
// All waiting writers then share its transaction, so first and fn must handle all of them.
// Between processes chance decides, and no process starves: it waits at most longestWait
// between two looks, and the lock is free for a round trip between two transactions of another
// process, so the chance of an attempt doesn't go down with time.
func (db *DB) inTurn(
	ctx context.Context, tenant uuid.UUID, w *write,
	first func(*pgx.Batch, []*write), fn func(pgx.Tx, []*write) error,
) error {
	return steadily(ctx, func() error {
		if written, err := db.turns.enter(ctx, tenant, w); err != nil || written {
			return err
		}
		defer db.turns.leave(tenant)
		db.progress.wait(ctx, writing, tenant, gatherTurns)
		err, free := errTaken, !db.turns.contended(tenant)
		for waits := (backoff.Waits{First: firstWait, Longest: longestWait}); ; {
			if free {
				err = repeat(ctx, func() error { return db.tryTurn(ctx, tenant, w, first, fn) })
			}
			if !errors.Is(err, errTaken) {
				return err
			}
			db.turns.refuse(tenant)
			if !waits.Next(ctx) {
				return ctx.Err()
			}
			if err := db.pool.QueryRow(ctx, freeSQL, tenant).Scan(&free); err != nil {
				return err
			}
		}
	})
}

// tryTurn returns errTaken if another process has the lock. If a shared transaction fails,
// each writer gets a separate one.
func (db *DB) tryTurn(
	ctx context.Context, tenant uuid.UUID, w *write,
	first func(*pgx.Batch, []*write), fn func(pgx.Tx, []*write) error,
) error {
	var ours bool
	group := db.turns.company(tenant, w)
	batch := &pgx.Batch{}
	batch.Queue(planOnceSQL)
	if w.brief {
		batch.Queue(lockBrieflySQL)
	}
	batch.Queue(lockTenantSQL, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&ours) })
	first(batch, group)
	var shared []*write
	err := db.pool.inTxWith(ctx, batch, func(tx pgx.Tx) error {
		if !ours {
			return errTaken
		}
		shared = db.turns.share(tenant, group[1:])
		return asOne(append([]*write{w}, shared...), func(group []*write) error { return fn(tx, group) })
	})
	if errors.Is(err, errNothing) {
		err = nil
	}
	if db.turns.end(shared, err == nil); err != nil && len(shared) > 0 {
		w.alone, w.brief = true, true
		return db.tryTurn(ctx, tenant, w, first, fn)
	}
	return err
}

// asOne runs fn for a group. It turns a panic into an error, so that each document is written
// alone.
func asOne(group []*write, fn func([]*write) error) (err error) {
	if len(group) > 1 {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
	}
	return fn(group)
}

// turns holds this process's queues of writers, one for each tenant. The zero value is empty.
type turns struct {
	mu      sync.Mutex
	lines   map[uuid.UUID][]*write // by tenant, in order; present while a writer has the turn
	refused map[uuid.UUID]time.Time
	onEvent func(event string) // for tests; nil
}

// gatherTurns is the longest wait of a writer for other documents of its tenant, so that they
// share its turn.
const gatherTurns = 50 * time.Millisecond

// contendedFor is the time after a refusal in which a tenant counts as contended. Processes
// must then look whether the lock is free before they request it.
const contendedFor = 250 * time.Millisecond

func (t *turns) contended(tenant uuid.UUID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, was := t.refused[tenant]
	if was && time.Since(at) > contendedFor {
		delete(t.refused, tenant)
		return false
	}
	return was
}

func (t *turns) refuse(tenant uuid.UUID) {
	t.event("refused")
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refused == nil {
		t.refused = map[uuid.UUID]time.Time{}
	}
	t.refused[tenant] = time.Now()
}

// enter waits until the turn begins, until another's turn has written w, or until ctx is done.
// You must end a turn with leave.
func (t *turns) enter(ctx context.Context, tenant uuid.UUID, w *write) (written bool, err error) {
	t.mu.Lock()
	line, taken := t.lines[tenant]
	if !taken {
		if t.lines == nil {
			t.lines = map[uuid.UUID][]*write{}
		}
		t.lines[tenant] = nil
		t.mu.Unlock()
		return false, nil
	}
	w.turn, w.shared = make(chan struct{}), false
	t.lines[tenant] = append(line, w)
	t.mu.Unlock()
	t.event("queued")
	select {
	case <-w.turn:
	case <-ctx.Done():
		if t.abandon(tenant, w) {
			return false, ctx.Err()
		}
		<-w.turn // being written
	}
	if w.shared && w.alone { // a shared turn failed
		return t.enter(ctx, tenant, w)
	}
	return w.shared, nil
}

// abandon leaves the queue if the writer is still in it.
func (t *turns) abandon(tenant uuid.UUID, w *write) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.lines[tenant], w)
	if i < 0 {
		return false
	}
	t.lines[tenant] = slices.Delete(t.lines[tenant], i, i+1)
	return true
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
	close(line[0].turn)
}

// company lists the writer and the queued ones it may share its turn with.
func (t *turns) company(tenant uuid.UUID, w *write) []*write {
	t.mu.Lock()
	defer t.mu.Unlock()
	group := []*write{w}
	for _, other := range t.lines[tenant] {
		if !w.alone && !other.alone {
			group = append(group, other)
		}
	}
	return group
}

// share takes the group's writers out of the queue, as far as they're still in it.
func (t *turns) share(tenant uuid.UUID, group []*write) (shared []*write) {
	for _, w := range group {
		if t.abandon(tenant, w) {
			shared = append(shared, w)
		}
	}
	return shared
}

// end ends a shared turn. If it didn't write, each sharer gets a separate turn next.
func (t *turns) end(shared []*write, written bool) {
	for _, w := range shared {
		w.shared, w.alone, w.brief = true, !written, !written
		close(w.turn)
	}
}

func (t *turns) event(event string) {
	if t.onEvent != nil {
		t.onEvent(event)
	}
}
