package report

// Statements with tested plans.
const (
	NumberedSQL      = numberedSQL
	ListSQL          = listSQL
	TotalledSQL      = totalledSQL
	KeyedSQL         = keyedSQL
	StagesSQL        = stagesSQL
	HoursSQL         = hoursSQL
	OldestSQL        = oldestSQL
	FailureKindsSQL  = failureKindsSQL
	SheetSQL         = sheetSQL
	InvoicesSQL      = invoicesSQL
	InvoiceCountsSQL = invoiceCountsSQL
)

// Statements of one tenant with tested plans.
var (
	WaitingSQL       = waitingOfTenant().list
	WaitingCountsSQL = waitingOfTenant().counts
	SpentSQL         = spentOfTenantSQL
	ToDoSQL          = toDoOfAll()
)

// LastTime is the place before all documents.
var LastTime = lastTime
