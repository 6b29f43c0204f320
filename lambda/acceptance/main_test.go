package acceptance_test

import (
	"os"
	"testing"

	"matchbook/lambda/internal/browser"
	"matchbook/lambda/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	code := m.Run()
	browser.Quit()
	os.Exit(code)
}
