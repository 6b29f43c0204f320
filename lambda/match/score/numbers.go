package score

import (
	"maps"
	"math"
	"slices"
)

// Numbers are all numbers that decide about the points of a pair. Matching uses Learned; mbdev
// train tries others.
type Numbers struct {
	Points                     map[string]int // of each kind of evidence, by name
	SuggestAt, MatchAt, HighAt int            // thresholds of a pair's points
	Curve                      []Step         // the probability of points, rising
}

// Step is the probability that a pair of so many points is a true match.
type Step struct {
	Points      int
	Probability float64
}

// Learned has the points of weights.go, and the thresholds and curve of learned.go. Don't
// change it; use With.
var Learned = &Numbers{Points: map[string]int{}, SuggestAt: SuggestAt, MatchAt: MatchAt, HighAt: HighAt, Curve: curve}

// With returns a copy of the numbers with other points.
func (n *Numbers) With(points map[string]int) *Numbers {
	m := *n
	m.Points = maps.Clone(n.Points)
	maps.Copy(m.Points, points)
	return &m
}

// Weigh sets the points of evidence by its kind, in place. Use it to try other numbers.
func (n *Numbers) Weigh(evidence []Evidence) {
	for i := range evidence {
		evidence[i].Points = n.Points[evidence[i].Name]
	}
}

// Probability is the share of true matches among pairs of so many points, interpolated between
// two steps. Beyond the first or last step it is that step's.
func (n *Numbers) Probability(points int) float64 {
	i, found := slices.BinarySearchFunc(n.Curve, points, func(s Step, points int) int { return s.Points - points })
	switch {
	case len(n.Curve) == 0:
		return 0
	case found || i == 0:
		return n.Curve[i].Probability
	case i == len(n.Curve):
		return n.Curve[i-1].Probability
	}
	from, to := n.Curve[i-1], n.Curve[i]
	share := float64(points-from.Points) / float64(to.Points-from.Points)
	return math.Round(1000*(from.Probability+share*(to.Probability-from.Probability))) / 1000
}
