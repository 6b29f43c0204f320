package rules

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

// Apply decides by the rules, without a model. Its only error is the context's.
func Apply(ctx context.Context, c Competition) (r Result, err error) {
	all, err := Decide(ctx, c)
	for _, d := range all {
		r.Add(d)
	}
	return r, err
}

// Revise is Apply after a person's word: it lists the documents whose question to a
// model the word has changed as stale. Whether there is a model is not known here. Where
// there is none, they are matched again with the same result.
func Revise(ctx context.Context, c Competition) (r Result, err error) {
	all, err := Decide(ctx, c)
	for i := range all {
		if all[i].Stale() {
			r.Stale = append(r.Stale, all[i].Pair.Later())
		}
		r.Add(all[i])
	}
	return r, err
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
