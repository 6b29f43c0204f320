package plan

import (
	"os"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	os.Exit(m.Run())
}
