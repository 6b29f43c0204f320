package lambdahost

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
)

// lockedWriter makes a writer safe for concurrent use.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write passes p on, one call at a time.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

const (
	tailLines   = 20
	longestLine = 1 << 20 // bytes; longer lines are split, so that they can't exhaust memory
)

// lineWriter passes on one process's output in whole lines and keeps the last ones. It never
// returns an error, because a full disk under the log must not close the process's pipe.
type lineWriter struct {
	mu   sync.Mutex
	w    io.Writer
	part []byte   // an unfinished line
	tail [][]byte // the last lines
}

// Write passes on the lines completed by p, and keeps the rest.
func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		l.part = append(l.part, line...)
		if whole || len(l.part) >= longestLine {
			l.endLine()
		}
		if !whole {
			return n, nil
		}
		p = rest
	}
}

// flush writes a last line without a newline.
func (l *lineWriter) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.endLine()
	}
}

func (l *lineWriter) endLine() {
	line := slices.Clone(append(l.part, '\n'))
	l.part = l.part[:0]
	if l.tail = append(l.tail, line); len(l.tail) > tailLines {
		l.tail = slices.Delete(l.tail, 0, 1)
	}
	_, _ = l.w.Write(line)
}

// tailText returns the end of the log, for use after an error message; empty if the process
// wrote nothing.
func (l *lineWriter) tailText() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tail) == 0 {
		return ""
	}
	return "; end of its log:\n" + strings.TrimRight(string(bytes.Join(l.tail, nil)), "\n")
}
