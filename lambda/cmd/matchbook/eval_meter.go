package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// meter shows every second what goes on: on a terminal a line that is
// rewritten, elsewhere a line each. What is written to it are lines that stay.
type meter struct {
	out      io.Writer
	terminal bool
	stop     chan struct{}
	stopped  chan struct{}

	mu     sync.Mutex
	status func() string // nil: nothing to show
	open   bool          // a line is there to be rewritten
}

// newMeter returns a meter that shows nothing yet. Close ends it.
func newMeter(out io.Writer) *meter {
	m := &meter{out: out, stop: make(chan struct{}), stopped: make(chan struct{})}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		m.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	go m.run()
	return m
}

func (m *meter) run() {
	defer close(m.stopped)
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

// Close ends what is shown.
func (m *meter) Close() {
	m.watch(nil)
	close(m.stop)
	<-m.stopped
}

// step names what goes on from now on.
func (m *meter) step(format string, args ...any) {
	started, name := time.Now(), fmt.Sprintf(format, args...)
	m.watch(func() string { return fmt.Sprintf("%s, %.0f s", name, time.Since(started).Seconds()) })
}

// watch shows status from now on, nothing if it is nil. When watch returns,
// nobody asks the one before any more.
func (m *meter) watch(status func() string) {
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

// Write prints lines that stay.
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
