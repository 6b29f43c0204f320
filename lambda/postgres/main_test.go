package postgres_test

import (
	"os"
	"testing"
	"time"

	"matchbook/lambda/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	if os.Getenv(envFrozen) == "" { // the helper process is stopped in the middle of things
		postgrestest.Parallel("8")
	}
	os.Exit(m.Run())
}

// stuck bounds what must happen: no machine is so slow.
const stuck = 9 * time.Minute
