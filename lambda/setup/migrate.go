package setup

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/schema"
)

// Migrate brings the schema of the configured database up to date and returns
// the migrations that it applied. Its error contains nothing of the connection,
// and a hint.
func Migrate(ctx context.Context, c Config) ([]schema.Migration, error) {
	done, err := schema.Migrate(ctx, c.DatabaseURL)
	if err == nil {
		return done, nil
	}
	reason := failure.Of(err).Text
	if hint := migrationHint(err); hint != "" {
		reason += ": " + hint
	}
	return nil, errors.New("the schema was not brought up to date: " + reason)
}

// migrationHint returns the steps that may help against an error of a
// migration; none if the error explains itself.
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
		return "PostgreSQL did not answer in time: check that its security group lets this function in, " +
			"and that no other migration holds the lock"
	case failure.Disconnected(err):
		return "PostgreSQL or a host before it refused the connection: check host and port, " +
			"and that its security group lets this function in"
	case errors.As(err, &network):
		return "PostgreSQL was not found, or gave no answer: check the host's name, and that there is a route to it"
	}
	return ""
}

// stateHint returns the hint for an error of the database, by its SQLSTATE.
func stateHint(state string) string {
	switch {
	case strings.HasPrefix(state, "28"):
		return "PostgreSQL refused the login: check user and password in the secret"
	case state == "3D000":
		return "there is no such database: create it first"
	case state == "55P03":
		return "another session kept a table locked: look for a long transaction in pg_stat_activity, and deploy again"
	case state == "42501":
		return "the user may not change the schema: grant CREATE on the schema public"
	}
	return ""
}

// warnNewer logs a warning if the schema is newer than this version. It does
// not refuse to work: in every deployment with migrations the version before
// works with the new schema until its alias moves on, and after a deployment
// that was rolled back until the next one. Migrations keep to that rule (see
// package migrations); refusing here would stop the traffic each time. The
// command has no such reason, and refuses.
//
// It runs in a goroutine of its own and reports no error: the work meets the
// same error, and reports it.
func warnNewer(db *postgres.DB, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if s, err := schema.Read(ctx, db); err == nil && s.Newer > 0 {
		log.Warn("the schema is newer than this version, "+
			"which is fine during a deployment and after one that was rolled back", "schema", s.Newer, "known", s.Known)
	}
}
