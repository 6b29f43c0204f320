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

// Shutdown is a way to end a server, by pg_ctl's names.
type Shutdown syscall.Signal

// The shutdowns that Restart knows.
const (
	Fast      = Shutdown(syscall.SIGINT)  // connections are cut, transactions rolled back
	Immediate = Shutdown(syscall.SIGQUIT) // like a crash: the next start recovers from the WAL
)

// Restart shuts the server down, leaves it down for a time, starts it again on
// the same data and returns when it takes connections. After an immediate
// shutdown commits may be missing, unless Settings has synchronous_commit on.
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
			return errors.Join(errors.New("restart postgres: the server is gone"), s.exit)
		case <-ctx.Done():
			return fmt.Errorf("restart postgres: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// postmaster is the server's process.
func (s *Server) postmaster() (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(line)
}
