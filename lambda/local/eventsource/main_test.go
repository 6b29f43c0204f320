package eventsource

import (
	"os"
	"testing"

	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	os.Exit(gatetest.Run(m, lambdahost.Bootstrap))
}

// newTestFunction returns a function of the test bootstrap that is closed with the test.
func newTestFunction(t *testing.T, cfg lambdahost.Config) *lambdahost.Function {
	t.Helper()
	cfg.Name, cfg.Bootstrap = "test", gatetest.Bootstrap(t)
	if cfg.Timeout == 0 {
		cfg.Timeout = gatetest.Patience
	}
	f := lambdahost.New(cfg)
	t.Cleanup(func() { f.Close() })
	return f
}
