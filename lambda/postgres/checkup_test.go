package postgres_test

import (
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

func TestCheckupAsksInTransactionsThatCannotWrite(t *testing.T) {
	t.Parallel()
	c, err := postgres.OpenCheckup(t.Context(), postgrestest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	err = c.Read(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "CREATE TABLE written ()")
		return err
	})
	if err == nil || !strings.Contains(failure.Of(err).Text, "SQLSTATE 25006") {
		t.Errorf("got %v, want a transaction that only reads", err)
	}
}

func TestCheckupErrorsDoNotHoldThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:SECRET@host:port/", "postgres://user:SECRET@127.0.0.1:1/db"} {
		_, err := postgres.OpenCheckup(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("got %v", err)
		}
	}
}
