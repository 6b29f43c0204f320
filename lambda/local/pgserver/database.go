package pgserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// CreateDatabase creates an empty database with a random name starting with prefix, on the
// server of serverURL. Use drop to remove it, even with open connections and after ctx has
// ended.
func CreateDatabase(ctx context.Context, serverURL, prefix string) (databaseURL string, drop func() error, err error) {
	u, err := url.Parse(serverURL)
	if err != nil || !slices.Contains([]string{"postgres", "postgresql"}, u.Scheme) { // err would leak a password
		return "", nil, errors.New("invalid PostgreSQL URL: expected postgres://user:password@host:5432/database")
	}
	name := pgx.Identifier{prefix + uuid.NewString()}
	if err := execute(ctx, serverURL, "CREATE DATABASE "+name.Sanitize()+" TEMPLATE template0"); err != nil {
		return "", nil, fmt.Errorf("create database: %w", err)
	}
	u.Path, u.RawPath = "/"+name[0], ""
	return u.String(), func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		if err := execute(ctx, serverURL, "DROP DATABASE IF EXISTS "+name.Sanitize()+" WITH (FORCE)"); err != nil {
			return fmt.Errorf("drop database %s: %w", name[0], err)
		}
		return nil
	}, nil
}

func execute(ctx context.Context, serverURL, sql string) error {
	conn, err := pgx.Connect(ctx, serverURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}
