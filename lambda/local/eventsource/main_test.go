package eventsource

import (
	"context"
	"os"
	"sync"
	"testing"

	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/local/lambdahost"
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
	return lambdahost.Bootstrap(context.Background(), testFunctionDir, testFunction, nil)
})

// newTestFunction returns a function of the test bootstrap that is closed with the test.
func newTestFunction(t *testing.T, cfg lambdahost.Config) *lambdahost.Function {
	t.Helper()
	bootstrap, err := buildTestFunction()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Name, cfg.Bootstrap = "test", bootstrap
	if cfg.Timeout == 0 {
		cfg.Timeout = gatetest.Patience
	}
	f := lambdahost.New(cfg)
	t.Cleanup(func() { f.Close() })
	return f
}

// invokeAsync invokes in the background and returns where the error will be.
func invokeAsync(t *testing.T, f *lambdahost.Function, payload string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := f.Invoke(context.WithoutCancel(t.Context()), []byte(payload))
		done <- err
	}()
	return done
}
