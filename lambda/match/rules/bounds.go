package rules

import (
	"fmt"
	"math"
	"slices"

	"matchbook/lambda/match/score"
)

// Said is a person's answer about a pair that the rules gave so many points.
type Said struct {
	Points    int
	Confirmed bool
}

// Bounds are a tenant's thresholds, as its people's answers teach them. The zero value has no
// effect, and no value makes the rules less strict.
type Bounds struct {
	HighAt              int // high confidence needs so many points
	QuestionAt          int // a question of fewer points is folded away, unless one document cites the other
	Confirmed, Rejected int // the answers
}

const (
	// MinAnswers is the minimum of answers, of both kinds together.
	MinAnswers = 50
	// The corpora vouch for the threshold of all: it counts as 200 answers, of which 199 are right.
	// So one rejected match of high confidence isn't enough to raise it, and two are.
	vouched, vouchedRight = 200, 199
	// sureShare bounds the share of right ones among matches of high confidence, from below.
	sureShare = 0.97
	// minRejected is the minimum of rejected questions before the like are folded away. Of 25 without
	// a true one less than a tenth is true, by Wilson's bound.
	minRejected = 25
	// deviations are of a one-sided bound of 95 %.
	deviations = 1.645
)

// Strict reports whether a threshold is stricter than the one of all.
func (b Bounds) Strict() bool { return b.HighAt > 0 || b.QuestionAt > 0 }

// Lines says what the bounds do, a line for each threshold.
func (b Bounds) Lines() (lines []string) {
	if b.HighAt > 0 {
		lines = append(lines, fmt.Sprintf("high confidence from %d points on instead of %d", b.HighAt, score.HighAt))
	}
	if b.QuestionAt > 0 {
		lines = append(lines, fmt.Sprintf("questions below %d points are folded away, instead of none", b.QuestionAt))
	}
	return lines
}

// BoundsOf learns from answers, in any order.
func BoundsOf(answers []Said) (b Bounds) {
	for _, a := range answers {
		if a.Confirmed {
			b.Confirmed++
		} else {
			b.Rejected++
		}
	}
	if len(answers) < MinAnswers || b.Confirmed == 0 || b.Rejected == 0 {
		return b
	}
	sorted := slices.SortedFunc(slices.Values(answers), func(x, y Said) int { return x.Points - y.Points })
	b.HighAt, b.QuestionAt = highOf(sorted), questionOf(sorted)
	return b
}

// highOf is the least number of points from which on matches are right often enough, or 0 if
// that's the threshold of all.
func highOf(sorted []Said) (at int) {
	right, all := float64(vouchedRight), float64(vouched)
	for i := len(sorted) - 1; i >= 0 && sorted[i].Points >= score.HighAt; i-- {
		if all++; sorted[i].Confirmed {
			right++
		}
		whole := i == 0 || sorted[i-1].Points < sorted[i].Points // all answers of so many points
		if whole && wilson(right, all) < sureShare {
			return sorted[i].Points + 1
		}
	}
	return 0
}

// wilson is the lower bound of a share (E. B. Wilson, Probable inference, 1927).
func wilson(right, all float64) float64 {
	const z = deviations
	p := right / all
	middle, spread := p+z*z/(2*all), z*math.Sqrt(p*(1-p)/all+z*z/(4*all*all))
	return (middle - spread) / (1 + z*z/all)
}

// questionOf is one point more than the best of many rejected questions, if people confirmed none
// of so few points; otherwise 0.
func questionOf(sorted []Said) (at int) {
	open := slices.DeleteFunc(sorted, func(s Said) bool { return s.Points < score.SuggestAt || s.Points >= score.MatchAt })
	least := score.MatchAt
	if i := slices.IndexFunc(open, func(s Said) bool { return s.Confirmed }); i >= 0 {
		least = open[i].Points
	}
	open = slices.DeleteFunc(open, func(s Said) bool { return s.Points >= least })
	if len(open) < minRejected {
		return 0
	}
	return open[len(open)-1].Points + 1
}

// Teaches reports whether a person's answer to the decision teaches something about its points. A
// citation keeps a question whatever its points.
func (d *Decision) Teaches() bool {
	return d.Pair.Veto == "" && (d.Points >= score.MatchAt || !d.Pair.CitesAnyhow())
}

// ByAnswers names the evidence that a tenant's bounds add to a pair. It has no points.
const ByAnswers = "answers"

// of says what the bounds make of a pair, if anything.
func (b Bounds) of(p *Pair, points int, n *score.Numbers) []score.Evidence {
	says := func(text string) []score.Evidence { return []score.Evidence{{Name: ByAnswers, Text: text}} }
	switch {
	case p.Verdict != "" || p.Veto != "":
	case points >= n.HighAt && points < b.HighAt:
		return says("Not of high confidence: people rejected matches of so many points (matchbook taught list).")
	case points >= n.SuggestAt && points < b.QuestionAt && !p.CitesAnyhow():
		return says("People rejected all questions of so few points (matchbook taught list).")
	}
	return nil
}
