package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Renew is asked for the database's URL when the server has refused the one
// given. It reports false when there is no other.
type Renew func(ctx context.Context, refused string) (url string, changed bool)

// refusals are the SQLSTATEs of a login that is not taken: invalid password,
// invalid authorization.
var refusals = []string{"28P01", "28000"}

// login is the role and the address of new connections, as known by now.
type login struct {
	renew Renew // nil: it never changes

	mu     sync.Mutex
	url    string
	config *pgx.ConnConfig
	pooled bool
}

// use is for pgxpool.Config.BeforeConnect.
func (l *login) use(_ context.Context, c *pgx.ConnConfig) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Host, c.Port, c.Database, c.User, c.Password = l.config.Host, l.config.Port, l.config.Database, l.config.User, l.config.Password
	c.TLSConfig, c.Fallbacks = l.config.TLSConfig, l.config.Fallbacks
	if l.pooled {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return nil
}

// renewed reports whether err is a refusal and there is another login now, or
// a pooler was found and there is another mode. A login that was renewed during
// the attempt with the old one counts.
func (l *login) renewed(ctx context.Context, err error) bool {
	if errors.Is(err, errPooled) {
		return true
	}
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
