package lambdahost

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// environment is one process with its Runtime API. It runs one invocation at a time: a caller
// must take the environment before it calls invoke, and the process calls the HTTP endpoints
// (see api.go). The environment is free again once the process has answered and asks for its
// next invocation.
type environment struct {
	cfg         Config
	initTimeout time.Duration
	logs        *lineWriter
	start       func() error // starts the process once; every call waits for it
	extended    atomic.Bool  // the process registered an extension

	work       chan *invocation    // unbuffered: received by serveNext
	asked      chan struct{}       // closed on the first request for an invocation
	firstAsked func()              // closes asked
	initError  chan *FunctionError // posted by a process unable to start
	started    chan struct{}       // closed when the process runs, or could not be started
	ended      chan struct{}       // closed when the process has ended and its log is written

	mu       sync.Mutex
	pid      int         // also the process group; 0 when it isn't running
	taken    bool        // reserved for an invocation
	running  *invocation // handed to the process and unanswered, or nil
	settling *invocation // answered, but the process hasn't asked since, or nil
	exit     string      // how the process ended, in Lambda's words
}

// invocation is one event on its way through a process. body and err are set before answered
// is closed.
type invocation struct {
	id       string
	payload  []byte
	stream   *io.PipeWriter // receives a streamed response; nil keeps it in body
	deadline time.Time
	answered chan struct{}
	freed    chan struct{} // closed when its environment is free again
	body     []byte
	err      *FunctionError
}

func newEnvironment(cfg Config, initTimeout time.Duration) *environment {
	e := &environment{
		cfg: cfg, initTimeout: initTimeout, logs: &lineWriter{w: cfg.Logs},
		work: make(chan *invocation), asked: make(chan struct{}), initError: make(chan *FunctionError, 1),
		started: make(chan struct{}), ended: make(chan struct{}),
	}
	e.start, e.firstAsked = sync.OnceValue(e.boot), sync.OnceFunc(func() { close(e.asked) })
	return e
}

// take reserves the environment for one invocation if it's free.
func (e *environment) take() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.taken {
		return false
	}
	e.taken = true
	return true
}

// ask records a request for an invocation. The process has finished the previous one, so the
// environment is free again.
func (e *environment) ask() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.firstAsked()
	if e.settling != nil {
		close(e.settling.freed)
		e.settling, e.taken = nil, false
	}
}

// handOut records inv as the running invocation.
func (e *environment) handOut(inv *invocation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.hasEnded() {
		e.running = inv
	}
}

// invoke runs one invocation in an environment reserved with take. It returns when the
// environment is free again (so that the next of two sequential invocations finds it free),
// when the process has ended, or on timeout. With a stream, the response is written there.
func (e *environment) invoke(payload []byte, stream *io.PipeWriter) ([]byte, error) {
	if err := e.start(); err != nil {
		return nil, err
	}
	inv := &invocation{
		id: uuid.NewString(), payload: payload, stream: stream, answered: make(chan struct{}), freed: make(chan struct{}),
		deadline: time.Now().Add(e.cfg.Timeout),
	}
	timeout := time.NewTimer(e.cfg.Timeout)
	defer timeout.Stop()
	select {
	case e.work <- inv:
		return e.await(inv, timeout.C)
	case <-e.ended:
		return nil, e.exitError(inv.id)
	case <-timeout.C: // the process never asked
		return nil, e.timedOut(inv)
	}
}

// await returns the answer to inv. It counts even if the process ends, or isn't ready again in
// time, after answering.
func (e *environment) await(inv *invocation, timeout <-chan time.Time) ([]byte, error) {
	select {
	case <-inv.answered:
		select {
		case <-inv.freed:
		case <-e.ended:
		case <-timeout:
			_ = e.timedOut(inv) // already answered
		}
	case <-e.ended:
	case <-timeout:
		return nil, e.timedOut(inv)
	}
	select {
	case <-inv.answered: // possibly just before the process ended
		if inv.err != nil {
			return nil, inv.err
		}
		return inv.body, nil
	default:
		return nil, e.exitError(inv.id)
	}
}

// timedOut stops the process and returns Lambda's timeout error.
func (e *environment) timedOut(inv *invocation) *FunctionError {
	e.stop()
	return &FunctionError{Type: "Sandbox.Timedout", Message: fmt.Sprintf(
		"RequestId: %s Error: Task timed out after %.2f seconds", inv.id, e.cfg.Timeout.Seconds())}
}

func (e *environment) exitError(id string) *FunctionError {
	return &FunctionError{Type: "Runtime.ExitError", Message: "RequestId: " + id + " Error: " + e.exit}
}

// boot starts the process and waits for its first request for an invocation.
func (e *environment) boot() error {
	err := e.launch()
	close(e.started)
	if err != nil {
		close(e.ended)
		return &FunctionError{Type: "Runtime.InvalidEntrypoint",
			Message: "start " + e.cfg.Bootstrap + ": " + err.Error()}
	}
	timeout := time.NewTimer(e.initTimeout)
	defer timeout.Stop()
	var failed *FunctionError
	select {
	case <-e.asked:
		return nil
	case failed = <-e.initError:
	case <-e.ended:
		failed = &FunctionError{Type: "Runtime.ExitError", Message: e.exit}
	case <-timeout.C:
		failed = &FunctionError{Type: "Sandbox.Timedout", Message: fmt.Sprintf("not ready after %v", e.initTimeout)}
	}
	e.stop()
	select {
	case failed = <-e.initError: // posted just before the end, and more precise than the exit
	default:
	}
	return &FunctionError{Type: failed.Type, Message: "start-up failed: " + failed.Message + e.logs.tailText()}
}
