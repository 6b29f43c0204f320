package lambdahost

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// closeGrace is the grace period between SIGTERM and SIGKILL; Lambda's is 300 to 500 ms.
const closeGrace = 500 * time.Millisecond

// region is the region of everything in the local stack.
const region = "us-east-1"

// processEnv returns the environment of a function's process: Lambda's variables override the
// configured ones, which override the defaults. It inherits only the variables every program
// needs, so that a secret in the developer's shell can't leak into the function.
func processEnv(cfg Config, api string) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	env = append(env,
		"AWS_REGION="+region, "AWS_DEFAULT_REGION="+region,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local")
	env = append(env, cfg.Env...)
	return append(env, // the last value of a name wins
		"TZ=:UTC",
		"AWS_LAMBDA_RUNTIME_API="+api,
		"AWS_LAMBDA_FUNCTION_NAME="+cfg.Name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE="+strconv.Itoa(cfg.MemoryMB),
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/"+cfg.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME=local",
		"LAMBDA_TASK_ROOT="+filepath.Dir(cfg.Bootstrap),
		"_HANDLER=bootstrap")
}

// launch starts the process behind its Runtime API.
//
// The process must die with this one, however this one ends. Linux sends the parent-death
// signal when the *thread* of the parent ends, so one thread stays locked until the process
// ends.
func (e *environment) launch() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the Runtime API: %w", err)
	}
	api := &http.Server{Handler: e.api(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = api.Serve(listener) }() // returns on api.Close

	cmd := exec.Command(e.cfg.Bootstrap)
	cmd.Dir = filepath.Dir(e.cfg.Bootstrap)
	cmd.Env = processEnv(e.cfg, listener.Addr().String())
	cmd.Stdout, cmd.Stderr = e.logs, e.logs
	cmd.SysProcAttr = processAttributes()
	cmd.WaitDelay = closeGrace // so that a grandchild holding the output open can't block us
	launched := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			_ = api.Close()
			launched <- err
			return
		}
		e.mu.Lock()
		e.pid = cmd.Process.Pid
		e.mu.Unlock()
		launched <- nil
		err := cmd.Wait()
		_ = api.Close()
		e.finish(err)
	}()
	return <-launched
}

// finish records the end of the process and kills the rest of its group.
func (e *environment) finish(err error) {
	e.signal(syscall.SIGKILL)
	e.logs.flush()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pid, e.running = 0, nil
	e.exit = "Runtime exited without providing a reason" // Lambda's words
	if err != nil {
		e.exit = "Runtime exited with error: " + err.Error()
	}
	close(e.ended)
}

// signal sends sig to the process group if the process is running.
func (e *environment) signal(sig syscall.Signal) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pid != 0 && syscall.Kill(-e.pid, sig) == nil
}

// is reports whether its process is running with this id.
func (e *environment) is(pid int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pid != 0 && e.pid == pid
}

// stop ends the process group and waits for the process. Lambda kills without warning, unless
// the process registered an extension.
func (e *environment) stop() {
	<-e.started
	if e.extended.Load() {
		e.signal(syscall.SIGTERM)
		select {
		case <-e.ended:
		case <-time.After(closeGrace):
		}
	}
	e.signal(syscall.SIGKILL)
	<-e.ended
}

func (e *environment) hasEnded() bool {
	select {
	case <-e.ended:
		return true
	default:
		return false
	}
}

// isBusy reports whether the process has an unanswered invocation.
func (e *environment) isBusy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running != nil
}
