// Package clock is the time of the local stack, which flows or stands still, and
// jumps forward.
package clock

import (
	"sync"
	"time"
)

// Clock is the time of the local stack. It flows with real time, or stands
// still when frozen, and jumps forward when Advance is called, so that half
// an hour of retries passes in a moment. It never goes back.
type Clock struct {
	mu     sync.Mutex
	base   time.Time // the clock's time when start was taken
	start  time.Time // real time (monotonic); zero when the clock is frozen
	jumped chan struct{}
}

// New returns a clock that flows from now on.
func New() *Clock {
	now := time.Now()
	return &Clock{base: now, start: now, jumped: make(chan struct{})}
}

// NewFrozen returns a clock that stands at the given time and moves only
// by Advance, so that events have exact times.
func NewFrozen(at time.Time) *Clock {
	return &Clock{base: at, jumped: make(chan struct{})}
}

// Now is the time on this clock.
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

// Advance moves the clock forward by d and wakes all that wait on
// Jumped. A negative d is ignored.
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

// Jumped returns a channel that is closed at the next Advance. Take it before
// looking at Now, so that no jump is missed in between.
func (c *Clock) Jumped() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jumped
}
