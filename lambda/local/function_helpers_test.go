package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/postgres/postgrestest"
)

const testFunction = "matchbook/lambda/local/internal/testfunction"

// patience bounds what must happen; nothing waits this long when all is well.
const patience = 9 * time.Minute

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
func newTestFunction(t *testing.T, cfg FunctionConfig) *Function {
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
		cfg.Timeout = patience
	}
	f := NewFunction(cfg)
	f.initTimeout = patience
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

// gate is where a function that was told to hold connects to.
type gate struct {
	t  *testing.T
	ln net.Listener
}

func newGate(t *testing.T) gate {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return gate{t, ln}
}

func (g gate) hold() string {
	return fmt.Sprintf(`{"do":"hold","addr":%q}`, g.ln.Addr())
}

// heldProcess is a process that waits at a gate.
type heldProcess struct {
	t    *testing.T
	pid  int
	conn *net.TCPConn
}

func (g gate) next() heldProcess {
	g.t.Helper()
	_ = g.ln.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
	conn, err := g.ln.Accept()
	if err != nil {
		g.t.Fatalf("no process came to the gate: %v", err)
	}
	g.t.Cleanup(func() { conn.Close() })
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		g.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		g.t.Fatal(err)
	}
	return heldProcess{g.t, pid, conn.(*net.TCPConn)}
}

func (h heldProcess) release() { h.conn.CloseWrite() }

// waitForEnd waits until the process has ended: then its connection ends.
func (h heldProcess) waitForEnd() {
	h.t.Helper()
	_ = h.conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadAll(h.conn); errors.Is(err, os.ErrDeadlineExceeded) {
		h.t.Fatalf("process %d is still there", h.pid)
	}
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
