package lambdahost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/internal/gatetest"
)

func TestTimeoutKillsGroup(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	f := newTestFunction(t, Config{Timeout: 2 * time.Second})
	mustInvoke(t, f, `{"do":"echo"}`)
	done := gatetest.InvokeAsync(t, f, fmt.Sprintf(`{"do":"hold-child","addr":%q}`, g.Addr()))
	child := g.Next()
	err := <-done
	var failed *FunctionError
	if !errors.As(err, &failed) || failed.Type != "Sandbox.Timedout" ||
		!strings.Contains(failed.Message, "Task timed out after 2.00 seconds") {
		t.Errorf("got %v, want Sandbox.Timedout", err)
	}
	child.WaitForEnd()
	mustInvoke(t, f, `{"do":"echo"}`)
}

func TestStartUpFailure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		init, kind string
		messages   []string
	}{
		{"exit", "Runtime.ExitError", []string{"exit status 3", "cannot open the database"}},
		{"post", "Config.Missing", []string{"no QUEUE_URL"}},
		{"hang", "Sandbox.Timedout", []string{"not ready after"}},
	}
	for _, tt := range tests {
		t.Run(tt.init, func(t *testing.T) {
			t.Parallel()
			f := newTestFunction(t, Config{Env: []string{"INIT=" + tt.init}})
			if tt.init == "hang" {
				f.initTimeout = time.Millisecond
			}
			for range 2 { // the place of the failed one is free again
				got := invokeError(t, f, `{}`)
				if got.Type != tt.kind {
					t.Errorf("type %s, want %s", got.Type, tt.kind)
				}
				for _, want := range tt.messages {
					if !strings.Contains(got.Message, want) {
						t.Errorf("message %q lacks %q", got.Message, want)
					}
				}
			}
		})
	}
}

func TestMissingExecutable(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{Bootstrap: filepath.Join(t.TempDir(), "bootstrap")})
	if got := invokeError(t, f, `{}`); got.Type != "Runtime.InvalidEntrypoint" {
		t.Errorf("got %v", got)
	}
}

func TestReuseAndThrottle(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	f := newTestFunction(t, Config{MaxConcurrency: 2})
	first := gatetest.InvokeAsync(t, f, g.Hold())
	one := g.Next()
	second := gatetest.InvokeAsync(t, f, g.Hold())
	two := g.Next()
	if one.PID == two.PID {
		t.Error("one process has two invocations at a time")
	}
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, ErrThrottled) {
		t.Errorf("third at a time: %v, want ErrThrottled", err)
	}
	for _, h := range []struct {
		gatetest.Process
		done <-chan error
	}{{two, second}, {one, first}} {
		h.Release()
		if err := <-h.done; err != nil {
			t.Error(err)
		}
	}
	third := gatetest.InvokeAsync(t, f, g.Hold())
	three := g.Next()
	if three.PID != one.PID {
		t.Errorf("process %d runs the next one, want %d, the oldest", three.PID, one.PID)
	}
	three.Release()
	<-third
}

func TestKillsOnlyBusy(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	f := newTestFunction(t, Config{MaxConcurrency: 2})
	mustInvoke(t, f, `{"do":"echo"}`)
	if f.Kill(nil) {
		t.Error("killed an environment that was not busy")
	}
	invoked := []<-chan error{gatetest.InvokeAsync(t, f, g.Hold())}
	held := []gatetest.Process{g.Next()}
	invoked = append(invoked, gatetest.InvokeAsync(t, f, g.Hold()))
	held = append(held, g.Next())
	if !f.Kill(func(busy int) int { return busy - 1 }) {
		t.Error("killed none of two")
	}
	err := <-invoked[1]
	var failed *FunctionError
	if !errors.As(err, &failed) || failed.Type != "Runtime.ExitError" ||
		!strings.Contains(failed.Message, "signal: killed") {
		t.Errorf("got %v, want Runtime.ExitError by a signal", err)
	}
	mustInvoke(t, f, `{"do":"echo"}`) // in a new environment
	held[0].Release()
	if err := <-invoked[0]; err != nil {
		t.Errorf("the other invocation: %v", err)
	}
}

func TestIdleDeathIsSurvived(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{})
	mustInvoke(t, f, `{"do":"echo"}`)
	f.all[0].stop()
	mustInvoke(t, f, `{"do":"echo"}`)
}

