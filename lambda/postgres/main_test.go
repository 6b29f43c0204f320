package postgres_test

import (
	"os"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	postgrestest.Parallel("8")
	os.Exit(m.Run())
}
