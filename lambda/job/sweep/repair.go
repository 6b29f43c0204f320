package sweep

import (
	"time"

	"matchbook/lambda/job"
)

// Waits holds the limits after which a row has waited in vain, for the
// stores that a sweep repairs.
type Waits struct {
	Visibility time.Duration // of the queue: a message that was received comes back within it
	Grace      time.Duration // for programs that insert a row and publish it themselves
	Lapses     int           // claims in succession without a result after which a row has crashed
	Times      int           // publishes by the sweep after which a row is lost
	Drained    bool          // the queue holds few messages beside the overdue rows: its backlog explains nothing
	Idle       bool          // the queue is empty
}

// Repair is the kind of a repair that publishes a row.
type Repair string

// The repairs that publish.
const (
	Inserted Repair = "inserted" // it was inserted and never published
	Lapsed   Repair = "lapsed"   // its worker's lease ended without a result
	Overdue  Repair = "overdue"  // its message did not come
)

// Republished is a row that a sweep published, and the reason.
type Republished struct {
	job.Stamped
	Repair Repair
}
