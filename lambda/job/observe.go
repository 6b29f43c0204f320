package job

import (
	"time"

	"github.com/google/uuid"
)

// Observation is the end of a delivery, for metrics.
type Observation struct {
	Result Result
	Action Action
	Worked time.Duration // time spent on the row; 0 if no work started
}

// tenant is the tenant for the log; empty while unknown.
func (b *batch) tenant(i int) string {
	if b.tenants[i] == uuid.Nil {
		return ""
	}
	return b.tenants[i].String()
}
