// Package gatetest builds the test function once per test binary, and holds its processes at a
// gate until a test releases them.
package gatetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Patience bounds waiting. A passing test never waits this long.
const Patience = 9 * time.Minute

// Receive waits for a value from ch.
func Receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(Patience):
		t.Fatal("nothing was received")
		panic("unreachable")
	}
}

// Gate waits for processes of the test function to connect.
type Gate struct {
	t  *testing.T
	ln net.Listener
}

// New returns a gate, closed when the test ends.
func New(t *testing.T) Gate {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return Gate{t, ln}
}

// Addr returns the gate's address.
func (g Gate) Addr() string { return g.ln.Addr().String() }

// Hold returns a payload for the test function: connect to the gate and wait there.
func (g Gate) Hold() string {
	return fmt.Sprintf(`{"do":"hold","addr":%q}`, g.Addr())
}

// Process is a process waiting at a gate.
type Process struct {
	PID  int
	t    *testing.T
	conn *net.TCPConn
}

// Next waits for the next process.
func (g Gate) Next() Process {
	g.t.Helper()
	_ = g.ln.(*net.TCPListener).SetDeadline(time.Now().Add(Patience))
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
	return Process{pid, g.t, conn.(*net.TCPConn)}
}

// Release lets the process continue.
func (p Process) Release() { _ = p.conn.CloseWrite() } // no effect if it has ended

// WaitForEnd waits until the process has ended, because its connection ends with it.
func (p Process) WaitForEnd() {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(Patience))
	if _, err := io.ReadAll(p.conn); errors.Is(err, os.ErrDeadlineExceeded) {
		p.t.Fatalf("process %d still runs", p.PID)
	}
}
