package lambdahost

import (
	"context"
	"errors"
	"os"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	build := Bootstrap
	if file := os.Getenv("LOCAL_TEST_BOOTSTRAP"); file != "" {
		build = func(context.Context, string, string, func(string)) (string, error) { return file, nil }
	}
	os.Exit(gatetest.Run(m, build))
}

// newTestFunction returns a function of the test bootstrap that is closed with the test.
func newTestFunction(t *testing.T, cfg Config) *Function {
	t.Helper()
	if cfg.Bootstrap == "" {
		cfg.Bootstrap = gatetest.Bootstrap(t)
	}
	cfg.Name = "test"
	if cfg.Timeout == 0 {
		cfg.Timeout = gatetest.Patience
	}
	f := New(cfg)
	f.initTimeout = gatetest.Patience
	t.Cleanup(func() { f.Close() })
	return f
}

func mustInvoke(t *testing.T, f *Function, payload string) string {
	t.Helper()
	out, err := f.Invoke(t.Context(), []byte(payload))
	must.OK(t, err, "invoke", payload)
	return string(out)
}

func invokeError(t *testing.T, f *Function, payload string) *FunctionError {
	t.Helper()
	out, err := f.Invoke(t.Context(), []byte(payload))
	var failed *FunctionError
	if !errors.As(err, &failed) {
		t.Fatalf("invoke %s = %q, %v; want a *FunctionError", payload, out, err)
	}
	return failed
}
