// Package eval measures a matcher against true links: Score compares the
// predicted pairs of a corpus with the true ones and returns a Report, with the
// share of correct pairs, the documents left alone, and the worst mistakes.
//
// A pair of documents is linked or not. Precision, recall and F1 are computed
// over all pairs (micro), per pair of types, and as the mean over the pairs of
// types (macro). B-cubed measures the clusters that the pairs form, from the
// side of each document. Candidate recall is the share of true partners among
// the first candidates, and so a bound for every choice among them.
//
// A figure that would be 0/0 is undefined, null in JSON and "-" in text; no
// convention turns it into 0 or 1.
package eval

import (
	"encoding/json"
	"strconv"

	"matchbook/lambda/document/corpus"

	"github.com/google/uuid"
)

// Edge is a predicted link.
type Edge struct {
	corpus.Pair
	Score      float64 // 0 to 1
	Confidence string  // high or medium
	DecidedBy  string  // rules, model or person
}

// Suggestion is a pair that was considered but not predicted.
type Suggestion struct {
	corpus.Pair
	Score     float64 // 0 to 1
	Undecided bool    // left for a person to decide; false: refused
}

// Input is the true and the predicted pairs. Each pair occurs once in each
// list. Pairs with a document that is not among Documents are left out, so that
// a part of a corpus is measured against that part of the links.
type Input struct {
	Documents   []corpus.Document
	Links       []corpus.Pair // the true pairs
	Edges       []Edge
	Suggestions []Suggestion
	// Candidates are the candidates of each document, best first; nil: not
	// known, and their recall undefined.
	Candidates map[uuid.UUID][]uuid.UUID
	// Clusters are the clusters that the matcher itself made, by document; one
	// without a cluster is alone. nil: not known.
	Clusters map[uuid.UUID]uuid.UUID
}

// Figure is a share or a mean of shares, 0 to 1. The zero Figure is undefined.
type Figure struct {
	value   float64
	defined bool
}

// ratio is num/den, undefined when den is 0.
func ratio(num, den float64) Figure {
	if den == 0 {
		return Figure{}
	}
	return Figure{num / den, true}
}

// Value is the figure, and whether it is defined.
func (f Figure) Value() (value float64, defined bool) { return f.value, f.defined }

// String has four decimals; "-" when undefined.
func (f Figure) String() string {
	if !f.defined {
		return "-"
	}
	return strconv.FormatFloat(f.value, 'f', 4, 64)
}

// MarshalJSON writes a number, or null when undefined.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.defined {
		return []byte("null"), nil
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON reads what MarshalJSON writes.
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

// mean is the mean of the figures that are defined.
func mean(figures []Figure) Figure {
	sum, n := 0.0, 0
	for _, f := range figures {
		if f.defined {
			sum, n = sum+f.value, n+1
		}
	}
	return ratio(sum, float64(n))
}
