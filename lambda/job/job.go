package job

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Delivery is one receive of a message, decoded. A message may be delivered more than once.
type Delivery struct {
	ID          uuid.UUID // the row named by the message
	Count       int       // ApproximateReceiveCount, from 1
	SentAt      time.Time // by the queue's clock
	PublishedAt time.Time // the message's publish stamp; zero without one
	Trace       string    // the publisher's traceparent; empty without one
	Last        bool      // SQS won't deliver it again; set by the Runtime
}

// Attempt is one claim of a row, and the fence of its writes: they change nothing once another
// attempt or a publish has taken over.
type Attempt struct {
	ID     uuid.UUID
	Number int
}

// Claim is the result of a store's attempt to claim a Delivery.
type Claim struct {
	Found   Result        // Claimed, even if Suspect; else Done, Superseded, Missing, Unworkable, Held, Busy or Early
	Suspect bool          // not claimed yet because its lease ended unfinished; claim it alone
	Attempt Attempt       // the new attempt; for a Suspect, its last one
	Tenant  uuid.UUID     // of the row; zero when Missing
	Wait    time.Duration // Held: until the other lease ends; Early: until the retry is due
	Reason  string        // Unworkable: why
}

// Release ends a claim without success: the row becomes pending again, or failed.
type Release struct {
	Status   Status        // StatusPending or StatusFailed
	Reason   string        // safe to store
	Due      time.Duration // StatusPending: delay until its message is visible again
	Service  string        // StatusPending: the service that the row waits for, without a message; empty: none
	Kind     string        // StatusFailed: the notification's kind
	Delivery int           // StatusFailed: deliveries so far, for the notification
}

// Row is the current state of a row.
type Row struct {
	Status    Status
	Attempt   int
	LeaseLeft time.Duration // by the database's clock; zero or negative once ended
}

// ErrFenceLost is returned by a fenced write after another attempt or a publish took over.
// Nothing was written.
var ErrFenceLost = errors.New("fence lost")

// ErrNotFound is returned by Store.Find for an unknown id.
var ErrNotFound = errors.New("row not found")

// Store keeps the rows. It must be safe for concurrent use. Test yours with package jobtest.
type Store interface {
	// Claim claims the deliveries' rows for the length of a lease, in one statement. It must
	// lock rows in id order and never wait for a lock; a locked row is Busy. It must claim a
	// suspect only if suspects is true, and a retry that isn't due only on its last delivery.
	// The claims are in the order of the deliveries; if two deliveries name one row, one
	// claims it and the other finds it Held.
	Claim(ctx context.Context, deliveries []Delivery, lease time.Duration, suspects bool) ([]Claim, error)
	// Release ends the attempt without success. With StatusFailed it also writes the
	// notification, in the same transaction. It returns false if the fence was lost.
	Release(ctx context.Context, f Attempt, r Release) (bool, error)
	// Extend makes the leases end after lease from now, in one statement, and returns the
	// attempts that still hold their fence. It must change no other row.
	Extend(ctx context.Context, fences []Attempt, lease time.Duration) ([]Attempt, error)
	// Find returns a row's current state, or ErrNotFound.
	Find(ctx context.Context, id uuid.UUID) (Row, error)
}

type attemptKey struct{}

// AttemptOf returns the attempt of the work with this context; the zero Attempt without one.
func AttemptOf(ctx context.Context) Attempt {
	f, _ := ctx.Value(attemptKey{}).(Attempt)
	return f
}

// Worker is an invocation: where to find the log of its attempts, and its place in a chain of
// functions that send each other messages, which ends before Lambda drops it; see manifest.MaxHops.
type Worker struct {
	Name    string // the function's log stream, or a host
	Request string // the invocation's id
	Hops    int    // functions of the chain so far, itself included; 0 outside a function
}

type workerKey struct{}

// WithWorker returns a context for the claims of a worker. Messages sent with it continue its chain.
func WithWorker(ctx context.Context, w Worker) context.Context {
	return context.WithValue(ctx, workerKey{}, w)
}

// WorkerOf returns the worker with this context; the zero Worker without one.
func WorkerOf(ctx context.Context) Worker {
	w, _ := ctx.Value(workerKey{}).(Worker)
	return w
}

// Partial is an error for work that failed but has results to keep. It is settled like Err,
// but through its own Release.
type Partial struct {
	Err error
	// Release does the same as Store.Release for the attempt, and commits the results in the
	// same transaction. If it fails, the results are lost: the runtime then releases the row
	// without them.
	Release func(ctx context.Context, r Release) (bool, error)
}

// Error returns the text of Err.
func (p *Partial) Error() string { return p.Err.Error() }

// Unwrap returns Err.
func (p *Partial) Unwrap() error { return p.Err }

// Settled is the settlement of the delivery at Index in the batch.
type Settled struct {
	Index int
	Settlement
}

// Messages applies settlements to the queue: it deletes the message of an Ack, and changes the
// visibility for Retry and DeadLetter. It logs its errors and returns none, because they must
// not change the state of a row.
type Messages interface {
	Settle(ctx context.Context, settled []Settled)
	// Extend hides the messages of the deliveries at these indexes for visibility, from now.
	Extend(ctx context.Context, indexes []int, visibility time.Duration)
}