func TestCloseSendsSIGTERM(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "marker")
	g := gatetest.New(t)
	f := newTestFunction(t, Config{Env: []string{"SIGTERM_FILE=" + marker}})
	done := gatetest.InvokeAsync(t, f, g.Hold())
	process := g.Next()
	must.OK(t, f.Close())
	process.WaitForEnd()
	if got, _ := os.ReadFile(marker); string(got) != "flushed" {
		t.Errorf("the SIGTERM handler wrote %q", got)
	}
	if err := <-done; err == nil {
		t.Error("the invocation succeeded although its process was ended")
	}
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, errFunctionClosed) {
		t.Errorf("invoke after close: %v", err)
	}
}

func TestTimeoutSendsSIGTERM(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "marker")
	f := newTestFunction(t, Config{Env: []string{"SIGTERM_FILE=" + marker}, Timeout: 200 * time.Millisecond})
	if got := invokeError(t, f, `{"do":"hang"}`); got.Type != "Sandbox.Timedout" {
		t.Errorf("got %v", got)
	}
	if got, _ := os.ReadFile(marker); string(got) != "flushed" {
		t.Errorf("the SIGTERM handler wrote %q", got)
	}
}

func TestNoExtensionNoSIGTERM(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	f := newTestFunction(t, Config{})
	done := gatetest.InvokeAsync(t, f, g.Hold())
	g.Next()
	must.OK(t, f.Close())
	if err := <-done; err == nil || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("got %v, want killed, not terminated", err)
	}
}

func TestCallerMayLeave(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	f := newTestFunction(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := f.Invoke(ctx, []byte(g.Hold()))
		done <- err
	}()
	process := g.Next()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, ErrThrottled) {
		t.Errorf("got %v, want ErrThrottled while the first one runs", err)
	}
	process.Release()
}

// TestDiesWithHost runs a host in another process, this test binary
// again, and kills it without a warning.
func TestDiesWithHost(t *testing.T) {
	if addr := os.Getenv("LOCAL_TEST_HOLD"); addr != "" {
		f := newTestFunction(t, Config{})
		mustInvoke(t, f, fmt.Sprintf(`{"do":"hold","addr":%q}`, addr))
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs the parent-death signal, which only Linux has")
	}
	t.Parallel()
	bootstrap := gatetest.Bootstrap(t)
	g := gatetest.New(t)
	host := exec.Command(os.Args[0], "-test.run=^TestDiesWithHost$")
	host.Env = append(os.Environ(), "LOCAL_TEST_HOLD="+g.Addr(), "LOCAL_TEST_BOOTSTRAP="+bootstrap, "TMPDIR="+
		t.TempDir())
	must.OK(t, host.Start())
	process := g.Next()
	_ = host.Process.Kill()
	_ = host.Wait()
	process.WaitForEnd()
}

func TestFreezeAndThaw(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{})
	if pid, _ := f.Freeze(nil); pid != 0 {
		t.Errorf("froze process %d, and none was busy", pid)
	}
	g := gatetest.New(t)
	done := gatetest.InvokeAsync(t, f, g.Hold())
	held := g.Next()
	pid, thaw := f.Freeze(nil)
	if pid != held.PID {
		t.Fatalf("froze process %d, want %d", pid, held.PID)
	}
	for !stopped(t, pid) { // a signal is only on its way at first
		runtime.Gosched()
	}
	held.Release()
	select {
	case err := <-done:
		t.Fatalf("it answered although it is frozen: %v", err)
	default:
	}
	if !thaw() {
		t.Error("there was nothing to thaw")
	}
	if err := <-done; err != nil {
		t.Errorf("after the thaw: %v", err)
	}
}

func TestSignalByPID(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{})
	g := gatetest.New(t)
	done := gatetest.InvokeAsync(t, f, g.Hold())
	held := g.Next()
	for _, other := range []int{0, 1, os.Getpid()} {
		if f.Signal(other, syscall.SIGKILL) {
			t.Errorf("process %d is none of the function's, and got a signal", other)
		}
	}
	if !f.Signal(held.PID, syscall.SIGKILL) {
		t.Error("the function's process got no signal")
	}
	if err := <-done; err == nil {
		t.Error("the process answered although it was killed")
	}
	held.WaitForEnd()
	if f.Signal(held.PID, syscall.SIGKILL) {
		t.Error("a process that has ended got a signal")
	}
}

// stopped reports whether the kernel has stopped all threads of a process.
func stopped(t *testing.T, pid int) bool {
	t.Helper()
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if len(threads) == 0 {
		t.Skip("needs /proc, which only Linux has")
	}
	for _, file := range threads {
		stat, err := os.ReadFile(file)
		if err != nil {
			return false // the thread has just ended
		}
		if _, state, _ := strings.Cut(string(stat), ") "); !strings.HasPrefix(state, "T") {
			return false
		}
	}
	return true
}
