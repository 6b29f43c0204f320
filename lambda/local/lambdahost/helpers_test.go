package lambdahost

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/postgres/postgrestest"
)

const testFunction = "matchbook/lambda/local/internal/testfunction"

// testFunctionDir is where the test function is built; TestMain removes it.
var testFunctionDir string

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "testfunction")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		testFunctionDir = dir
		return m.Run()
	}())
}

// buildTestFunction builds the test function once per test binary.
var buildTestFunction = sync.OnceValues(func() (string, error) {
	if file := os.Getenv("LOCAL_TEST_BOOTSTRAP"); file != "" {
		return file, nil
	}
	return Bootstrap(context.Background(), testFunctionDir, testFunction, nil)
})

// newTestFunction returns a function of the test bootstrap that is closed with the test.
func newTestFunction(t *testing.T, cfg Config) *Function {
	t.Helper()
	bootstrap, err := buildTestFunction()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Bootstrap == "" {
		cfg.Bootstrap = bootstrap
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
	if err != nil {
		t.Fatalf("invoke %s: %v", payload, err)
	}
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

// invokeAsync invokes in the background and returns where the error will be.
func invokeAsync(t *testing.T, f *Function, payload string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := f.Invoke(context.WithoutCancel(t.Context()), []byte(payload))
		done <- err
	}()
	return done
}
