package lambdahost

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// environment is one process with a Runtime API of its own. It has
// PerEnvironment places for invocations. Who has taken one calls invoke; the
// workers of the process call the HTTP endpoints (runtime_api.go). A place is
// free again when the worker that answered asks for its next invocation.
type environment struct {
	cfg         Config
	initTimeout time.Duration
	logs        *lineWriter
	start       func() error // starts the process, once; everybody waits for it
	extended    atomic.Bool  // the process has registered an extension

	work       chan *invocation    // to a request that asks
	asked      chan struct{}       // closed when the process asks for the first time
	firstAsked func()              // closes it
	initError  chan *FunctionError // the process has posted that it cannot start
	started    chan struct{}       // closed when the process runs, or could not be started
	ended      chan struct{}       // closed when there is no process any more and its log is written

	mu       sync.Mutex
	pid      int                    // of the process and of its group; 0 when none runs
	taken    int                    // places
	waiting  int                    // requests that ask
	leaving  bool                   // the last request that asked was taken back: the process is about to end
	running  map[string]*invocation // handed to the process and not yet answered, by id
	settling []*invocation          // answered, and their workers have not asked since
	exit     string                 // how the process ended
}

// invocation is one event on its way through a process. body and err are
// written before answered is closed.
type invocation struct {
	id       string
	payload  []byte
	deadline time.Time
	answered chan struct{}
	freed    chan struct{} // closed when its place is free again
	body     []byte
	err      *FunctionError
}

func newEnvironment(cfg Config, initTimeout time.Duration) *environment {
	e := &environment{
		cfg: cfg, initTimeout: initTimeout, logs: &lineWriter{w: cfg.Logs},
		work: make(chan *invocation), asked: make(chan struct{}), initError: make(chan *FunctionError, 1),
		started: make(chan struct{}), ended: make(chan struct{}), running: map[string]*invocation{},
	}
	e.start, e.firstAsked = sync.OnceValue(e.boot), sync.OnceFunc(func() { close(e.asked) })
	return e
}

// take takes a place, if there is one.
func (e *environment) take() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.leaving || e.taken == e.cfg.PerEnvironment {
		return false
	}
	e.taken++
	return true
}

// ask notes that a worker asks for an invocation: it is done with the one that
// it answered. Which worker it is cannot be seen, so the place that has waited
// longest becomes free.
func (e *environment) ask() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.firstAsked()
	e.waiting++
	e.leaving = false
	if len(e.settling) > 0 {
		close(e.settling[0].freed)
		e.settling = e.settling[1:]
		e.taken--
	}
}

// handOut notes that a worker got inv, or with nil, that it asks no more.
// With several workers, aws-lambda-go takes its requests back after a panic,
// lets the invocations finish that are under way and ends the process.
func (e *environment) handOut(inv *invocation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting--
	if inv == nil {
		e.leaving = e.waiting == 0 && e.cfg.PerEnvironment > 1
	} else if e.running != nil { // the process has not ended in the meantime
		e.running[inv.id] = inv
	}
}

// invoke runs one invocation in a place that was taken for it. It returns when
// the place is free again, so that two invocations one after the other never
// find it taken; when the process has ended; or when the time is up.
func (e *environment) invoke(payload []byte) ([]byte, error) {
	if err := e.start(); err != nil {
		return nil, err
	}
	inv := &invocation{
		id: uuid.NewString(), payload: payload, answered: make(chan struct{}), freed: make(chan struct{}),
		deadline: time.Now().Add(e.cfg.Timeout),
	}
	timeout := time.NewTimer(e.cfg.Timeout)
	defer timeout.Stop()
	select {
	case e.work <- inv:
		return e.await(inv, timeout.C)
	case <-e.ended:
		return nil, e.exitError(inv.id)
	case <-timeout.C: // no worker has asked
		err := e.timedOut(inv)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.taken--
		return nil, err
	}
}

// await returns the answer to inv. A process that answers and ends, or
// answers and is not ready again in time, has answered all the same.
func (e *environment) await(inv *invocation, timeout <-chan time.Time) ([]byte, error) {
	select {
	case <-inv.answered:
		select {
		case <-inv.freed:
		case <-e.ended:
		case <-timeout:
			_ = e.timedOut(inv) // it is answered
		}
	case <-e.ended:
	case <-timeout:
		return nil, e.timedOut(inv)
	}
	select {
	case <-inv.answered: // perhaps only just before the process ended
		if inv.err != nil {
			return nil, inv.err
		}
		return inv.body, nil
	default:
		return nil, e.exitError(inv.id)
	}
}

// timedOut ends a process that has no other invocation, whatever it is doing.
func (e *environment) timedOut(inv *invocation) *FunctionError {
	if e.cfg.PerEnvironment == 1 {
		e.stop()
	}
	return &FunctionError{Type: "Sandbox.Timedout", Message: fmt.Sprintf(
		"RequestId: %s Error: Task timed out after %.2f seconds", inv.id, e.cfg.Timeout.Seconds())}
}

func (e *environment) exitError(id string) *FunctionError {
	return &FunctionError{Type: "Runtime.ExitError", Message: "RequestId: " + id + " Error: " + e.exit}
}

// boot starts the process and waits until it asks for its first invocation.
func (e *environment) boot() error {
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
	case failed = <-e.initError: // posted just before the end: it says more than the exit
	default:
	}
	return &FunctionError{Type: failed.Type, Message: "start-up failed: " + failed.Message + e.logs.tailText()}
}
