// Package ranking decides which users of a roster are offered to which: hard
// filters, points, a day in every few for each pair, and a limit of how often one
// candidate is shown. All of it is integer arithmetic on the roster.
package ranking

import "github.com/google/uuid"

// Offer is a candidate that a user is offered.
type Offer struct {
	Candidate uuid.UUID `json:"candidate_id"`
	Rank      int       `json:"rank"` // from 1
	Score     int       `json:"score"`
	Terms     []Points  `json:"terms"` // the score is their sum
}

// Points is the part of a score that one term gives.
type Points struct {
	Term   string `json:"term"`
	Points int    `json:"points"`
}
