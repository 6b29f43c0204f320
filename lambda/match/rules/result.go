package rules

import "github.com/google/uuid"

// Result is the outcome of deciding about pairs.
type Result struct {
	Matches     []Edge
	Suggestions []Edge
	Asked       []Pair      // store their Asked
	Stale       []uuid.UUID // these documents must ask a model again
}

// Add adds a decision to the result.
func (r *Result) Add(d Decision) {
	switch d.Outcome {
	case Matched:
		r.Matches = append(r.Matches, d.Edge)
	case Suggested:
		r.Suggestions = append(r.Suggestions, d.Edge)
	}
}
