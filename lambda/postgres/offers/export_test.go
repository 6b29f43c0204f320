package offers

// Statements with tested plans.
const (
	ClaimSetsSQL   = claimSetsSQL
	UndeliveredSQL = undeliveredSQL
	ThroughSQL     = throughSQL
	JobsOfDateSQL  = jobsOfDateSQL
	DuplicatesSQL  = duplicatesSQL
)

// CompleteSQL is about jobs, NextUsersSQL about the group of a shard.
var CompleteSQL, NextUsersSQL = completeSQL(), nextUsersSQL
