// Package manifest holds the facts that the infrastructure and the runtime
// must agree on: names, timeouts, batch sizes and retry schedules. Its packages
// variable and metric hold the names of environment variables and metrics.
//
// Functions and Tasks, in function.go, are the lists of all that every stack has,
// OptionalTasks has what settings ask for. A further row in Functions is a further
// queue with its dead-letter queue, function, mapping, alarms, graphs and rights:
// the infrastructure, setup, doctor and the local stack compare no row's name. What
// sets a row apart is a field of the row.
package manifest

import "time"

const (
	// LeaseMargin is added to the end of an invocation to get the end of its
	// claims, for the clock of the machine and the last write.
	LeaseMargin = time.Minute
	// SettleReserve is kept free at the end of an invocation for settling.
	SettleReserve = 15 * time.Second
	// RespondReserve is the last part of SettleReserve, when settling has
	// ended: for the calls to the queue and the response.
	RespondReserve = 6 * time.Second
	// StreamReserve is kept free at the end of an invocation that streams, so that
	// the stream ends as planned.
	StreamReserve = 15 * time.Second
	// NotifyReserve bounds the time that sending notifications takes beyond the
	// end of its context, to record which of them were sent.
	NotifyReserve = 5 * time.Second
	// MaxVisibility is SQS's limit from the receive of a message.
	MaxVisibility = 12 * time.Hour
	// MaxTimeout is Lambda's limit for an invocation.
	MaxTimeout = 15 * time.Minute
	// MaxBatchSize is the most messages of an invocation. Lambda takes thousands;
	// a settlement of all of them, ten a call, must fit into RespondReserve.
	MaxBatchSize = 100
	// MessagesPerCall is SQS's limit for a call that sends, receives or deletes.
	MessagesPerCall = 10
	// QueueRetention is the time from sending after which a queue drops a
	// message that is not done.
	QueueRetention = 4 * 24 * time.Hour
	// DeadLetterRetention is the same of a dead-letter queue. It counts from the
	// first sending as well, so it must be the longer one.
	DeadLetterRetention = 14 * 24 * time.Hour
	// PublishedAt is the message attribute that carries the publish stamp.
	PublishedAt = "published-at"
)

// Folders of the store of files.
const (
	FolderInbox      = "inbox/"      // inbox/{tenant}/{name}: a file laid here is ingested
	FolderDocuments  = "documents/"  // documents/{document}.{extension}
	FolderIngestions = "ingestions/" // ingestions/{ingestion}/: checkpoints, which can be made again
)

// DefaultModel is the model where OPENAI_MODEL names none.
const DefaultModel = "gpt-4.1-mini"
