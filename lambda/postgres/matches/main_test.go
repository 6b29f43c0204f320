package matches_test

import (
	"os"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	if os.Getenv(envFrozen) == "" { // the helper process is stopped in the middle of things
		postgrestest.Parallel("8")
	}
	os.Exit(m.Run())
}
