// Package lambdahost runs a Lambda bootstrap as Lambda does: a Function starts
// its processes behind the Runtime API, ends them, and invokes them.
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

// ErrThrottled is returned by Invoke when every environment is busy.
var ErrThrottled = errors.New("rate exceeded: every environment of the function is busy")

// errFunctionClosed is returned by Invoke after Close.
var errFunctionClosed = errors.New("function is closed")

// A FunctionError is a failure of the function itself: it returned an error,
// panicked, ended its process or ran out of time.
type FunctionError struct {
	Type    string // as posted, or Runtime.ExitError, Sandbox.Timedout, Runtime.InvalidEntrypoint ...
	Message string
	payload []byte // the JSON that the function posted; nil when the host made the error
}

// Error returns the type and the message.
func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// Config is the program of a function, and the limits it runs under.
type Config struct {
	Name           string
	Bootstrap      string        // path of the executable
	Env            []string      // KEY=VALUE, beside PATH, HOME and what Lambda sets; nothing else is inherited
	Timeout        time.Duration // of one invocation, in real time; 3 s when 0, as on Lambda
	MemoryMB       int           // reported to the function; 128 when 0
	MaxConcurrency int           // environments at most, Lambda's reserved concurrency; 1 when 0
	Logs           io.Writer     // stdout and stderr of all processes, written in whole lines; may be nil
}

// withDefaults fills empty fields with Lambda's defaults.
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

// Function runs a Lambda bootstrap as Lambda does: in environments of one
// process each, which are started when needed, used again when free (the
// oldest first) and replaced when their process ends. An environment takes one
// invocation at a time and is replaced when that runs out of time.
//
// It is safe for concurrent use.
type Function struct {
	cfg         Config
	initTimeout time.Duration

	mu     sync.Mutex
	all    []*environment // in the order of their start; some may have ended
	closed bool
}

// New returns a function of which no process runs yet.
func New(cfg Config) *Function {
	// Lambda ends a start-up after 10 s, and repeats it as a part of the first invocation,
	// within that one's time. Here it goes on, for the longer of the two.
	cfg = cfg.withDefaults()
	return &Function{cfg: cfg, initTimeout: max(10*time.Second, cfg.Timeout)}
}

// Invoke runs the function on a JSON payload and returns its JSON answer. The
// error is a *FunctionError when the function failed, ErrThrottled when no
// place is free, or that of ctx. As on Lambda, an invocation whose caller has
// gone runs on to its end.
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

// acquire takes a place in an environment, or adds one that is yet to start.
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

// Kill sends SIGKILL to the process group of one environment that is running
// an invocation, or several, at this moment and reports whether there was one.
// With n > 0 of them, in the order of their start, it kills number choose(n),
// in [0, n); a nil choose takes the first.
func (f *Function) Kill(choose func(busy int) int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.busy(choose)
	return e != nil && e.signal(syscall.SIGKILL)
}

// Freeze sends SIGSTOP to the process group that Kill would kill, and returns
// the id of its process; 0 when none was busy. thaw lets it go on, and reports
// false when it has ended: its time passes meanwhile.
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

// Signal sends sig to the process group of the environment with this process,
// and reports whether it runs: no other process gets it.
func (f *Function) Signal(pid int, sig syscall.Signal) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.all, func(e *environment) bool { return e.is(pid) && e.signal(sig) })
}

// busy is the environment that choose chooses; nil when none is busy.
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

// Close ends all processes with SIGKILL, or, if they have registered an
// extension, with SIGTERM and 500 ms later SIGKILL. It returns when all have
// ended. Invocations that are running fail; later ones are refused.
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
