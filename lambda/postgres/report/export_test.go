package report

// Statements whose plans are tested.
const (
	NumberedSQL = numberedSQL
	ListSQL     = listSQL
	TotalledSQL = totalledSQL
	KeyedSQL    = keyedSQL
	StagesSQL   = stagesSQL
	HoursSQL    = hoursSQL
	OldestSQL   = oldestSQL
)

// LastTime is the place before all documents.
var LastTime = lastTime
