package job

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Delivery is one receive of a message, decoded.
type Delivery struct {
	ID          uuid.UUID // what the message names
	Count       int       // ApproximateReceiveCount, from 1
	SentAt      time.Time // when the message was sent, by the queue's clock
	PublishedAt time.Time // the publish stamp it carries; zero without one
	Last        bool      // SQS delivers it no more; set by the Runtime
}

// Attempt names one attempt. A write that carries it changes nothing once
// another attempt or a publish has taken over.
type Attempt struct {
	ID     uuid.UUID
	Number int
}

// Claim is the result of a store's attempt to claim a Delivery.
type Claim struct {
	Found   Result        // Claimed, also if Suspect; else Done, Superseded, Missing, Unworkable, Held, Busy or Early
	Suspect bool          // not claimed: its lease ended unfinished, claim it alone
	Attempt Attempt       // the attempt; of a Suspect, the last one
	Tenant  uuid.UUID     // of the row; zero when Missing
	Wait    time.Duration // Held: until the other lease ends; Early: until the retry is due
	Reason  string        // Unworkable: why
}

// Release ends a claim without success: the row is pending again, or
// failed.
type Release struct {
	Status   Status        // StatusPending or StatusFailed
	Reason   string        // safe to store
	Due      time.Duration // StatusPending: when its message is visible again
	Kind     string        // StatusFailed: the notification's kind
	Delivery int           // StatusFailed: deliveries so far, for the notification
}

// Row is a row as it is now.
type Row struct {
	Status    Status
	Attempt   int
	LeaseLeft time.Duration // by the database's clock; not positive when it has ended
}

// ErrFenceLost is returned by a write whose fence did not hold: another
// attempt or a publish took over, and nothing was written.
var ErrFenceLost = errors.New("fence lost")

// ErrNotFound is returned by Store.Find for an id without a row.
var ErrNotFound = errors.New("row not found")

// Store keeps the state. Package jobtest tests that a store conforms.
type Store interface {
	// Claim claims the rows that the deliveries name, for as long as the
	// lease, in one statement that locks rows in id order and waits for no lock.
	// A suspect is claimed only when suspects is true, a retry that is not due
	// only on its last delivery. The claims are in the order of the deliveries;
	// of two deliveries of one row one claims it and the other finds it held.
	Claim(ctx context.Context, deliveries []Delivery, lease time.Duration, suspects bool) ([]Claim, error)
	// Release ends the attempt without success, and with StatusFailed writes the
	// notification row, in one transaction. It reports false when the fence did not hold.
	Release(ctx context.Context, f Attempt, r Release) (bool, error)
	// Extend makes leases last for that long from now, in one statement, and
	// returns the fences that still hold; it changes no other row.
	Extend(ctx context.Context, fences []Attempt, lease time.Duration) ([]Attempt, error)
	// Find reads a row again; ErrNotFound without a row.
	Find(ctx context.Context, id uuid.UUID) (Row, error)
}

// Work works on a claimed row and commits its results together with
// StatusSucceeded, fenced. After any error the runtime settles the delivery;
// ErrFenceLost means that another attempt or a publish has the row now, and
// a Partial has results although the work failed.
type Work func(ctx context.Context, f Attempt) error

// Partial is the error of work that failed and still has results to commit. The
// runtime settles it like Err, and lets Release write the settlement.
type Partial struct {
	Err error
	// Release is Store.Release for the attempt, and commits the results in the
	// same transaction: both or neither. If it fails, they are lost, and the
	// runtime releases the row without them.
	Release func(ctx context.Context, r Release) (bool, error)
}

// Error returns the text of Err.
func (p *Partial) Error() string { return p.Err.Error() }

// Unwrap returns Err.
func (p *Partial) Unwrap() error { return p.Err }

// Settled is a delivery, by its place in the batch, and its settlement.
type Settled struct {
	Index int
	Settlement
}

// Messages carries settlements out at the queue: an Ack deletes the message,
// Retry and DeadLetter change its visibility. It logs its failures itself: they
// never change the state of a row.
type Messages interface {
	Settle(ctx context.Context, settled []Settled)
	// Extend keeps the messages of deliveries, by their place in the batch, out
	// of sight for that long from now.
	Extend(ctx context.Context, indexes []int, visibility time.Duration)
}
