// Package clock is the time of the local stack. You can freeze it and advance it.
package clock

import (
	"sync"
	"time"
)

// Clock is the time of the local stack. It follows real time unless frozen, and jumps forward
// on Advance, so half an hour of retries takes no time. It never goes back. Clock is safe for
// concurrent use.
type Clock struct {
	mu     sync.Mutex
	base   time.Time // the clock's time at start
	start  time.Time // real time (monotonic); zero when frozen
	jumped chan struct{}
}

// New returns a running clock, set to the real time.
func New() *Clock {
	now := time.Now()
	return &Clock{base: now, start: now, jumped: make(chan struct{})}
}

// NewFrozen returns a clock frozen at the given time. Use it for events with exact times.
func NewFrozen(at time.Time) *Clock {
	return &Clock{base: at, jumped: make(chan struct{})}
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if c.start.IsZero() {
		return c.base
	}
	return c.base.Add(time.Since(c.start))
}

// Advance moves the clock forward by d and wakes everything waiting on Jumped. It ignores a
// negative d.
func (c *Clock) Advance(d time.Duration) {
	if d <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = c.base.Add(d)
	close(c.jumped)
	c.jumped = make(chan struct{})
}

// Jumped returns a channel closed by the next Advance. Call it before Now, so that you don't
// miss a jump in between.
func (c *Clock) Jumped() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jumped
}
