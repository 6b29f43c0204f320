package simulate

import (
	"container/heap"
	"time"
)

// loop runs events in the order of their time. Its clock stands still while one runs.
type loop struct {
	now    time.Time
	events events
	count  int
	moved  func() // called when the clock has moved; may be nil
}

type event struct {
	at    time.Time
	order int // of two events at one time the one that was planned first runs first
	run   func()
}

// at plans an event; one of the past runs next.
func (l *loop) at(t time.Time, run func()) {
	l.count++
	heap.Push(&l.events, event{t, l.count, run})
}

func (l *loop) after(d time.Duration, run func()) { l.at(l.now.Add(d), run) }

// every plans an event for all periods until end.
func (l *loop) every(first time.Time, period time.Duration, end time.Time, run func()) {
	if first.Before(end) {
		l.at(first, func() {
			l.every(first.Add(period), period, end, run)
			run()
		})
	}
}

// step runs the next event, and reports false when there is none before end.
func (l *loop) step(end time.Time) bool {
	if len(l.events) == 0 || !l.events[0].at.Before(end) {
		return false
	}
	e := heap.Pop(&l.events).(event)
	if e.at.After(l.now) {
		l.now = e.at
		if l.moved != nil {
			l.moved()
		}
	}
	e.run()
	return true
}

// events is a heap.
type events []event

// Len implements heap.Interface.
func (h events) Len() int { return len(h) }

// Less implements heap.Interface.
func (h events) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].order < h[j].order
}

// Swap implements heap.Interface.
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *events) Push(e any) { *h = append(*h, e.(event)) }

// Pop implements heap.Interface.
func (h *events) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = event{}
	*h = (*h)[:last]
	return e
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
