package gatetest

import (
	"context"
	"os"
	"sync"
	"testing"
)

// Function is the test function's main package.
const Function = "matchbook/lambda/local/internal/testfunction"

// bootstrap builds the test function once per test binary.
var bootstrap func() (string, error)

// Run runs a package's tests and returns the exit code. Use it in TestMain. build, such as
// lambdahost.Bootstrap, builds the test function on first use.
func Run(m *testing.M, build func(ctx context.Context, dir, pkg string, progress func(string)) (string, error)) int {
	dir, err := os.MkdirTemp("", "testfunction")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bootstrap = sync.OnceValues(func() (string, error) { return build(context.Background(), dir, Function, nil) })
	return m.Run()
}

// Bootstrap returns the test function's executable.
func Bootstrap(t *testing.T) string {
	t.Helper()
	file, err := bootstrap()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Invoker is something to invoke, such as a lambdahost.Function.
type Invoker interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// InvokeAsync invokes f in the background and returns a channel for its error.
func InvokeAsync(t *testing.T, f Invoker, payload string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := f.Invoke(context.WithoutCancel(t.Context()), []byte(payload))
		done <- err
	}()
	return done
}
