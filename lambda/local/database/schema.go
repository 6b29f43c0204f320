package database

import (
	"context"
	"errors"

	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/schema"
)

// Migrate applies the migrations that are missing, unless a later version of
// this program has migrated the database.
func Migrate(ctx context.Context, url string) ([]schema.Migration, error) {
	if err := RefuseNewer(ctx, url); err != nil {
		return nil, err
	}
	return schema.Migrate(ctx, url)
}

// MigrateDown undoes the newest migration, unless a later version of this
// program has migrated the database.
func MigrateDown(ctx context.Context, url string) ([]schema.Migration, error) {
	if err := RefuseNewer(ctx, url); err != nil {
		return nil, err
	}
	return schema.MigrateDown(ctx, url)
}

// RefuseNewer returns an error when the schema is that of a later version of
// this program.
func RefuseNewer(ctx context.Context, url string) error {
	c, err := checkup.Open(ctx, url)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	defer c.Close(ctx)
	s, err := c.Schema(ctx)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	return s.TooNew()
}
