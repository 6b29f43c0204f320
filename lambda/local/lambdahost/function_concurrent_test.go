package lambdahost

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/local/internal/gatetest"
)

// These tests run aws-lambda-go with AWS_LAMBDA_MAX_CONCURRENCY: several
// invocations in one process.

func isExit(err error) bool {
	var failed *FunctionError
	return errors.As(err, &failed) && failed.Type == "Runtime.ExitError"
}

func TestFunctionRunsSeveralInvocationsInOneProcess(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	f := newTestFunction(t, Config{MaxConcurrency: 2, PerEnvironment: 3})
	var done []<-chan error
	var held []gatetest.Process
	for range 6 {
		done = append(done, invokeAsync(t, f, g.Hold()))
	}
	perProcess := map[int]int{}
	for range 6 {
		h := g.Next()
		held = append(held, h)
		perProcess[h.PID]++
	}
	if len(perProcess) != 2 || perProcess[held[0].PID] != 3 {
		t.Errorf("invocations by process: %v, want 3 in each of 2", perProcess)
	}
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, ErrThrottled) {
		t.Errorf("seventh at a time: %v, want ErrThrottled", err)
	}
	for _, h := range held {
		h.Release()
	}
	for _, d := range done {
		if err := <-d; err != nil {
			t.Error(err)
		}
	}
}

// TestFunctionIsNeverThrottledWithinItsPlaces has as many callers as there are
// places, who come back at once.
func TestFunctionIsNeverThrottledWithinItsPlaces(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{MaxConcurrency: 2, PerEnvironment: 3})
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 50 {
				if _, err := f.Invoke(context.WithoutCancel(t.Context()), []byte(`{"do":"echo"}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestFunctionCrashFailsEveryInvocationOfItsProcess(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(f *Function) bool{
		"exit": func(f *Function) bool { _, err := f.Invoke(t.Context(), []byte(`{"do":"exit"}`)); return isExit(err) },
		"kill": func(f *Function) bool {
			return f.Kill(func(busy int) int {
				if busy != 1 {
					t.Errorf("%d environments are busy, want 1", busy)
				}
				return 0
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gatetest.New(t)
			f := newTestFunction(t, Config{PerEnvironment: 3})
			done := []<-chan error{invokeAsync(t, f, g.Hold()), invokeAsync(t, f, g.Hold())}
			g.Next()
			g.Next()
			if !crash(f) {
				t.Error("no crash")
			}
			for _, d := range done {
				if err := <-d; !isExit(err) {
					t.Errorf("got %v, want Runtime.ExitError", err)
				}
			}
			mustInvoke(t, f, `{"do":"echo"}`) // in a new process
		})
	}
}

// seen is a log that tells when a word was written.
type seen struct {
	word string
	once *sync.Once
	told chan struct{}
}

func (s seen) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.word) {
		s.once.Do(func() { close(s.told) })
	}
	return len(p), nil
}

// TestFunctionPanicLetsTheOthersFinish: aws-lambda-go ends the process when
// the invocations beside the one that panicked have been answered.
func TestFunctionPanicLetsTheOthersFinish(t *testing.T) {
	t.Parallel()
	g, log := gatetest.New(t), seen{"out of paper", new(sync.Once), make(chan struct{})}
	f := newTestFunction(t, Config{PerEnvironment: 2, Logs: log})
	done := invokeAsync(t, f, g.Hold())
	held := g.Next()
	panicked := invokeAsync(t, f, `{"do":"panic"}`)
	gatetest.Receive(t, log.told)
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, ErrThrottled) {
		t.Errorf("invoke a process about to end: %v, want ErrThrottled", err)
	}
	held.Release()
	if err := <-done; err != nil {
		t.Errorf("the other invocation: %v", err)
	}
	var failed *FunctionError
	if err := <-panicked; !errors.As(err, &failed) || failed.Message != "out of paper" {
		t.Errorf("the one that panicked: %v", err)
	}
	again := invokeAsync(t, f, g.Hold())
	next := g.Next()
	if next.PID == held.PID {
		t.Error("the process was used again")
	}
	next.Release()
	if err := <-again; err != nil {
		t.Error(err)
	}
}

func TestFunctionTimeoutOfOneInvocationLeavesTheProcess(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	f := newTestFunction(t, Config{PerEnvironment: 2, Timeout: 2 * time.Second})
	late := invokeAsync(t, f, g.Hold())
	held := g.Next()
	var failed *FunctionError
	if err := <-late; !errors.As(err, &failed) || failed.Type != "Sandbox.Timedout" {
		t.Errorf("got %v, want Sandbox.Timedout", err)
	}
	beside := invokeAsync(t, f, g.Hold())
	other := g.Next()
	if other.PID != held.PID {
		t.Error("the process was replaced")
	}
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, ErrThrottled) {
		t.Errorf("got %v, want ErrThrottled: the late one keeps its place", err)
	}
	other.Release()
	if err := <-beside; err != nil {
		t.Errorf("beside the late one: %v", err)
	}
	inv := f.all[0].only(t)
	held.Release()
	gatetest.Receive(t, inv.freed) // its worker asks again
	if got := mustInvoke(t, f, `{"do":"echo"}`); got != `{"do":"echo"}` {
		t.Errorf("got %s", got)
	}
}

// only returns the one invocation that is running.
func (e *environment) only(t *testing.T) *invocation {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, inv := range e.running {
		return inv
	}
	t.Fatal("no invocation is running")
	return nil
}
