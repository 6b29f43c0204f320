package postgres

import (
	"time"

	"matchbook/lambda/notify/outbox"

	"github.com/google/uuid"
)

// ReturnColumns returns parcels as columns, for the outboxes of sets and of events.
func ReturnColumns(returned []outbox.Return) (ids []uuid.UUID, tries []int, waits []time.Duration, errors []string) {
	for _, r := range returned {
		ids, tries = append(ids, r.ID), append(tries, r.Tries)
		waits, errors = append(waits, r.Wait), append(errors, Storable(r.Error))
	}
	return ids, tries, waits, errors
}
