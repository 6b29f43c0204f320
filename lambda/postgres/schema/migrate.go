package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/postgres"
	"matchbook/migrations"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migration is a numbered migration, and the time it was applied or zero.
type Migration struct {
	Version   int64     `json:"version"`
	Name      string    `json:"name"`
	AppliedAt time.Time `json:"applied_at,omitzero"`
}

// Migrate brings the schema of the database at url up to date. Several machines may run it at
// once: a session lock lets one of them work. It must have the server itself, so it refuses a
// pooler, because the next transaction would have another session and not the lock.
//
// A migration that waited for a table longer than its lock_timeout runs again, a few times.
func Migrate(ctx context.Context, url string) ([]Migration, error) {
	return migrate(ctx, url, migrations.FS, backOff)
}

// lockTries is the number of tries of a migration waiting for a lock.
const lockTries = 6

// backOff waits 1, 2, 4, 8 and 16 s between the tries: long enough for most sessions holding a
// lock, and well within the migrate function's time.
func backOff(ctx context.Context, try int) error {
	return backoff.Sleep(ctx, time.Second<<try)
}

func migrate(
	ctx context.Context, url string, files fs.FS, pause func(ctx context.Context, try int) error,
) ([]Migration, error) {
	return withGoose(ctx, url, files, func(p *goose.Provider, db *sql.DB) (list []Migration, err error) {
		for try := range lockTries {
			var done []*goose.MigrationResult
			done, err = p.Up(ctx)
			var partly *goose.PartialError // names the migrations applied before it
			if errors.As(err, &partly) {
				done = partly.Applied
			}
			list = append(list, results(done)...)
			if !lockTimedOut(err) || try == lockTries-1 || pause(ctx, try) != nil {
				break
			}
		}
		if err != nil {
			return list, err
		}
		_, err = db.ExecContext(ctx, GrantSQL)
		return list, failure.At("grant "+AppRole, err)
	})
}

// lockTimedOut reports whether another session held a lock for too long.
func lockTimedOut(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "55P03"
}

// MigrateDown undoes the newest migration.
func MigrateDown(ctx context.Context, url string) ([]Migration, error) {
	return withGoose(ctx, url, migrations.FS, func(p *goose.Provider, _ *sql.DB) ([]Migration, error) {
		done, err := p.Down(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return results([]*goose.MigrationResult{done}), nil
	})
}

// Status lists all migrations, oldest first.
func Status(ctx context.Context, url string) ([]Migration, error) {
	return withGoose(ctx, url, migrations.FS, func(p *goose.Provider, _ *sql.DB) (list []Migration, err error) {
		status, err := p.Status(ctx)
		for _, s := range status {
			list = append(list, Migration{s.Source.Version, s.Source.Path, s.AppliedAt})
		}
		return list, err
	})
}

func withGoose(
	ctx context.Context, url string, files fs.FS, run func(*goose.Provider, *sql.DB) ([]Migration, error),
) ([]Migration, error) {
	config, err := pgxpool.ParseConfig(url) // it accepts the parameters of postgres.Open too
	if err != nil {
		return nil, failure.Permanently("invalid PostgreSQL URL: expected postgres://user:password@host:5432/database")
	}
	if err := refusePooler(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	// The session with goose's lock is idle during the migrations.
	config.ConnConfig.RuntimeParams["idle_session_timeout"] = "0"
	db := stdlib.OpenDB(*config.ConnConfig)
	defer db.Close()
	// It requests the lock once a second, for five minutes.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, fmt.Errorf("prepare migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("prepare migrations: %w", err)
	}
	list, err := run(provider, db)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	return list, nil
}

// refusePooler returns an error if a pooler sits in front of the server.
func refusePooler(ctx context.Context, config *pgx.ConnConfig) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Close(ctx)
	between, err := postgres.Pooled(ctx, conn)
	if err == nil && between {
		err = failure.Permanently("migrations must run on the server itself, not through a pooler " +
			"such as PgBouncer or RDS Proxy: use the server's own address")
	}
	return err
}

func results(done []*goose.MigrationResult) (list []Migration) {
	for _, r := range done {
		list = append(list, Migration{Version: r.Source.Version, Name: r.Source.Path})
	}
	return list
}
