// Package fault names the rare faults of Amazon SQS, which local/sqs has on
// order. A name is also the text by which a report counts the fault.
package fault

// Kind is a rare behaviour of Amazon SQS.
type Kind string

// The kinds of faults, and the occasions on which they happen.
const (
	// DuplicateDelivery: a message that is received is handed out once more
	// while it is in flight. Not in a FIFO queue, and not beyond maxReceiveCount.
	DuplicateDelivery Kind = "duplicate delivery"
	// LateDelivery: of a message that is deleted a copy stays, and is handed
	// out when the visibility timeout has passed. Not beyond maxReceiveCount.
	LateDelivery Kind = "late delivery"
	// EarlyExpiry: a message that is received is visible again at once, as if
	// the work on it had outlasted the visibility timeout. On its last receive
	// it can go to the dead-letter queue while it is worked on.
	EarlyExpiry Kind = "early expiry"
	// EntryRefused: an entry of a batch is in Failed with InternalError.
	EntryRefused Kind = "entry refused"
	// EntryUnconfirmed: an entry that was done is in Failed with InternalError.
	EntryUnconfirmed Kind = "entry unconfirmed"
	// CallRefused: a call does nothing and is answered 500, the next one 503.
	CallRefused Kind = "call refused"
	// CallLost: a call does not arrive, its connection closes.
	CallLost Kind = "call lost"
	// AnswerLost: a call that is done is not answered, its connection closes.
	AnswerLost Kind = "answer lost"
)
