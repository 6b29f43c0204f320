package manifest

// Names of CloudWatch metrics: the functions count and measure them in
// MetricNamespace with the dimensions DimensionStage and DimensionFunction, no
// others. Alarms and the dashboard are built from these names.
const (
	MetricNamespace   = "Matchbook"
	DimensionStage    = "Stage"    // STAGE
	DimensionFunction = "Function" // Function.Name or Task.Name

	// Of each function in Functions. Deliveries by outcome; each delivery counts
	// as one of these.
	MetricSucceeded    = "Succeeded"    // done in this delivery
	MetricRetried      = "Retried"      // comes again: by the schedule, or because another worker holds the row
	MetricDeadLettered = "DeadLettered" // failed on its last delivery
	MetricFailed       = "Failed"       // failed for good at once
	MetricSkipped      = "Skipped"      // no work: done before, superseded, missing, not matchable
	MetricMalformed    = "Malformed"    // the body is not an id
	// MetricRefused counts refused credentials, of the database, the model or a
	// channel, in the functions and in the sweep.
	MetricRefused = "Refused"
	// MetricRefusedSets counts the answers by which the receiver of match offers
	// refused a set, in the offer function and in the sweep: a person has to look.
	MetricRefusedSets = "RefusedSets"
	// MetricRefusedEvents counts those by which the receiver of events refused one, in
	// the match function and in the sweep.
	MetricRefusedEvents = "RefusedEvents"
	// MetricAttemptTime is the time that a claimed document took, in milliseconds.
	MetricAttemptTime = "AttemptTime"
	// Of the model, as far as the provider reported them.
	MetricModelCalls            = "ModelCalls"
	MetricModelPromptTokens     = "ModelPromptTokens"
	MetricModelCompletionTokens = "ModelCompletionTokens"
	MetricModelReplays          = "ModelReplays" // questions answered from the vault
	// The first of two tiers of retries: a call that is repeated within its attempt.
	// The second, deliveries that the queue repeats, is MetricRetried, and a worker
	// that died MetricRecovered.
	MetricModelRetries = "ModelRetries"
	// MetricModelPaused is the time that a question waited for the rate limit of its
	// provider, in milliseconds.
	MetricModelPaused = "ModelPaused"

	// Of the schedule of match offers: jobs that were queued, those of them more than
	// half an hour after nine o'clock, and dates of users that were skipped.
	MetricQueued       = "Queued"
	MetricLate         = "Late"
	MetricSkippedDates = "SkippedDates"
	// Of the schedule of offers, computed from rows: offers of one candidate to one
	// user for one date beyond the first, and sets of one user for one date likewise.
	MetricDuplicateOffers = "DuplicateOffers"

	// Of the sweep, computed from rows.
	MetricOldestDue    = "OldestDue" // seconds since the longest waiting document was due; 0 if none is
	MetricPending      = "Pending"
	MetricInProgress   = "InProgress"
	MetricUnsent       = "Untold"      // notifications not yet sent, counted per channel
	MetricInserted     = "Inserted"    // published because a program had inserted them; not a repair
	MetricRepublished  = "Republished" // repairs; 0 in a healthy system
	MetricRecovered    = "Recovered"
	MetricLost         = "Lost"
	MetricCrashed      = "Crashed"
	MetricSweepBacklog = "Backlog" // messages that wait; read only when something is overdue
	// Completed sets of match offers that the receiver has not accepted yet, and
	// seconds since the first of them was completed; 0 if there is none.
	MetricUndeliveredSets   = "UndeliveredSets"
	MetricOldestUndelivered = "OldestUndelivered"
	// Events that the receiver has not accepted yet, seconds since the first of them,
	// and events that were given up.
	MetricWaitingEvents = "WaitingEvents"
	MetricOldestEvent   = "OldestEvent"
	MetricDeadEvents    = "DeadEvents"
)
