package setup

import (
	"context"
	"errors"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
)

// Migrate brings the schema of the configured database up to date and returns
// what it applied. Its error holds nothing of the connection, and says what to
// do.
func Migrate(ctx context.Context, c Config) ([]postgres.Migration, error) {
	done, err := postgres.Migrate(ctx, c.DatabaseURL)
	if err == nil {
		return done, nil
	}
	why := failure.Of(err).Text
	for part, hint := range migrationAdvice {
		if strings.Contains(why, part) {
			why += ": " + hint
		}
	}
	return nil, errors.New("the schema was not brought up to date: " + why)
}

// migrationAdvice says what to do, by what is in the sentence.
var migrationAdvice = map[string]string{
	"connection failed": "PostgreSQL refused the connection, or the way to it: check host and port, and that its security group lets this function in",
	"network error":     "PostgreSQL was not found, or gave no answer: check the host's name, and that there is a route to it",
	"out of time":       "PostgreSQL did not answer in time: check that its security group lets this function in, and that no other migration holds the lock",
	"SQLSTATE 28":       "PostgreSQL refused the login: check user and password in the secret",
	"SQLSTATE 3D000":    "there is no such database: create it first",
	"SQLSTATE 55P03":    "another session kept a table locked: see pg_stat_activity for one that is long in a transaction, and deploy again",
	"SQLSTATE 42501":    "the user may not change the schema: grant CREATE on the schema public",
}
