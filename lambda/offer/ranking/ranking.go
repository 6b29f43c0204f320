// Package ranking decides which users of a roster to offer to a user. It uses hard filters,
// points, a day in every few for each pair, answers and earlier offers, and a limit on how often
// a candidate is shown, all in integer arithmetic on the roster.
//
// An algorithm is a row of the table in versions.go: filters, terms and numbers. It finds a
// set of offers in three steps.
//
//   - The day: a user and a candidate may meet on one date in Algorithm.Days, or in a multiple
//     if the roster is large, by the hashes of their ids (slot.go). So a date looks into one
//     part of the roster. Candidates offered lately come after all others (seen.go).
//   - Admission: each candidate admits the users that suit it best among those asking it,
//     Algorithm.Exposure at most (settle.go). So it is shown at most that often, whichever
//     process computes the sets and in which order.
//   - Rank: a user is offered the best Algorithm.PerDay candidates that admit the user
//     (offers.go).
//
// It finds the best without comparing all, because the users of a part are in trees by place.
// It leaves out a branch if the most points anything in it can get are too few (tree.go,
// search.go).
package ranking

import "github.com/google/uuid"

// Offer is a candidate offered to a user.
type Offer struct {
	Candidate uuid.UUID `json:"candidate_id"`
	Rank      int       `json:"rank"` // from 1
	Score     int       `json:"score"`
	Terms     []Points  `json:"terms"` // the score is their sum
}

// Points is one term's part of a score.
type Points struct {
	Term   string `json:"term"`
	Points int    `json:"points"`
}
