package report

// Statements whose plans are tested.
const (
	NumberedSQL     = numberedSQL
	ListSQL         = listSQL
	TotalledSQL     = totalledSQL
	KeyedSQL        = keyedSQL
	StagesSQL       = stagesSQL
	HoursSQL        = hoursSQL
	OldestSQL       = oldestSQL
	FailureKindsSQL = failureKindsSQL
)

// Statements of one tenant whose plans are tested.
var (
	WaitingSQL       = waitingOfTenant.list
	WaitingCountsSQL = waitingOfTenant.counts
	SpentSQL         = spentOfTenantSQL
)

// LastTime is the place before all documents.
var LastTime = lastTime
