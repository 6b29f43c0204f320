package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pool is a pool of connections. It runs each statement in a transaction that
// names its isolation level, its timeouts and jit: no state is left in the session,
// which behind a pooler is another one each time, and no statement depends on the
// defaults of the server.
//
// A login may change while the pool is open: a statement whose login was refused
// is run again with the new one. It has had no effect, because there was no
// connection.
type pool struct {
	*pgxpool.Pool
	login  *login
	limits limits
}

// beginSQL does not leave the isolation level to the server's default: under
// another one, a statement that waited for a row fails instead of reading it again.
const beginSQL = "begin isolation level read committed"

// planOnceSQL begins the transactions that each document has. PostgreSQL plans most of
// their statements each time, for the sizes of their arrays, although each reads rows
// by an index: it took an eighth of the server's time.
const planOnceSQL = "set local plan_cache_mode = force_generic_plan"

// limits holds the timeouts of every transaction and its jit, as statements that set them.
type limits []string

// limitsOf takes these out of the settings, because a pooler refuses them
// when a connection is made, and takes those that are not set from the defaults.
func limitsOf(settings map[string]string, defaults [][2]string) (l limits) {
	for _, d := range defaults {
		name, value := d[0], d[1]
		if given := settings[name]; given != "" {
			value = given
		}
		delete(settings, name)
		l = append(l, "set local "+name+" = '"+strings.ReplaceAll(value, "'", "''")+"'")
	}
	return l
}

// begin returns options with one query, which a server answers in one round trip.
func (l limits) begin(begin string) pgx.TxOptions {
	return pgx.TxOptions{BeginQuery: strings.Join(append([]string{begin}, l...), "; ")}
}

// acquire returns a connection, with a new login if the last one is refused.
func (p *pool) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	c, err := p.Acquire(ctx)
	if p.login.renewed(ctx, err) {
		return p.Acquire(ctx)
	}
	return c, err
}

// Ping returns an error unless a connection works.
func (p *pool) Ping(ctx context.Context) error {
	c, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	return c.Ping(ctx)
}

// Begin begins a transaction, for pgx.BeginFunc.
func (p *pool) Begin(ctx context.Context) (pgx.Tx, error) {
	options := p.limits.begin(beginSQL)
	tx, err := p.BeginTx(ctx, options)
	if p.login.renewed(ctx, err) {
		return p.BeginTx(ctx, options)
	}
	return tx, err
}

// inTxWith runs fn in a transaction that begins with the statements of a batch, in
// one round trip. fn may commit with its last statements.
func (p *pool) inTxWith(ctx context.Context, b *pgx.Batch, fn func(pgx.Tx) error) error {
	c, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release() // which ends a transaction that is still open
	results := c.SendBatch(ctx, p.begun(b))
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

// begun returns a batch that begins a transaction with the statements of another.
func (p *pool) begun(b *pgx.Batch) *pgx.Batch {
	whole := &pgx.Batch{}
	whole.BeginTx(pgx.TxOptions{BeginQuery: beginSQL})
	for _, set := range p.limits {
		whole.Queue(set)
	}
	whole.QueuedQueries = append(whole.QueuedQueries, b.QueuedQueries...)
	return whole
}

// SendBatch runs the batch as one transaction, in one round trip. Its results
// must be closed.
func (p *pool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	c, err := p.acquire(ctx)
	if err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	whole := p.begun(b)
	whole.Queue("commit")
	return &ownTx{c.SendBatch(ctx, whole), ctx, c}
}

// ownTx holds the results of a batch that is a transaction by itself.
type ownTx struct {
	pgx.BatchResults
	ctx  context.Context
	conn *pgxpool.Conn
}

// Close makes the connection ready for the next transaction: a transaction that
// failed is still open.
func (r *ownTx) Close() error {
	err := r.BatchResults.Close()
	if r.conn != nil {
		_ = r.Tx().Rollback(r.ctx)
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

// row runs its query when it is scanned, and returns the error then.
type row func(dest ...any) error

// Scan implements pgx.Row.
func (r row) Scan(dest ...any) error { return r(dest...) }

// QueryRow runs a statement with one row.
func (p *pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return row(func(dest ...any) error {
		none := false
		b := &pgx.Batch{}
		b.Queue(sql, args...).QueryRow(func(r pgx.Row) error {
			err := r.Scan(dest...)
			if none = errors.Is(err, pgx.ErrNoRows); none {
				return nil // for the batch, whose statements would not be kept prepared after an error
			}
			return err
		})
		if err := p.SendBatch(ctx, b).Close(); err != nil || !none {
			return err
		}
		return pgx.ErrNoRows
	})
}

// Query runs a statement whose rows must be read to their end or closed, as pgx
// requires.
func (p *pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	r := p.SendBatch(ctx, b)
	for range 1 + len(p.limits) { // the statements before it
		_, _ = r.Exec() // Query returns its error, too
	}
	found, err := r.Query()
	rows := &rowsOf{Rows: found, results: r}
	if err != nil {
		rows.Close()
	}
	return rows, err
}

// rowsOf holds rows that end the transaction in which they are read.
type rowsOf struct {
	pgx.Rows
	results pgx.BatchResults
	err     error
}

// Next implements pgx.Rows.
func (r *rowsOf) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Close implements pgx.Rows.
func (r *rowsOf) Close() {
	r.Rows.Close()
	r.err = r.results.Close()
}

// Err implements pgx.Rows.
func (r *rowsOf) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}
