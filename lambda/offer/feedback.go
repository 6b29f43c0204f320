package offer

import (
	"time"

	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Feedback is a user's answer about a candidate.
type Feedback struct {
	User      uuid.UUID
	Candidate uuid.UUID
	Answer    roster.Answer
	At        time.Time // zero: now; a later time counts as now
}
