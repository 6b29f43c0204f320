package job

import (
	"time"

	"github.com/google/uuid"
)

// Observation is the end of one delivery, for metrics.
type Observation struct {
	Result Result
	Action Action
	Worked time.Duration // time of the work on the row; 0 without any
}

// tenant is for the log; empty if it is not known.
func (b *batch) tenant(i int) string {
	if b.tenants[i] == uuid.Nil {
		return ""
	}
	return b.tenants[i].String()
}
