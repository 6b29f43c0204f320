// Package ranking decides which users of a roster are offered to which: hard
// filters, points, a day in every few for each pair, and a limit of how often one
// candidate is shown. All of it is integer arithmetic on the roster.
//
// An algorithm is a row of the table in versions.go: filters, terms and numbers.
// A set of offers is found in three steps.
//
//   - The day: a user and a candidate may meet on one date in Algorithm.Days, or in a
//     multiple if the roster is large, by the hashes of their ids (slot.go). So a
//     date looks into one part of the roster, and no history is needed to offer
//     nobody again too early.
//   - Admission: each candidate admits the Algorithm.Exposure users that suit it
//     best of those it may meet on the date (offers.go). So it is shown that often
//     at most, whoever computes the sets and in which order.
//   - Rank: a user is offered the best Algorithm.PerDay candidates of those that
//     admit the user.
//
// The best are found without comparing all: the users of a part are in trees by
// place, and a branch is left out when the most points that anything in it can
// get are too few (tree.go, search.go).
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
