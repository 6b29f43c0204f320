package job

import "time"

// Result is the state or event met by a delivery, for Decide to settle.
type Result int

// The results, each a row of the table in the package documentation.
const (
	Malformed  Result = iota + 1 // the body isn't an id
	Succeeded                    // the work was committed
	Done                         // finished by an earlier delivery, or cancelled
	Superseded                   // the row was published again later
	Missing                      // no row has the id
	Unworkable                   // nothing to work on; the row has the reason
	Held                         // another claim's lease is live
	Busy                         // another transaction has locked the row
	Early                        // its retry isn't due yet
	Transient                    // the work failed; worth another attempt
	Permanent                    // the work failed for good
	Parked                       // a service is away; the sweep publishes the row once it is back
	Lost                         // fence lost, and the row waits for another message
	Unsettled                    // nothing could be written, or the work didn't start
)

var resultNames = [...]string{"", "malformed", "succeeded", "done", "superseded", "missing",
	"unworkable", "held", "busy", "early", "transient", "permanent", "parked", "lost", "unsettled"}

// Claimed is the Found of a Claim with work left to do, so not a Result yet. A Suspect has it
// too, until it is claimed alone.
const Claimed Result = 0

// String returns the result's name in logs and metrics.
func (r Result) String() string { return resultNames[r] }

// Outcome is the input of Decide.
type Outcome struct {
	Result     Result
	Delivery   int           // ApproximateReceiveCount, from 1
	RetryAfter time.Duration // Transient: the wait requested by the server; 0 without one
	Wait       time.Duration // Held, Busy, Early, Unsettled: time until another delivery may succeed
}

// Action is the outcome for a message.
type Action int

const (
	// Ack lets SQS delete the message. It isn't the zero Action, so that a forgotten
	// settlement never deletes a message.
	Ack Action = iota + 1
	// Retry makes the message visible again after Visibility.
	Retry
	// DeadLetter makes the message visible at once on its last delivery, so that SQS moves it
	// to the dead-letter queue.
	DeadLetter
)

// String returns the action's name in logs.
func (a Action) String() string { return [...]string{"", "ack", "retry", "dead-letter"}[a] }

// KeepVisibility leaves the message's visibility as it is.
const KeepVisibility time.Duration = -1

// Status is the status of a row.
type Status string

// The statuses. StatusNone is NULL; in a Settlement it means "write nothing".
const (
	StatusNone       Status = ""
	StatusPending    Status = "pending"
	StatusInProgress Status = "in-progress"
	StatusSucceeded  Status = "succeeded"
	StatusFailed     Status = "failed"
	StatusCancelled  Status = "cancelled" // ended by a person, or skipped; not in every table
)

// Settlement ends a delivery: the row's new status and the message's action.
type Settlement struct {
	// Write is written first: pending, failed, or none. Succeeded and NULL never occur,
	// because the work and the claim have written them before Decide is called.
	Write      Status
	Action     Action
	Visibility time.Duration // of a Retry; KeepVisibility leaves it unchanged
}

// Backoff holds the visibility timeouts after the first, second ... transient failure. The
// delivery after its last entry is the last one.
type Backoff []time.Duration

// Decide returns the settlement of a delivery with this outcome. It alone maps results to a
// status and an action; see the table in the package documentation.
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
	case Parked:
		return Settlement{Write: StatusPending, Action: Ack}
	case Transient:
		if last {
			return Settlement{Write: StatusFailed, Action: DeadLetter}
		}
		return b.retry(o, StatusPending)
	case Lost:
		if last { // the publish or attempt that took the row has its own message
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
