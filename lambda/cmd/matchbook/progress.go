package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress tells a person what is going on: on a terminal a line that is
// rewritten, elsewhere a line now and then.
type progress struct {
	out      io.Writer
	terminal bool
	started  time.Time
	shown    time.Time
	open     bool // a line is there to be rewritten
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, started: time.Now()}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// say prints a line that stays.
func (p *progress) say(format string, args ...any) {
	p.end()
	fmt.Fprintf(p.out, format+"\n", args...)
}

// end takes the line away that is rewritten: what comes next begins a line.
func (p *progress) end() {
	if p.open {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.open = false
	}
}

// show shows how far it is, at most ten times a second on a terminal and
// every two seconds elsewhere.
func (p *progress) show(format string, args ...any) {
	every := 2 * time.Second
	if p.terminal {
		every = 100 * time.Millisecond
	}
	if time.Since(p.shown) < every || time.Since(p.started) < every {
		return
	}
	p.shown = time.Now()
	if !p.terminal {
		fmt.Fprintf(p.out, format+"\n", args...)
		return
	}
	p.open = true
	fmt.Fprintf(p.out, "\r\x1b[K"+format, args...)
}
