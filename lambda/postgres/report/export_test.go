package report

import "github.com/google/uuid"

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
	WaitingSQL       = WaitingFilter{Tenant: uuid.Max}.list()
	WaitingCountsSQL = countKinds(WaitingFilter{Tenant: uuid.Max}.rows())
	SpentSQL         = spentSQL(uuid.Max)
	ToDoSQL          = ToDoFilter{}.sql()
)

// LastTime is the place before all documents.
var LastTime = lastTime
