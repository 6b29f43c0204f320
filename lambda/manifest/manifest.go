// Package manifest is the table of functions: their queues, timeouts, batch sizes, retries and
// limits. The infrastructure and the runtime must agree on these facts, so both read them
// here, like a ship's manifest. See packages variable and metric for the names of environment
// variables and metrics.
//
// Functions and Tasks (see function.go) list the functions of every stack, and OptionalTasks
// the ones enabled by settings. A new row in Functions adds a queue with its dead-letter
// queue, function, mapping, alarms, graphs and rights: the infrastructure, setup, doctor and
// the local stack never compare a row's name. If a row is special, you should give it a field.
package manifest

import "time"

const (
	// LeaseMargin is added to the end of an invocation for the end of its claims, because of
	// clock differences and the last write.
	LeaseMargin = time.Minute
	// SettleReserve is kept free at the end of an invocation for settling.
	SettleReserve = 15 * time.Second
	// RespondReserve is the last part of SettleReserve, after settling: for the calls to the
	// queue and the response.
	RespondReserve = 6 * time.Second
	// StreamReserve is kept free at the end of a streaming invocation, so that the stream ends
	// as planned.
	StreamReserve = 15 * time.Second
	// NotifyReserve limits the time for recording sent notifications, after the end of their
	// context.
	NotifyReserve = 5 * time.Second
	// MaxVisibility is SQS's limit, counted from the receive of a message.
	MaxVisibility = 12 * time.Hour
	// MaxTimeout is Lambda's limit for an invocation.
	MaxTimeout = 15 * time.Minute
	// MaxBatchSize limits the messages of an invocation. Lambda allows thousands, but settling
	// them, ten a call, must fit into RespondReserve.
	MaxBatchSize = 100
	// MessagesPerCall is SQS's limit for sending, receiving or deleting.
	MessagesPerCall = 10
	// QueueRetention is the age at which a queue drops an unfinished message.
	QueueRetention = 4 * 24 * time.Hour
	// DeadLetterRetention is the same for a dead-letter queue. It must be longer, since the
	// age counts from the first send too.
	DeadLetterRetention = 14 * 24 * time.Hour
	// PublishedAt is the message attribute for the publish stamp.
	PublishedAt = "published-at"
	// Hops is the message attribute for the number of functions that handed the message on.
	Hops = "hops"
	// MaxHops ends a chain of messages, and the sweep begins a new one. Lambda drops the message
	// of a chain after about 16 invocations, if it comes back to a function of the chain.
	MaxHops = 12
	// Traceparent is the message attribute for W3C's trace context, which only traced publishers
	// set.
	Traceparent = "traceparent"
)

// Folders of the blob store.
const (
	FolderInbox      = "inbox/"      // inbox/{tenant}/{name}: files put here are ingested
	FolderDocuments  = "documents/"  // documents/{document}.{extension}
	FolderIngestions = "ingestions/" // ingestions/{ingestion}/: checkpoints, reproducible
)

// DefaultModel is the model to use without OPENAI_MODEL.
const DefaultModel = "gpt-4.1-mini"
