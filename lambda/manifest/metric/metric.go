package metric

// Names of the metrics.
const (
	// Deliveries by result, for each function in Functions; each delivery counts as one of
	// these.
	Succeeded    = "Succeeded"    // done by this delivery
	Retried      = "Retried"      // comes again: after the backoff, after another worker, or once a service is back
	DeadLettered = "DeadLettered" // failed on its last delivery
	Failed       = "Failed"       // failed permanently
	Skipped      = "Skipped"      // nothing to do: done before, superseded, missing, or unworkable
	Malformed    = "Malformed"    // the body isn't an id
	// Refused counts rejected credentials of the database, the model or a channel, in the
	// functions and in the sweep.
	Refused = "Refused"
	// RefusedSets counts the sets refused by the receiver of match offers, in the offer
	// function and in the sweep; a person should look.
	RefusedSets = "RefusedSets"
	// RefusedEvents counts the events refused by the receiver of events, in the match function
	// and in the sweep.
	RefusedEvents = "RefusedEvents"
	// AttemptTime is the time spent on a claimed row, in milliseconds.
	AttemptTime = "AttemptTime"
	// Of the model, as reported by the provider.
	ModelCalls            = "ModelCalls"
	ModelPromptTokens     = "ModelPromptTokens"
	ModelCompletionTokens = "ModelCompletionTokens"
	ModelReplays          = "ModelReplays" // questions answered from the vault
	// ModelRetries is the first of two tiers of retries: calls repeated within an attempt. For
	// the second tier see Retried (deliveries repeated by the queue) and Recovered (dead
	// workers).
	ModelRetries = "ModelRetries"
	// ModelPaused is the time that a question waited for its provider's rate limit, in
	// milliseconds.
	ModelPaused = "ModelPaused"

	// Of the schedule of match offers: queued jobs, jobs queued more than half an hour after
	// nine o'clock, and skipped dates of users.
	Queued       = "Queued"
	Late         = "Late"
	SkippedDates = "SkippedDates"
	// Of the schedule of offers, computed from rows: offers of one candidate to one user for
	// one date beyond the first, and likewise sets of one user for one date.
	DuplicateOffers = "DuplicateOffers"

	// Of the sweep, computed from rows.
	OldestDue    = "OldestDue" // seconds since the longest waiting document was due; 0 without one
	Pending      = "Pending"
	InProgress   = "InProgress"
	Parked       = "Parked"      // pending rows that wait for a model or an OCR that is away
	Unsent       = "Untold"      // unsent notifications, counted per channel
	Inserted     = "Inserted"    // published, because another program inserted them; not a repair
	Republished  = "Republished" // repairs; 0 in a healthy system
	Recovered    = "Recovered"
	Lost         = "Lost"
	Crashed      = "Crashed"
	SweepBacklog = "Backlog" // waiting messages; read only if something is overdue
	// Completed sets of match offers not yet accepted by the receiver, and seconds since the
	// first of them was completed; 0 without one.
	UndeliveredSets   = "UndeliveredSets"
	OldestUndelivered = "OldestUndelivered"
	// Events not yet accepted by the receiver, seconds since the first of them, and given-up
	// events.
	WaitingEvents = "WaitingEvents"
	OldestEvent   = "OldestEvent"
	DeadEvents    = "DeadEvents"
)
