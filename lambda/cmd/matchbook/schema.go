package main

import (
	"context"
	"errors"

	"matchbook/lambda/postgres/checkup"
)

// refuseNewer refuses a database whose schema is that of a later version of
// this program.
func refuseNewer(ctx context.Context, url string) error {
	c, err := checkup.Open(ctx, url)
	if err != nil {
		return errors.New(describe(err))
	}
	defer c.Close(ctx)
	s, err := c.Schema(ctx)
	if err != nil {
		return errors.New(describe(err))
	}
	return s.TooNew()
}
