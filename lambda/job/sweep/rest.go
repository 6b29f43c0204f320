package sweep

import (
	"context"
	"time"
)

// rests reports whether a run may leave the database alone, so that one that pauses without
// connections can pause: the last look, in this hour, found nothing open, and the queues are empty.
// looked is the zero time if that look found something, or there was none.
//
// Every row with a message is seen by its queue. A row without one was written over a connection
// after the look, such as one parked for a service, an unsent notification, or a row of a program that
// died before it sent the message. It waits for the first run of the next hour.
func rests(looked, now time.Time, idle bool) bool {
	return idle && !looked.IsZero() && looked.Truncate(time.Hour).Equal(now.Truncate(time.Hour))
}

// idle reports whether all queues are empty. A queue that doesn't answer may have messages.
func (s *Sweeper) idle(ctx context.Context) bool {
	for _, w := range s.Targets {
		if n, err := w.Queue.Backlog(ctx); err != nil || n > 0 {
			return false
		}
	}
	return true
}
