package match

import (
	"context"

	"github.com/google/uuid"
)

// Result is the outcome of deciding about pairs.
type Result struct {
	Matches     []Edge
	Suggestions []Edge
	Asked       []Pair      // their Asked is to be stored
	Stale       []uuid.UUID // documents that have to ask a model again
}

// Rules decide about the pairs of a competition. Their error ends a Write.
type Rules func(ctx context.Context, c Competition) (Result, error)

// ByRules are the Rules without a model: no answer can be missing, so the only
// error is the context's.
func ByRules(ctx context.Context, c Competition) (r Result, err error) {
	all, err := decideAll(ctx, c)
	for _, d := range all {
		r.add(d)
	}
	return r, err
}

func (r *Result) add(d Decision) {
	switch d.Outcome {
	case Matched:
		r.Matches = append(r.Matches, d.Edge)
	case Suggested:
		r.Suggestions = append(r.Suggestions, d.Edge)
	}
}
