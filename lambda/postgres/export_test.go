package postgres

// Statements whose plans are tested.
const (
	CandidatesSQL  = candidatesSQL
	CompetitionSQL = competitionSQL
	LockRowsSQL    = lockRowsSQL
	GaugesSQL      = gaugesSQL
)
