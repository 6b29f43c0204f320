package job

import "time"

// Observation is the end of a delivery, for metrics.
type Observation struct {
	Result Result
	Action Action
	Worked time.Duration // time spent on the row; 0 if no work started
}

// names returns the row's id and tenant for the log and the trace of its settlement. A missing row
// may have been erased, so what is kept must not have its id.
func (b *batch) names(i int, o Outcome) (id, tenant string) {
	id = b.deliveries[i].ID.String()
	if o.Result == Missing {
		return id[:8], ""
	}
	return id, b.tenants[i]
}
