package manifest

// What the functions count and measure: metrics of CloudWatch in MetricNamespace,
// with the dimensions DimensionStage and DimensionFunction, no others. Alarms and
// the dashboard are made of these names.
const (
	MetricNamespace   = "Matchbook"
	DimensionStage    = "Stage"    // STAGE
	DimensionFunction = "Function" // Function.Name, or Sweep.Name

	// Of the match function. Counts of deliveries by how they ended; each
	// delivery is one of these.
	MetricSucceeded    = "Succeeded"    // done in this delivery
	MetricRetried      = "Retried"      // comes again, by the schedule or because somebody else is at it
	MetricDeadLettered = "DeadLettered" // failed on its last delivery
	MetricFailed       = "Failed"       // failed for good at once
	MetricSkipped      = "Skipped"      // nothing was to do: done before, superseded, missing, not matchable
	MetricMalformed    = "Malformed"    // the body is no document id
	// MetricRefused counts, in the match function and in the sweep, how often the
	// database, the model or a channel did not take our credentials.
	MetricRefused = "Refused"
	// MetricAttemptTime is how long a claimed document took, in milliseconds.
	MetricAttemptTime = "AttemptTime"
	// Of the model, as far as the provider told.
	MetricModelCalls            = "ModelCalls"
	MetricModelPromptTokens     = "ModelPromptTokens"
	MetricModelCompletionTokens = "ModelCompletionTokens"
	MetricModelReplays          = "ModelReplays" // questions answered from the vault

	// Of the sweep, computed from rows.
	MetricOldestDue    = "OldestDue" // how many seconds ago the longest waiting document was due; 0 if none is
	MetricPending      = "Pending"
	MetricInProgress   = "InProgress"
	MetricUntold       = "Untold"      // deliveries of notifications that are still to be made
	MetricInserted     = "Inserted"    // published because a program had inserted them; no repair
	MetricRepublished  = "Republished" // repairs; 0 in a healthy system
	MetricRecovered    = "Recovered"
	MetricLost         = "Lost"
	MetricCrashed      = "Crashed"
	MetricSweepBacklog = "Backlog" // messages that wait; looked up only when something is overdue
)
