package job

import "time"

// Result is the state or event that one delivery met, before Decide settles it.
type Result int

// The results, each a row of Decide.
const (
	Malformed  Result = iota + 1 // the body is not an id
	Succeeded                    // the work was committed
	Done                         // it was over already
	Superseded                   // a later message was published
	Missing                      // no row has the id
	Unworkable                   // nothing to work on; the row has the reason
	Held                         // another claim's lease is live
	Busy                         // the row is locked by another transaction
	Early                        // it waits for a retry that is not due yet
	Transient                    // the work failed and may be tried again
	Permanent                    // the work failed for good
	Lost                         // fence lost, and the row waits for another message
	Unsettled                    // nothing could be written, or the work did not begin
)

var resultNames = [...]string{"", "malformed", "succeeded", "done", "superseded", "missing",
	"unworkable", "held", "busy", "early", "transient", "permanent", "lost", "unsettled"}

// Claimed is the Found of a Claim whose work is still to be done: no Result yet. A
// Suspect has it too, until it is claimed alone.
const Claimed Result = 0

// String is the result's name in logs and metrics.
func (r Result) String() string { return resultNames[r] }

// Outcome is the input of Decide.
type Outcome struct {
	Result     Result
	Delivery   int           // ApproximateReceiveCount, from 1
	RetryAfter time.Duration // Transient: the wait that the other side asked for, 0 without one
	Wait       time.Duration // Held, Busy, Early, Unsettled: until another delivery may succeed
}

// Action is the fate of the message.
type Action int

const (
	// Ack lets SQS delete the message. It is deliberately not the zero Action.
	Ack Action = iota + 1
	// Retry makes the message visible again after Visibility.
	Retry
	// DeadLetter makes it visible at once, on its last delivery, so that SQS
	// moves it to the dead-letter queue.
	DeadLetter
)

// String is the action's name in logs.
func (a Action) String() string { return [...]string{"", "ack", "retry", "dead-letter"}[a] }

// KeepVisibility leaves the message's visibility as it is.
const KeepVisibility time.Duration = -1

// Status is the status of a row.
type Status string

// The statuses. StatusNone is NULL; in a Settlement it means
// that nothing is written.
const (
	StatusNone       Status = ""
	StatusPending    Status = "pending"
	StatusInProgress Status = "in-progress"
	StatusSucceeded  Status = "succeeded"
	StatusFailed     Status = "failed"
	StatusCancelled  Status = "cancelled" // ended without work, by a person or as skipped; not in every table
)

// Settlement is the end of a delivery, for the row and for the message.
type Settlement struct {
	// Write is the row's new status, written first: pending, failed, or none.
	// The work has written succeeded, and the claim NULL, before Decide is asked.
	Write      Status
	Action     Action
	Visibility time.Duration // of a Retry; KeepVisibility leaves it alone
}

// Backoff holds the visibility after the first, the second ... transient
// failure. The delivery after the last entry is the last one.
type Backoff []time.Duration

// Decide returns the end of a delivery that met this outcome. The Result comes
// from the store's claim, the work, or the write after it; Decide alone turns it
// into a status and an action.
func (b Backoff) Decide(o Outcome) Settlement {
	last := o.Delivery > len(b)
	switch o.Result {
	case Malformed, Succeeded, Done, Superseded, Unworkable:
		return Settlement{Action: Ack}
	case Missing:
		if o.Delivery > 1 {
			return Settlement{Action: Ack}
		}
		return b.retry(o, StatusNone) // its publisher may not have committed yet
	case Permanent:
		return Settlement{Write: StatusFailed, Action: Ack}
	case Transient:
		if last {
			return Settlement{Write: StatusFailed, Action: DeadLetter}
		}
		return b.retry(o, StatusPending)
	case Lost:
		if last { // the publish or the attempt that took the row has a message of its own
			return Settlement{Action: Ack}
		}
		return Settlement{Action: Retry, Visibility: KeepVisibility}
	default: // Held, Busy, Early, Unsettled, and any result without a case: never an Ack
		switch {
		case last:
			return Settlement{Action: DeadLetter}
		case o.Wait > 0:
			return Settlement{Action: Retry, Visibility: o.Wait}
		}
		return b.retry(o, StatusNone)
	}
}

func (b Backoff) retry(o Outcome, write Status) Settlement {
	wait := max(b[max(o.Delivery, 1)-1], o.RetryAfter)
	return Settlement{Write: write, Action: Retry, Visibility: wait}
}
