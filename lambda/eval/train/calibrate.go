package train

import (
	"math"
	"slices"

	"matchbook/lambda/match/score"
)

// Bounds of a probability: no number of points makes a pair certain, and 0.994 is printed as
// 0.99.
const (
	unlikeliest = 0.001
	likeliest   = 0.994
	high        = 0.99  // the lowest probability of high confidence
	almostHigh  = 0.984 // the highest of any other
)

// every is the step of the curve in points.
const every = 5

// block is a range of points with one share of true pairs.
type block struct {
	yes, all float64
	points   float64 // the mean, times all
	last     int     // the most points
}

func (b block) share() float64 { return b.yes / b.all }

// curveOf returns the isotonic regression of the share of true pairs on the points; it pools
// adjacent points where the share would fall. Each sample has the same mass. High
// probabilities start at highAt.
func curveOf(held []judged, highAt int) (curve []score.Step) {
	blocks := pool(held)
	if len(blocks) == 0 {
		return nil
	}
	first, last := blocks[0].last, blocks[len(blocks)-1].last
	first, last = min(first, highAt)-every, max(last, highAt)
	for at := first - (first%every+every)%every; at <= last+every; at += every {
		p := min(max(interpolated(blocks, float64(at)), unlikeliest), likeliest)
		if at < highAt {
			p = min(p, almostHigh)
		} else {
			p = max(p, high)
		}
		curve = append(curve, score.Step{Points: at, Probability: math.Round(p*1000) / 1000})
	}
	return tidy(curve, highAt)
}

// tidy adds the step where high probabilities start, and drops steps within a level line.
func tidy(curve []score.Step, highAt int) []score.Step {
	i := slices.IndexFunc(curve, func(s score.Step) bool { return s.Points >= highAt })
	if i > 0 {
		below := curve[i-1].Probability
		curve = slices.Insert(curve, i, score.Step{Points: highAt - 1, Probability: below},
			score.Step{Points: highAt, Probability: high})
	}
	curve = slices.CompactFunc(curve, func(a, b score.Step) bool { return a.Points == b.Points })
	level := func(i int) bool {
		return i > 0 && i < len(curve)-1 && curve[i-1].Probability == curve[i].Probability &&
			curve[i].Probability == curve[i+1].Probability
	}
	var kept []score.Step
	for i, s := range curve {
		if !level(i) {
			kept = append(kept, s)
		}
	}
	return kept
}

// pool is the pool-adjacent-violators algorithm.
func pool(held []judged) (blocks []block) {
	mass := map[*Sample]float64{}
	byPoints := map[int]block{}
	for _, j := range held {
		if mass[j.sample] == 0 {
			mass[j.sample] = 1 / float64(max(len(j.sample.Links), 1))
		}
		b, m := byPoints[j.points], mass[j.sample]
		b.all, b.points, b.last = b.all+m, b.points+m*float64(j.points), j.points
		if j.link {
			b.yes += m
		}
		byPoints[j.points] = b
	}
	for _, points := range sorted(byPoints) {
		b := byPoints[points]
		for len(blocks) > 0 && blocks[len(blocks)-1].share() >= b.share() {
			before := blocks[len(blocks)-1]
			b.yes, b.all, b.points = b.yes+before.yes, b.all+before.all, b.points+before.points
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// interpolated returns the share at a number of points, linearly between the means of adjacent
// blocks.
func interpolated(blocks []block, at float64) float64 {
	middle := func(i int) float64 { return blocks[i].points / blocks[i].all }
	i := 0
	for i < len(blocks) && middle(i) < at {
		i++
	}
	switch i {
	case 0:
		return blocks[0].share()
	case len(blocks):
		return blocks[i-1].share()
	}
	x := (at - middle(i-1)) / (middle(i) - middle(i-1))
	return blocks[i-1].share() + x*(blocks[i].share()-blocks[i-1].share())
}

func sorted(byPoints map[int]block) (points []int) {
	for p := range byPoints {
		points = append(points, p)
	}
	slices.Sort(points)
	return points
}
