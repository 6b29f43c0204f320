package roster

import (
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// Answer is a user's answer to the offer of another one.
type Answer string

// The answers. See the ranking for their effect.
const (
	Accepted Answer = "accepted"
	Declined Answer = "declined"
	Met      Answer = "met"
	Blocked  Answer = "blocked"
	Reported Answer = "reported"
)

// Answers lists all answers.
func Answers() []Answer { return []Answer{Accepted, Declined, Met, Blocked, Reported} }

// Remembered is the time for which an answer counts, in days, unless pairs rest for longer. Blocks and
// reports always count.
const Remembered = 365

// Past is an answer that counts for the sets of a roster.
type Past struct {
	With   uuid.UUID `json:"with"`
	Answer Answer    `json:"answer"`
	On     day.Date  `json:"on"` // in UTC
}

// passing is 1 for an answer that loses its effect with time.
func (p Past) passing() int {
	if p.Answer == Blocked || p.Answer == Reported {
		return 0
	}
	return 1
}
