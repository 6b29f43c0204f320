package lambdahost

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
)

// lockedWriter makes a writer safe for the processes that share it.
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
	longestLine = 1 << 20 // bytes; a longer line is cut in two, so that it cannot fill our memory
)

// lineWriter passes the output of one process on in whole lines and keeps the
// last ones. It never returns an error: a full disk under the log must not
// close the pipe of the process.
type lineWriter struct {
	mu   sync.Mutex
	w    io.Writer
	part []byte   // of a line that has not ended yet
	tail [][]byte // the last lines
}

// Write passes on the lines that p completes, and keeps the rest.
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

// flush writes a last line that the process did not end.
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

// tailText is the end of the log, to stand after a sentence; empty when the
// process wrote nothing.
func (l *lineWriter) tailText() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tail) == 0 {
		return ""
	}
	return "; the end of its log:\n" + strings.TrimRight(string(bytes.Join(l.tail, nil)), "\n")
}
