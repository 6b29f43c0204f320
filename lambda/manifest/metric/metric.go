package metric

// Names of the metrics.
const (
	// Of each function in Functions. Deliveries by outcome; each delivery counts
	// as one of these.
	Succeeded    = "Succeeded"    // done in this delivery
	Retried      = "Retried"      // comes again: by the schedule, or because another worker holds the row
	DeadLettered = "DeadLettered" // failed on its last delivery
	Failed       = "Failed"       // failed for good at once
	Skipped      = "Skipped"      // no work: done before, superseded, missing, not matchable
	Malformed    = "Malformed"    // the body is not an id
	// Refused counts refused credentials, of the database, the model or a
	// channel, in the functions and in the sweep.
	Refused = "Refused"
	// RefusedSets counts the answers by which the receiver of match offers
	// refused a set, in the offer function and in the sweep: a person has to look.
	RefusedSets = "RefusedSets"
	// RefusedEvents counts those by which the receiver of events refused one, in
	// the match function and in the sweep.
	RefusedEvents = "RefusedEvents"
	// AttemptTime is the time that a claimed document took, in milliseconds.
	AttemptTime = "AttemptTime"
	// Of the model, as far as the provider reported them.
	ModelCalls            = "ModelCalls"
	ModelPromptTokens     = "ModelPromptTokens"
	ModelCompletionTokens = "ModelCompletionTokens"
	ModelReplays          = "ModelReplays" // questions answered from the vault
	// The first of two tiers of retries: a call that is repeated within its attempt.
	// The second, deliveries that the queue repeats, is Retried, and a worker
	// that died Recovered.
	ModelRetries = "ModelRetries"
	// ModelPaused is the time that a question waited for the rate limit of its
	// provider, in milliseconds.
	ModelPaused = "ModelPaused"

	// Of the schedule of match offers: jobs that were queued, those of them more than
	// half an hour after nine o'clock, and dates of users that were skipped.
	Queued       = "Queued"
	Late         = "Late"
	SkippedDates = "SkippedDates"
	// Of the schedule of offers, computed from rows: offers of one candidate to one
	// user for one date beyond the first, and sets of one user for one date likewise.
	DuplicateOffers = "DuplicateOffers"

	// Of the sweep, computed from rows.
	OldestDue    = "OldestDue" // seconds since the longest waiting document was due; 0 if none is
	Pending      = "Pending"
	InProgress   = "InProgress"
	Unsent       = "Untold"      // notifications not yet sent, counted per channel
	Inserted     = "Inserted"    // published because a program had inserted them; not a repair
	Republished  = "Republished" // repairs; 0 in a healthy system
	Recovered    = "Recovered"
	Lost         = "Lost"
	Crashed      = "Crashed"
	SweepBacklog = "Backlog" // messages that wait; read only when something is overdue
	// Completed sets of match offers that the receiver has not accepted yet, and
	// seconds since the first of them was completed; 0 if there is none.
	UndeliveredSets   = "UndeliveredSets"
	OldestUndelivered = "OldestUndelivered"
	// Events that the receiver has not accepted yet, seconds since the first of them,
	// and events that were given up.
	WaitingEvents = "WaitingEvents"
	OldestEvent   = "OldestEvent"
	DeadEvents    = "DeadEvents"
)
