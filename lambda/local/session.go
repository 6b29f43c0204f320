package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
)

// Session runs functions for a command: a Stack plus everything opened for the run, from the
// database to temporary files. The caller must call Close, also after an error of Start or
// Open.
type Session struct {
	Progress *term.Meter
	LogFile  string    // for the functions' output; "-" is Progress, empty discards it
	Logs     io.Writer // the functions' output; set by Start
	Stack    *Stack    // set by Start
	Folder   string    // temporary; set by Start, removed by Close

	clock   atomic.Pointer[clock.Clock]
	closers []func() error
}

// Start starts a stack on a migrated database. configure returns the stack's configuration;
// the session fills in database, bootstraps and logs. configure may use Folder, Logs, Now and
// OnClose.
func (s *Session) Start(ctx context.Context, databaseURL string,
	configure func(context.Context) (StackConfig, error),
) (err error) {
	if s.Folder, err = os.MkdirTemp("", "matchbook-"); err != nil {
		return err
	}
	s.OnClose(func() error { return os.RemoveAll(s.Folder) })
	logs, stop, err := OpenLogs(s.LogFile, s.Progress)
	if err != nil {
		return err
	}
	s.Logs = logs
	s.OnClose(stop)
	c, err := configure(ctx)
	if err != nil {
		return err
	}
	c.DatabaseURL = databaseURL
	for i := range c.Functions {
		w := &c.Functions[i]
		w.Logs, w.OnInvocation = s.Logs, s.logFailed
		w.Bootstrap, err = lambdahost.Bootstrap(ctx, s.Folder, w.Row.Package, func(line string) { s.Progress.Say("%s", line) })
		if err != nil {
			return err
		}
	}
	if s.Stack, err = StartStack(ctx, c); err != nil {
		return err
	}
	s.OnClose(s.Stack.Close)
	s.clock.Store(s.Stack.Clock)
	return nil
}

// Open opens and migrates the chosen database, then calls Start. Close stops the database. If a
// function or PostgreSQL is missing, as on a machine with nothing but a copied program, the error
// names everything, before anything is started.
func (s *Session) Open(ctx context.Context, choice database.Choice, env func(string) string,
	configure func(context.Context) (StackConfig, error), functions ...manifest.Function,
) error {
	var packages []string
	for _, f := range functions {
		packages = append(packages, f.Package)
	}
	if err := errors.Join(lambdahost.Missing(ctx, packages...), choice.Check(ctx, env)); err != nil {
		return err
	}
	url, stop, err := choice.Fill(ctx, env, s.Progress)
	if err != nil {
		return err
	}
	s.OnClose(stop)
	return s.Start(ctx, url, configure)
}

// logFailed logs a batch if it failed as a whole or could not be deleted.
func (s *Session) logFailed(i eventsource.Invocation) {
	if err := errors.Join(i.Err, i.DeleteErr); err != nil {
		fmt.Fprintf(s.Logs, "batch of %d messages: %v\n", len(i.MessageIDs), err)
	}
}

// Now returns the stack's time, or real time before Start.
func (s *Session) Now() time.Time {
	if c := s.clock.Load(); c != nil {
		return c.Now()
	}
	return time.Now()
}

// OnClose registers a function for Close.
func (s *Session) OnClose(f func() error) { s.closers = append(s.closers, f) }

// Close calls the registered functions, last first.
func (s *Session) Close() error {
	var errs []error
	for _, f := range slices.Backward(s.closers) {
		errs = append(errs, f())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// Standing counts the unfinished rows of a run and describes its progress in one line.
type Standing func(ctx context.Context) (unfinished int, line string, err error)

// Watch shows the progress until stop is called.
func (s *Session) Watch(ctx context.Context, standing Standing) (stop func()) {
	var last string
	s.Progress.Watch(func() string {
		// A slow database leaves the last line as it is.
		ctx, cancel := context.WithTimeout(ctx, time.Second/2)
		defer cancel()
		if _, line, err := standing(ctx); err == nil || last == "" {
			last = line
		}
		return last
	})
	return func() { s.Progress.Watch(nil) }
}

// Drain shows the progress until nothing is unfinished; see Stack.Drain.
func (s *Session) Drain(ctx context.Context, standing Standing) error {
	defer s.Watch(ctx, standing)()
	return s.Stack.Drain(ctx, func(ctx context.Context) (int, error) {
		n, _, err := standing(ctx)
		return n, err
	})
}

// Kill kills the first function repeatedly until stop is called; see KillEvery. An interval of
// 0 disables it.
func (s *Session) Kill(ctx context.Context, interval time.Duration, seed uint64) (stop func() (kills int)) {
	if interval <= 0 {
		return func() int { return 0 }
	}
	s.Progress.Say("killing the function every %s, seed %d", interval, seed)
	ctx, cancel := context.WithCancel(ctx)
	kills := make(chan int, 1)
	go func() { kills <- s.Stack.KillEvery(ctx, interval, seed) }()
	return sync.OnceValue(func() int { cancel(); return <-kills })
}

// OpenLogs opens the file for --logs: "-" returns standard, and "" discards the logs.
func OpenLogs(file string, standard io.Writer) (logs io.Writer, stop func() error, err error) {
	stop = func() error { return nil }
	switch file {
	case "":
		return io.Discard, stop, nil
	case "-":
		return standard, stop, nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, stop, fmt.Errorf("--logs: %w", err)
	}
	return f, f.Close, nil
}
