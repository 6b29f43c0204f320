package sweep

import (
	"time"

	"matchbook/lambda/job"
)

// Waits holds the limits of a sweep: how long and how often a row may wait in vain.
type Waits struct {
	Visibility time.Duration // of the queue; a received message comes back within it
	Grace      time.Duration // for programs inserting a row and publishing it themselves
	Lapses     int           // claims in succession without a result; then the row has crashed
	Times      int           // publishes by the sweep; then the row is lost
	Drained    bool          // the queue holds few messages apart from the overdue rows, so its backlog explains nothing
	Idle       bool          // the queue is empty
}

// Repair is the reason why a sweep published a row.
type Repair string

// The repairs by publishing.
const (
	Inserted Repair = "inserted" // it was inserted and never published
	Lapsed   Repair = "lapsed"   // its lease ended without a result
	Overdue  Repair = "overdue"  // its message didn't come
)

// Republished is a row published by a sweep, and the reason.
type Republished struct {
	job.Stamped
	Repair Repair
}
