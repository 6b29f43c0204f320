package ranking

import "slices"

// Gini returns the Gini coefficient of how often candidates are shown: 0 if all are shown alike,
// and almost 1 if all offers are of one candidate.
func Gini(shown []int) float64 {
	shown = slices.Sorted(slices.Values(shown))
	sum, weighted := 0, 0
	for i, n := range shown {
		sum += n
		weighted += (2*i + 1 - len(shown)) * n
	}
	return float64(weighted) / float64(max(1, len(shown)*sum))
}
