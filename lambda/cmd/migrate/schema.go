package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres/schema"
	"matchbook/lambda/setup"
)

// migrate brings the schema of the configured database up to date, makes the programs' user if it
// is configured, and returns the applied migrations. Its error contains a hint, but nothing of the connection.
func migrate(ctx context.Context, c setup.Config) ([]schema.Migration, error) {
	done, err := schema.Migrate(ctx, c.DatabaseURL)
	if err == nil && c.AppDatabaseURL != "" {
		err = schema.PutLogin(ctx, c.DatabaseURL, c.AppDatabaseURL)
	}
	if err == nil {
		if hint, err := schema.RoleHint(ctx, c.DatabaseURL); err == nil && hint != "" {
			slog.Warn("functions need the owner's login", "reason", hint)
		}
		return done, nil
	}
	reason := failure.Of(err).Text
	if hint := migrationHint(err); hint != "" {
		reason += "; " + hint
	}
	return nil, errors.New("schema not updated: " + reason)
}

// migrationHint returns the steps to take after an error of a migration; "" if the error
// explains itself.
func migrationHint(err error) string {
	var decided *failure.Error
	var database interface{ SQLState() string } // pgconn.PgError
	var network net.Error
	switch {
	case errors.As(err, &decided):
		return ""
	case errors.As(err, &database):
		return stateHint(database.SQLState())
	case errors.Is(err, context.DeadlineExceeded):
		return "PostgreSQL timed out; check that its security group lets this function in, " +
			"and that no other migration holds the lock"
	case failure.Disconnected(err):
		return "connection refused by PostgreSQL or a host before it; check host and port, " +
			"and that its security group lets this function in"
	case errors.As(err, &network):
		return "PostgreSQL not found or not responding; check the host's name, and that there is a route to it"
	}
	return ""
}

func stateHint(state string) string {
	switch {
	case strings.HasPrefix(state, "28"):
		return "login refused; check user and password in the secret"
	case state == "3D000":
		return "database not found; create it first"
	case state == "55P03":
		return "table locked by another session; look for a long transaction in pg_stat_activity, and deploy again"
	case state == "42501":
		return "missing permission to change the schema; grant CREATE on the schema public"
	}
	return ""
}
