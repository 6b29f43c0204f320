package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Shutdown is a shutdown mode, named as in pg_ctl.
type Shutdown syscall.Signal

// The shutdown modes for Restart.
const (
	Fast      = Shutdown(syscall.SIGINT)  // cuts connections and rolls back transactions
	Immediate = Shutdown(syscall.SIGQUIT) // like a crash: the next start recovers from the WAL
)

// Restart shuts the server down, waits for the given time, starts it again on the same data,
// and returns when it accepts connections. Note that an immediate shutdown may lose commits,
// unless Settings turns synchronous_commit on.
func (s *Server) Restart(ctx context.Context, how Shutdown, down time.Duration) error {
	before, err := s.postmaster()
	if err == nil {
		err = os.WriteFile(s.data+".restart", fmt.Appendf(nil, "%.3f", down.Seconds()), 0o644)
	}
	if err == nil {
		err = syscall.Kill(before, syscall.Signal(how))
	}
	if err != nil {
		return fmt.Errorf("restart postgres: %w", err)
	}
	for {
		if now, err := s.postmaster(); err == nil && now != before {
			return s.ready(ctx, readyWithin)
		}
		select {
		case <-s.done:
			return errors.Join(errors.New("restart postgres: server has exited"), s.exit)
		case <-ctx.Done():
			return fmt.Errorf("restart postgres: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// postmaster returns the id of the server's main process.
func (s *Server) postmaster() (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(line)
}
