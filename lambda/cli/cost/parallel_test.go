package cost

import (
	"os"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

// builds is the folder of the function that the tests build.
var builds string

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	var err error
	if builds, err = os.MkdirTemp("", "matchbook-plan-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(builds)
	os.Exit(code)
}
