package job

import (
	"time"

	"github.com/google/uuid"
)

// Observation is the end of one delivery, for metrics.
type Observation struct {
	Result Result
	Action Action
	Worked time.Duration // how long the document was worked on; 0 if it was not
}

// tenant is for the log; empty if it is not known.
func (b *batch) tenant(i int) string {
	if b.tenants[i] == uuid.Nil {
		return ""
	}
	return b.tenants[i].String()
}
