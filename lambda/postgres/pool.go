package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pool is a pool of connections. No statement depends on the server's defaults. A connection
// with its own session gets its settings once, at the start (pooler.go). Without one, each
// transaction may run in another session, so it must make the settings itself and leave
// nothing behind.
//
// The login may change while the pool is open: after a refusal, the statement runs again with
// the new one. The first try had no effect, because there was no connection.
type pool struct {
	conns *pgxpool.Pool
	login *login
}

// beginSQL must set the isolation level, because under another default a statement that waited
// for a row fails instead of reading it again.
const beginSQL = "begin isolation level read committed"

// limits holds the timeouts of every transaction and its jit, by name.
type limits [][2]string

// limitsOf moves these out of the settings, because a pooler refuses them when a connection is
// made. It takes missing ones from the defaults.
func limitsOf(settings map[string]string, defaults [][2]string) (l limits) {
	for _, d := range defaults {
		name, value := d[0], d[1]
		if given := settings[name]; given != "" {
			value = given
		}
		delete(settings, name)
		l = append(l, [2]string{name, value})
	}
	return l
}

// local returns the statements that set a transaction's limits.
func (l limits) local() (list []string) {
	for _, limit := range l {
		list = append(list, "set local "+limit[0]+" = '"+strings.ReplaceAll(limit[1], "'", "''")+"'")
	}
	return list
}

// acquire returns a connection. If the login is refused, it tries again with a new one.
func (p *pool) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	c, err := p.conns.Acquire(ctx)
	if p.login.renewed(ctx, err) {
		return p.conns.Acquire(ctx)
	}
	return c, err
}

// inTx runs fn in a transaction that begins with the batch, in one round trip. fn may commit with
// its last statements.
func (p *pool) inTx(ctx context.Context, b *pgx.Batch, fn func(pgx.Tx) error) error {
	c, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release() // this ends a transaction still open
	results := c.SendBatch(ctx, p.begun(c, b))
	err = results.Close()
	tx := results.Tx()
	if err == nil {
		err = fn(tx)
	}
	if ended := c.Conn().PgConn().TxStatus() == 'I'; ended || err != nil {
		if !ended {
			_ = tx.Rollback(ctx)
		}
		return err
	}
	return tx.Commit(ctx)
}

// begun returns a batch that begins a transaction with the statements of b.
func (p *pool) begun(c *pgxpool.Conn, b *pgx.Batch) *pgx.Batch {
	whole := &pgx.Batch{}
	whole.BeginTx(pgx.TxOptions{BeginQuery: beginSQL})
	if !isOwn(c) {
		for _, set := range p.login.limits.local() {
			whole.Queue(set)
		}
	}
	whole.QueuedQueries = append(whole.QueuedQueries, b.QueuedQueries...)
	return whole
}

// SendBatch runs the batch as one transaction, in one round trip. You must close its results. In
// an own session, a batch is a transaction without further statements.
func (p *pool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	c, err := p.acquire(ctx)
	if err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	if !isOwn(c) {
		b = p.begun(c, b)
		b.Queue("commit")
	}
	return &ownTx{c.SendBatch(ctx, b), ctx, c}
}

// ownTx holds the results of a batch run as its own transaction.
type ownTx struct {
	pgx.BatchResults
	ctx  context.Context
	conn *pgxpool.Conn
}

// Close readies the connection for the next transaction, because a failed one is still open.
func (r *ownTx) Close() error {
	err := r.BatchResults.Close()
	if r.conn != nil {
		if tx := r.Tx(); tx != nil {
			_ = tx.Rollback(r.ctx)
		}
		r.conn.Release()
		r.conn = nil
	}
	return err
}

// Exec runs a statement without rows.
func (p *pool) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	b := &pgx.Batch{}
	b.Queue(sql, args...).Exec(func(t pgconn.CommandTag) error {
		tag = t
		return nil
	})
	err = p.SendBatch(ctx, b).Close()
	return tag, err
}

// changed runs a statement, again after a lost race, and returns the number of its rows.
func (p *pool) changed(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = repeat(ctx, func() error {
		tag, err := p.Exec(ctx, sql, args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}
