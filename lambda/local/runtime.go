package local

import (
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
)

// environment is one process with a Runtime API of its own. Its owner, the
// goroutine that took it from the Function, calls invoke; the process calls
// the HTTP endpoints (runtime_api.go).
type environment struct {
	cfg         FunctionConfig
	initTimeout time.Duration
	logs        *lineWriter
	fresh       bool // its process is yet to start; only the owner looks

	idle      chan struct{}       // the process has asked for its next invocation
	work      chan *invocation    // to the request that asks
	initError chan *FunctionError // the process has posted that it cannot start
	started   chan struct{}       // closed when the process runs, or could not be started
	ended     chan struct{}       // closed when there is no process any more and its log is written

	mu      sync.Mutex
	pid     int         // of the process and of its group; 0 when none runs
	current *invocation // handed to the process and not yet answered
	exit    string      // how the process ended
}

// invocation is one event on its way through a process. body and err are
// written before answered is closed.
type invocation struct {
	id       string
	payload  []byte
	deadline time.Time
	answered chan struct{}
	body     []byte
	err      *FunctionError
}

func newEnvironment(cfg FunctionConfig, initTimeout time.Duration) *environment {
	return &environment{
		cfg: cfg, initTimeout: initTimeout, fresh: true, logs: &lineWriter{w: cfg.Logs},
		idle: make(chan struct{}, 1), work: make(chan *invocation), initError: make(chan *FunctionError, 1),
		started: make(chan struct{}), ended: make(chan struct{}),
	}
}

// invoke runs one invocation and returns when the process is ready for the
// next one or has ended. So two invocations one after the other never find
// the environment busy.
func (e *environment) invoke(payload []byte) ([]byte, error) {
	if e.fresh {
		e.fresh = false
		if err := e.start(); err != nil {
			return nil, err
		}
	}
	inv := &invocation{
		id: uuid.NewString(), payload: payload, answered: make(chan struct{}),
		deadline: time.Now().Add(e.cfg.Timeout),
	}
	timeout := time.NewTimer(e.cfg.Timeout)
	defer timeout.Stop()
	select {
	case e.work <- inv:
	case <-timeout.C:
		return nil, e.timedOut(inv)
	case <-e.ended:
		return nil, e.exitError(inv.id)
	}
	return e.await(inv, timeout.C)
}

// await returns the answer to inv. A process that answers and ends, or
// answers and is not ready again in time, has answered all the same.
func (e *environment) await(inv *invocation, timeout <-chan time.Time) ([]byte, error) {
	var err error
	select {
	case <-inv.answered:
		select {
		case <-e.idle:
		case <-e.ended:
		case <-timeout:
			e.kill()
		}
	case <-e.ended:
		err = e.exitError(inv.id)
	case <-timeout:
		err = e.timedOut(inv)
	}
	select {
	case <-inv.answered: // perhaps only just before the process ended
		if inv.err != nil {
			return nil, inv.err
		}
		return inv.body, nil
	default:
		return nil, err
	}
}

// timedOut replaces the process, whatever it is doing, as Lambda does.
func (e *environment) timedOut(inv *invocation) *FunctionError {
	e.kill()
	return &FunctionError{Type: "Sandbox.Timedout", Message: fmt.Sprintf(
		"RequestId: %s Error: Task timed out after %.2f seconds", inv.id, e.cfg.Timeout.Seconds())}
}

func (e *environment) exitError(id string) *FunctionError {
	return &FunctionError{Type: "Runtime.ExitError", Message: "RequestId: " + id + " Error: " + e.exit}
}

// start starts the process and waits until it asks for its first invocation.
func (e *environment) start() error {
	err := e.launch()
	close(e.started)
	if err != nil {
		close(e.ended)
		return &FunctionError{Type: "Runtime.InvalidEntrypoint", Message: "start " + e.cfg.Bootstrap + ": " + err.Error()}
	}
	timeout := time.NewTimer(e.initTimeout)
	defer timeout.Stop()
	var failed *FunctionError
	select {
	case <-e.idle:
		return nil
	case failed = <-e.initError:
	case <-e.ended:
		failed = &FunctionError{Type: "Runtime.ExitError", Message: e.exit}
	case <-timeout.C:
		failed = &FunctionError{Type: "Sandbox.Timedout", Message: fmt.Sprintf("not ready after %v", e.initTimeout)}
	}
	e.kill()
	select {
	case failed = <-e.initError: // posted just before the end: it says more than the exit
	default:
	}
	return &FunctionError{Type: failed.Type, Message: "start-up failed: " + failed.Message + e.logs.tailText()}
}
