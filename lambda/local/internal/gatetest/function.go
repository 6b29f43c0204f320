package gatetest

import (
	"context"
	"os"
	"sync"
	"testing"
)

// Function is the main package of the test function.
const Function = "matchbook/lambda/local/internal/testfunction"

// bootstrap builds the test function once per test binary.
var bootstrap func() (string, error)

// Run runs the tests of a package, and returns their exit code. build, such as
// lambdahost.Bootstrap, builds the test function when the first test needs it.
func Run(m *testing.M, build func(ctx context.Context, dir, pkg string, progress func(string)) (string, error)) int {
	dir, err := os.MkdirTemp("", "testfunction")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bootstrap = sync.OnceValues(func() (string, error) { return build(context.Background(), dir, Function, nil) })
	return m.Run()
}

// Bootstrap returns the executable of the test function.
func Bootstrap(t *testing.T) string {
	t.Helper()
	file, err := bootstrap()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Invoker is a function that can be invoked.
type Invoker interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// InvokeAsync invokes in the background and returns where the error will be.
func InvokeAsync(t *testing.T, f Invoker, payload string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := f.Invoke(context.WithoutCancel(t.Context()), []byte(payload))
		done <- err
	}()
	return done
}
