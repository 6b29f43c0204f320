package local

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

// ErrThrottled is returned by Invoke when MaxConcurrency environments are busy.
var ErrThrottled = errors.New("rate exceeded: every environment of the function is busy")

// errFunctionClosed is returned by Invoke after Close.
var errFunctionClosed = errors.New("function is closed")

// A FunctionError tells that the function itself failed: it returned an error,
// panicked, ended its process or ran out of time.
type FunctionError struct {
	Type    string // as the function posted it, or Runtime.ExitError, Sandbox.Timedout, Runtime.InvalidEntrypoint ...
	Message string
	payload []byte // the JSON that the function posted; nil when the host made the error
}

// Error returns the type and the message.
func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// FunctionConfig says which program is the function and how to run it.
type FunctionConfig struct {
	Name           string
	Bootstrap      string        // path of the executable
	Env            []string      // KEY=VALUE, beside PATH, HOME and what Lambda sets; nothing else is inherited
	Timeout        time.Duration // of one invocation, in real time; 3 s when 0, as on Lambda
	MemoryMB       int           // what the function is told, not a limit; 128 when 0
	MaxConcurrency int           // environments at most; 1 when 0
	Logs           io.Writer     // stdout and stderr of all processes, written in whole lines; may be nil
}

// withDefaults fills what was left out with what Lambda takes.
func (c FunctionConfig) withDefaults() FunctionConfig {
	if c.Timeout <= 0 {
		c.Timeout = 3 * time.Second
	}
	if c.MemoryMB <= 0 {
		c.MemoryMB = 128
	}
	if c.MaxConcurrency <= 0 {
		c.MaxConcurrency = 1
	}
	if c.Logs == nil {
		c.Logs = io.Discard
	}
	c.Logs = &lockedWriter{w: c.Logs}
	return c
}

// Function runs a Lambda bootstrap as Lambda does: in environments of one
// process each, which take one invocation at a time, are started when needed,
// used again when free (the one used last first) and replaced when their
// process ends or runs out of time. It is safe for concurrent use.
type Function struct {
	cfg         FunctionConfig
	initTimeout time.Duration

	mu     sync.Mutex
	all    []*environment // in the order of their start
	free   []*environment // the one used last at the end
	closed bool
}

// NewFunction returns a function of which no process runs yet.
func NewFunction(cfg FunctionConfig) *Function {
	// Lambda's limit for the start-up, which is not part of the invocation's time.
	return &Function{cfg: cfg.withDefaults(), initTimeout: 10 * time.Second}
}

// Invoke runs the function on a JSON payload and returns its JSON answer. The
// error is a *FunctionError when the function failed, ErrThrottled when no
// environment is free, or that of ctx. As on Lambda, an invocation whose
// caller has gone runs on to its end.
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
		body, err := e.invoke(payload)
		f.release(e)
		answered <- answer{body, err}
	}()
	select {
	case a := <-answered:
		return a.body, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.cfg.Name, ctx.Err())
	}
}

// acquire takes a free environment, or adds one whose process is yet to start.
func (f *Function) acquire() (*environment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errFunctionClosed
	}
	for n := len(f.free); n > 0; n = len(f.free) {
		e := f.free[n-1]
		f.free = f.free[:n-1]
		if !e.hasEnded() {
			return e, nil
		}
		f.forget(e)
	}
	if len(f.all) >= f.cfg.MaxConcurrency {
		return nil, ErrThrottled
	}
	e := newEnvironment(f.cfg, f.initTimeout)
	f.all = append(f.all, e)
	return e, nil
}

// release puts e back among the free ones, unless its process has ended.
func (f *Function) release(e *environment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.hasEnded() {
		f.forget(e)
		return
	}
	f.free = append(f.free, e)
}

func (f *Function) forget(e *environment) {
	f.all = slices.DeleteFunc(f.all, func(o *environment) bool { return o == e })
}

// Kill sends SIGKILL to the process group of one environment that is running
// an invocation at this moment and tells whether there was one. With n > 0 of
// them, in the order of their start, it kills number choose(n), in [0, n); a
// nil choose takes the first.
func (f *Function) Kill(choose func(busy int) int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	var busy []*environment
	for _, e := range f.all {
		if e.isBusy() {
			busy = append(busy, e)
		}
	}
	if len(busy) == 0 {
		return false
	}
	i := 0
	if choose != nil {
		i = choose(len(busy))
	}
	return busy[i].signal(syscall.SIGKILL)
}

// Close ends all processes: SIGTERM, after 500 ms SIGKILL. It returns when all
// have ended. Invocations that are running fail; later ones are refused.
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
