package acceptance_test

import (
	"os"
	"testing"

	"matchbook/lambda/internal/browser"
	"matchbook/lambda/postgres/postgrestest"
)

// builds is the folder of the programs that the tests build.
var builds string

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	var err error
	if builds, err = os.MkdirTemp("", "matchbook-acceptance-"); err != nil {
		panic(err)
	}
	code := m.Run()
	browser.Quit()
	_ = os.RemoveAll(builds)
	os.Exit(code)
}
