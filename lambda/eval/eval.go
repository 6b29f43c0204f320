// Package eval measures a matcher against true links. Use Score to compare the predicted pairs
// of a corpus with the true ones; it returns a Report with the share of correct pairs, the
// documents left alone, and the worst mistakes.
//
// A pair of documents is linked or not. Precision, recall and F1 are computed over all pairs
// (micro), per pair of types, and as the mean over the pairs of types (macro). B-cubed
// measures the clusters formed by the pairs, from the perspective of each document. Candidate
// recall is the share of true partners among the first candidates, so it bounds every choice
// among them.
//
// A figure of 0/0 is undefined, null in JSON and "-" in text; it never becomes 0 or 1 by
// convention.
package eval

import (
	"encoding/json"
	"strconv"

	"matchbook/lambda/document/corpus"

	"github.com/google/uuid"
)

// Edge is a predicted link. See Suggestion for pairs considered but not predicted.
type Edge struct {
	corpus.Pair
	Score      float64 // 0 to 1
	Confidence string  // high or medium
	DecidedBy  string  // rules, model or person
}

// Suggestion is a pair considered but not predicted.
type Suggestion struct {
	corpus.Pair
	Score     float64 // 0 to 1
	Undecided bool    // left for a person; false means refused
	Folded    bool    // undecided, but hardly worth a question: both documents have a match of that kind
}

// Input has the true and the predicted pairs. Each pair must occur at most once per list.
// Pairs with a document outside Documents are ignored, so that you can measure a part of a
// corpus against its links.
type Input struct {
	Documents   []corpus.Document
	Links       []corpus.Pair // the true pairs
	Edges       []Edge
	Suggestions []Suggestion
	// Candidates are each document's candidates, best first; nil if unknown, and then their
	// recall is undefined.
	Candidates map[uuid.UUID][]uuid.UUID
	// Clusters are the matcher's clusters by document; a document without one is alone. nil if
	// unknown.
	Clusters map[uuid.UUID]uuid.UUID
}

// Figure is a share or a mean of shares, 0 to 1. The zero Figure is undefined.
type Figure struct {
	value   float64
	defined bool
}

// ratio returns num/den, undefined if den is 0.
func ratio(num, den float64) Figure {
	if den == 0 {
		return Figure{}
	}
	return Figure{num / den, true}
}

// Value returns the figure, and whether it is defined.
func (f Figure) Value() (value float64, defined bool) { return f.value, f.defined }

// String returns the figure with four decimals, or "-" if undefined. Use Value for computing.
func (f Figure) String() string {
	if !f.defined {
		return "-"
	}
	return strconv.FormatFloat(f.value, 'f', 4, 64)
}

// MarshalJSON writes a number, or null if undefined.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.defined {
		return []byte("null"), nil
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON parses the output of MarshalJSON.
func (f *Figure) UnmarshalJSON(raw []byte) error {
	var value *float64
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	*f = Figure{}
	if value != nil {
		*f = Figure{*value, true}
	}
	return nil
}

// mean returns the mean of the defined figures.
func mean(figures []Figure) Figure {
	sum, n := 0.0, 0
	for _, f := range figures {
		if f.defined {
			sum, n = sum+f.value, n+1
		}
	}
	return ratio(sum, float64(n))
}
