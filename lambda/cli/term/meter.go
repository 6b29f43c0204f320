package term

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Meter reports progress every second. On a terminal it rewrites one line; otherwise it
// prints a line each time. Write lines that must stay to the meter, not to its output. It's
// safe for concurrent use.
type Meter struct {
	out      io.Writer
	Terminal bool      // rewrites its line
	start    sync.Once // starts run
	stop     chan struct{}
	running  sync.WaitGroup

	mu     sync.Mutex
	status func() string // nil: nothing to show
	open   bool          // the terminal has a line to rewrite
}

// NewMeter returns a meter without a status. The caller must close it.
func NewMeter(out io.Writer) *Meter {
	m := &Meter{out: out, stop: make(chan struct{})}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		m.Terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return m
}

func (m *Meter) run() {
	// One ticker for all steps, so that many short ones aren't silent.
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

// Close clears the status and ends the meter.
func (m *Meter) Close() {
	m.Watch(nil)
	close(m.stop)
	m.running.Wait()
}

// Step shows the name of the current step and its duration so far.
func (m *Meter) Step(format string, args ...any) {
	started, name := time.Now(), fmt.Sprintf(format, args...)
	m.Watch(func() string { return fmt.Sprintf("%s, %.0f s", name, time.Since(started).Seconds()) })
}

// Watch shows status from now on; nil shows nothing. After Watch returns, the previous
// status isn't called again.
func (m *Meter) Watch(status func() string) {
	if status != nil {
		m.start.Do(func() { m.running.Go(m.run) })
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status = status
	m.clear()
}

func (m *Meter) show() {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.status == nil:
	case m.Terminal:
		m.open = true
		fmt.Fprintf(m.out, "\r\x1b[K%s", m.status())
	default:
		fmt.Fprintln(m.out, m.status())
	}
}

// Say prints a permanent line.
func (m *Meter) Say(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// Write prints permanent lines.
func (m *Meter) Write(lines []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
	return m.out.Write(lines)
}

func (m *Meter) clear() {
	if m.open {
		fmt.Fprint(m.out, "\r\x1b[K")
		m.open = false
	}
}
