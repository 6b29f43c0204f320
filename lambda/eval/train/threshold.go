package train

import (
	"math"

	"matchbook/lambda/match/score"
)

// precision is the required precision by condition; see otherwise for others. A point of
// missing precision costs as much as dear points of F1.
var precision = map[string]float64{"visible": 0.97, "corrupted": 0.95, "masked": 0.93}

const (
	otherwise = 0.95
	dear      = 10
)

// Other people's documents are harder, so the thresholds keep a distance: a match may cost
// spare of its worth to be surer, and high confidence starts margin points above the threshold
// sufficient in each sample. Ten more points mean a third of the errors.
const (
	spare  = 0.01
	margin = 10
)

// askAt is the lowest probability of an open question.
const askAt = 0.25

// choose sets the thresholds and the curve from judged pairs.
func choose(held []judged) *score.Numbers {
	n := score.Learned.With(nil)
	least, most := math.MaxInt32, math.MinInt32
	var agreeing []judged
	for _, j := range held {
		least, most = min(least, j.points), max(most, j.points)
		if j.agrees {
			agreeing = append(agreeing, j)
		}
	}
	t, sure, best := tally(held), tally(agreeing), math.Inf(-1)
	n.HighAt = most + 1
	for at := most; at >= least; at-- {
		best = max(best, t.worth(at))
		if sure.worst(at) >= high {
			n.HighAt = at
		}
	}
	for n.MatchAt = most; t.worth(n.MatchAt) < best-spare; n.MatchAt-- {
	}
	n.HighAt = max(n.HighAt+margin, n.MatchAt)
	n.Curve = curveOf(held, n.HighAt)
	n.SuggestAt = n.MatchAt
	for at := n.MatchAt; at > score.KeepAt && n.Probability(at) >= askAt; at-- {
		n.SuggestAt = at
	}
	return n
}

// counts has a sample's pairs by points, true and others.
type counts struct {
	*Sample
	yes, no map[int]int
}

type tallies []counts

// tally counts pairs. The pairs of a sample must be consecutive.
func tally(held []judged) (t tallies) {
	for _, j := range held {
		if len(t) == 0 || t[len(t)-1].Sample != j.sample {
			t = append(t, counts{j.sample, map[int]int{}, map[int]int{}})
		}
		if c := t[len(t)-1]; j.link {
			c.yes[j.points]++
		} else {
			c.no[j.points]++
		}
	}
	return t
}

// from counts the pairs with at least the given points.
func from(byPoints map[int]int, at int) (n float64) {
	for points, count := range byPoints {
		if points >= at {
			n += float64(count)
		}
	}
	return n
}

// worth returns a threshold's mean F1, minus the price of missing precision.
func (t tallies) worth(at int) (sum float64) {
	for _, c := range t {
		yes, no := from(c.yes, at), from(c.no, at)
		wanted, ok := precision[c.Condition]
		if !ok {
			wanted = otherwise
		}
		sum += 2 * yes / (yes + no + float64(len(c.Links)))
		if yes+no > 0 {
			sum -= dear * max(0, wanted-yes/(yes+no))
		}
	}
	return sum / float64(len(t))
}

// fewest is the minimum number of pairs for a share; smaller samples are too noisy, so worst
// skips them.
const fewest = 30

// worst returns the lowest share of true pairs with at least the given points in any sample.
func (t tallies) worst(at int) float64 {
	worst := 1.0
	for _, c := range t {
		yes, no := from(c.yes, at), from(c.no, at)
		if yes+no >= fewest {
			worst = min(worst, yes/(yes+no))
		}
	}
	return worst
}
