package term

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Meter reports progress every second: on a terminal it rewrites one line,
// elsewhere it prints a line each time. Lines written to it stay.
type Meter struct {
	out      io.Writer
	Terminal bool      // whether it rewrites its line
	start    sync.Once // of run
	stop     chan struct{}
	running  sync.WaitGroup

	mu     sync.Mutex
	status func() string // nil: nothing to show
	open   bool          // a line on the terminal is to be rewritten
}

// NewMeter returns a meter that shows nothing yet. Close ends one that was
// asked to show something.
func NewMeter(out io.Writer) *Meter {
	m := &Meter{out: out, stop: make(chan struct{})}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		m.Terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return m
}

func (m *Meter) run() {
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
func (m *Meter) Close() {
	m.Watch(nil)
	close(m.stop)
	m.running.Wait()
}

// Step shows the name of the current step and how long it has lasted.
func (m *Meter) Step(format string, args ...any) {
	started, name := time.Now(), fmt.Sprintf(format, args...)
	m.Watch(func() string { return fmt.Sprintf("%s, %.0f s", name, time.Since(started).Seconds()) })
}

// Watch shows status from now on, nothing if it is nil. After watch returns,
// the previous status is not called again.
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

// Say prints a line that stays.
func (m *Meter) Say(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// Write implements io.Writer: it prints lines that stay.
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
