package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Renew is asked for the database's URL when the server has refused the one
// given. It reports false when there is no other.
type Renew func(ctx context.Context, refused string) (url string, changed bool)

// refusals are the SQLSTATEs of a login that is not taken: invalid password,
// invalid authorization.
var refusals = []string{"28P01", "28000"}

// pool is a pool of connections whose login may change while it is open: what
// fails because the login is refused is done once more with the new one.
// Nothing was done then, for there was no connection.
type pool struct {
	*pgxpool.Pool
	login *login
}

// login is who connects where, as far as that is known by now.
type login struct {
	renew Renew // nil: it never changes

	mu     sync.Mutex
	url    string
	config *pgx.ConnConfig
}

// use is for pgxpool.Config.BeforeConnect.
func (l *login) use(_ context.Context, c *pgx.ConnConfig) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Host, c.Port, c.Database, c.User, c.Password = l.config.Host, l.config.Port, l.config.Database, l.config.User, l.config.Password
	c.TLSConfig, c.Fallbacks = l.config.TLSConfig, l.config.Fallbacks
	return nil
}

// renewed reports whether err is a refusal and there is another login now. One
// that was renewed while somebody connected with the old one counts.
func (l *login) renewed(ctx context.Context, err error) bool {
	var connecting *pgconn.ConnectError
	var said *pgconn.PgError
	if l.renew == nil || !errors.As(err, &connecting) || !errors.As(err, &said) || !slices.Contains(refusals, said.Code) {
		return false
	}
	l.mu.Lock()
	url, same := l.url, sameLogin(connecting.Config, &l.config.Config)
	l.mu.Unlock()
	if !same {
		return true
	}
	url, changed := l.renew(ctx, url)
	if !changed {
		return false
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return false // its text holds the URL
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.url, l.config = url, config
	return true
}

func sameLogin(a, b *pgconn.Config) bool {
	return a.Host == b.Host && a.Port == b.Port && a.Database == b.Database && a.User == b.User && a.Password == b.Password
}

func (p *pool) Ping(ctx context.Context) error {
	err := p.Pool.Ping(ctx)
	if p.login.renewed(ctx, err) {
		return p.Pool.Ping(ctx)
	}
	return err
}

func (p *pool) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := p.Pool.Begin(ctx)
	if p.login.renewed(ctx, err) {
		return p.Pool.Begin(ctx)
	}
	return tx, err
}

func (p *pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := p.Pool.Exec(ctx, sql, args...)
	if p.login.renewed(ctx, err) {
		return p.Pool.Exec(ctx, sql, args...)
	}
	return tag, err
}

func (p *pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := p.Pool.Query(ctx, sql, args...)
	if p.login.renewed(ctx, err) {
		return p.Pool.Query(ctx, sql, args...)
	}
	return rows, err
}

// row is asked for when it is scanned, as its error is.
type row func(dest ...any) error

func (r row) Scan(dest ...any) error { return r(dest...) }

func (p *pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return row(func(dest ...any) error {
		err := p.Pool.QueryRow(ctx, sql, args...).Scan(dest...)
		if p.login.renewed(ctx, err) {
			return p.Pool.QueryRow(ctx, sql, args...).Scan(dest...)
		}
		return err
	})
}

func (p *pool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if c, err := p.Acquire(ctx); err == nil {
		c.Release() // so there is a connection
	} else {
		p.login.renewed(ctx, err)
	}
	return p.Pool.SendBatch(ctx, b)
}
