package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// meter reports progress every second: on a terminal it rewrites one line,
// elsewhere it prints a line each time. Lines written to it stay.
type meter struct {
	out      io.Writer
	terminal bool
	start    sync.Once // of run
	stop     chan struct{}
	running  sync.WaitGroup

	mu     sync.Mutex
	status func() string // nil: nothing to show
	open   bool          // a line on the terminal is to be rewritten
}

// newMeter returns a meter that shows nothing yet. Close ends one that was
// asked to show something.
func newMeter(out io.Writer) *meter {
	m := &meter{out: out, stop: make(chan struct{})}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		m.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return m
}

func (m *meter) run() {
	// One ticker for all steps: several short ones are not silent together.
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-ticker.C:
			m.show()
		}
	}
}

// Close removes the line that is rewritten, and ends the meter.
func (m *meter) Close() {
	m.watch(nil)
	close(m.stop)
	m.running.Wait()
}

// step shows the name of the current step and how long it has lasted.
func (m *meter) step(format string, args ...any) {
	started, name := time.Now(), fmt.Sprintf(format, args...)
	m.watch(func() string { return fmt.Sprintf("%s, %.0f s", name, time.Since(started).Seconds()) })
}

// watch shows status from now on, nothing if it is nil. After watch returns,
// the previous status is not called again.
func (m *meter) watch(status func() string) {
	if status != nil {
		m.start.Do(func() { m.running.Go(m.run) })
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status = status
	m.clear()
}

func (m *meter) show() {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.status == nil:
	case m.terminal:
		m.open = true
		fmt.Fprintf(m.out, "\r\x1b[K%s", m.status())
	default:
		fmt.Fprintln(m.out, m.status())
	}
}

// say prints a line that stays.
func (m *meter) say(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// Write implements io.Writer: it prints lines that stay.
func (m *meter) Write(lines []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
	return m.out.Write(lines)
}

func (m *meter) clear() {
	if m.open {
		fmt.Fprint(m.out, "\r\x1b[K")
		m.open = false
	}
}
