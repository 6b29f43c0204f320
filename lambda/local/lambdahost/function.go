// Package lambdahost runs a Lambda bootstrap as Lambda does: a Function starts processes
// behind the Runtime API, invokes and stops them.
package lambdahost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"
	"time"
)

// ErrThrottled is returned by Invoke when all environments are busy.
var ErrThrottled = errors.New("rate exceeded: too many concurrent invocations")

// errFunctionClosed is returned by Invoke after Close.
var errFunctionClosed = errors.New("function is closed")

// A FunctionError is a failure of the function itself: it returned an error, panicked, exited
// or timed out.
type FunctionError struct {
	Type    string // as posted, or Runtime.ExitError, Sandbox.Timedout, Runtime.InvalidEntrypoint ...
	Message string
	payload []byte // JSON posted by the function; nil for errors made here
}

// Error returns "type: message".
func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// Config describes a function's program and limits.
type Config struct {
	Name           string
	Bootstrap      string        // path of the executable
	Env            []string      // KEY=VALUE; apart from PATH, HOME, TMPDIR and Lambda's own variables, nothing is inherited
	Timeout        time.Duration // of one invocation, in real time; 3 s when 0, like Lambda
	MemoryMB       int           // reported to the function; 128 when 0
	MaxConcurrency int           // maximum number of environments, like reserved concurrency; 1 when 0
	Logs           io.Writer     // stdout and stderr of all processes, in whole lines; may be nil
}

// withDefaults fills in Lambda's defaults.
func (c Config) withDefaults() Config {
	if c.Timeout <= 0 {
		c.Timeout = 3 * time.Second
	}
	if c.MemoryMB <= 0 {
		c.MemoryMB = 128
	}
	c.MaxConcurrency = max(c.MaxConcurrency, 1)
	if c.Logs == nil {
		c.Logs = io.Discard
	}
	c.Logs = &lockedWriter{w: c.Logs}
	return c
}

// Function runs a Lambda bootstrap as Lambda does. Each environment is one process: started on
// demand, reused when free (oldest first), and replaced when its process ends. It runs one
// invocation at a time, and is replaced if that times out.
//
// Function is safe for concurrent use. The caller must close it.
type Function struct {
	cfg         Config
	initTimeout time.Duration

	mu     sync.Mutex
	all    []*environment // by start time; some may have ended
	closed bool
}

// New returns a function. It starts processes on demand.
func New(cfg Config) *Function {
	// Lambda ends a start-up after 10 s and repeats it within the first invocation's timeout.
	// Here it simply continues, up to the longer of the two.
	cfg = cfg.withDefaults()
	return &Function{cfg: cfg, initTimeout: max(10*time.Second, cfg.Timeout)}
}

// Invoke runs the function on a JSON payload and returns its JSON response. It returns a
// *FunctionError if the function failed, ErrThrottled if all environments are busy, or the
// error of ctx. As on Lambda, an invocation continues to its end even if its caller is gone.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("invoke %s: %w", f.cfg.Name, err)
	}
	e, err := f.acquire()
	if err != nil {
		return nil, err
	}
	type answer struct {
		body []byte
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		body, err := e.invoke(payload, nil)
		answered <- answer{body, err}
	}()
	select {
	case a := <-answered:
		return a.body, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.cfg.Name, ctx.Err())
	}
}

// acquire reserves a free environment, or adds one not started yet.
func (f *Function) acquire() (*environment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errFunctionClosed
	}
	f.all = slices.DeleteFunc(f.all, (*environment).hasEnded)
	for _, e := range f.all {
		if e.take() {
			return e, nil
		}
	}
	if len(f.all) >= f.cfg.MaxConcurrency {
		return nil, ErrThrottled
	}
	e := newEnvironment(f.cfg, f.initTimeout)
	e.take()
	f.all = append(f.all, e)
	return e, nil
}

// Kill sends SIGKILL to the process group of an environment with a running invocation, and
// reports whether there was one. choose gets the number of such environments, n > 0, and
// returns the index in [0, n) of its choice by start time; nil chooses the first.
func (f *Function) Kill(choose func(busy int) int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.busy(choose)
	return e != nil && e.signal(syscall.SIGKILL)
}

// Freeze sends SIGSTOP to a busy environment's process group, chosen as in Kill, and returns
// its process id, or 0 if none was busy. Call thaw to continue the process; it returns false
// if the process has ended. Note that the invocation's timeout keeps running.
func (f *Function) Freeze(choose func(busy int) int) (pid int, thaw func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.busy(choose)
	if e == nil || !e.signal(syscall.SIGSTOP) {
		return 0, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pid, func() bool { return e.signal(syscall.SIGCONT) }
}

// Signal sends sig to the process group of the environment with process pid. It reports
// whether such a process was running, and never signals any other.
func (f *Function) Signal(pid int, sig syscall.Signal) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.all, func(e *environment) bool { return e.is(pid) && e.signal(sig) })
}

// busy returns the chosen busy environment, or nil.
func (f *Function) busy(choose func(busy int) int) *environment {
	var busy []*environment
	for _, e := range f.all {
		if e.isBusy() {
			busy = append(busy, e)
		}
	}
	switch {
	case len(busy) == 0:
		return nil
	case choose == nil:
		return busy[0]
	}
	return busy[choose(len(busy))]
}

// Close stops all processes with SIGKILL, or with SIGTERM and 500 ms later SIGKILL if they
// registered an extension. It returns when all have ended. Running invocations fail; later
// ones are refused.
func (f *Function) Close() error {
	f.mu.Lock()
	f.closed = true
	all := slices.Clone(f.all)
	f.mu.Unlock()
	var wg sync.WaitGroup
	for _, e := range all {
		wg.Go(e.stop)
	}
	wg.Wait()
	return nil
}
