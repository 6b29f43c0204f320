package postgres_test

import (
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
)

func TestOpenErrorsHideURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:SECRET@host:port/", "SECRET", "postgres://user:SECRET@host/?pool_max_conns=many"} {
		_, err := postgres.Open(t.Context(), url, 1)
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("got %v", err)
		}
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	must.OK(t, postgrestest.Open(t, postgrestest.URL(t)).Ping(t.Context()))
	db := must.Get(postgres.Open(t.Context(), "postgres://user:SECRET@127.0.0.1:1/db", 1))(t)
	defer db.Close()
	err := db.Ping(t.Context())
	if err == nil {
		t.Fatal("no server answers, and there is no error")
	}
	if got := failure.Of(err); got.Kind != failure.Transient || got.Text != "reach the database: connection failed" {
		t.Errorf("got %+v", got)
	}
}
