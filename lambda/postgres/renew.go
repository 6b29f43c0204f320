package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Renew returns the database's current URL after the server refused the given one, or false if
// it hasn't changed.
type Renew func(ctx context.Context, refused string) (url string, changed bool)

// refusals are the SQLSTATEs of a refused login: invalid password, invalid authorization.
var refusals = []string{"28P01", "28000"}

// login holds the role and the address of new connections.
type login struct {
	renew  Renew // nil: it never changes
	limits limits

	mu     sync.Mutex
	url    string
	config *pgx.ConnConfig
	pooled bool
}

// use is the pool's BeforeConnect.
func (l *login) use(_ context.Context, c *pgx.ConnConfig) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Host, c.Port, c.Database = l.config.Host, l.config.Port, l.config.Database
	c.User, c.Password = l.config.User, l.config.Password
	c.TLSConfig, c.Fallbacks = l.config.TLSConfig, l.config.Fallbacks
	if l.pooled {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return nil
}

// renewed reports whether connecting again may help: after a refusal if the login has changed,
// or in another mode after a pooler was found. A login renewed while the old one was being
// tried counts too.
func (l *login) renewed(ctx context.Context, err error) bool {
	if errors.Is(err, errPooled) {
		return true
	}
	connecting, failed := errors.AsType[*pgconn.ConnectError](err)
	if l.renew == nil || !failed || !slices.Contains(refusals, stateOf(err)) {
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
		return false // its text contains the URL
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.url, l.config = url, config
	return true
}

func sameLogin(a, b *pgconn.Config) bool {
	return a.Host == b.Host && a.Port == b.Port && a.Database == b.Database &&
		a.User == b.User && a.Password == b.Password
}
