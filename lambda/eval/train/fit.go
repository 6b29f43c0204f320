package train

import (
	"math"
	"slices"
)

// row is the pairs that have the same evidence: the places of its kinds, and the
// mass of the true pairs and of the others among them.
type row struct {
	kinds   []int
	yes, no float64
}

// prior is the reasoned points of each kind, as log odds, and how much the pairs
// must weigh to move them: the weight of a kind is a normal variable around its
// prior, of the variance 1/strength, and keeps its sign.
type prior struct {
	weights  []float64
	strength float64
}

// Limits of the descent: a step of a weight, the largest step of the last pass, and
// the weight that a kind keeps, which is a point.
const (
	maxStep     = 1.0
	smallStep   = 1e-4
	maxPasses   = 500
	leastWeight = 1. / pointsPerOdd
)

// fit is logistic regression: it returns the weight of each kind and the base, in
// log odds, that make the rows likeliest together with the prior. It goes from
// weight to weight, a step of Newton's method each, in a fixed order.
func fit(rows []row, p prior) (weights []float64, base float64) {
	d := descent{rows: rows, having: make([][]int, len(p.weights)), sums: make([]float64, len(rows))}
	weights = slices.Clone(p.weights)
	every := make([]int, len(rows))
	for i, r := range rows {
		every[i] = i
		for _, k := range r.kinds {
			d.having[k] = append(d.having[k], i)
			d.sums[i] += weights[k]
		}
	}
	for range maxPasses {
		step := d.step(every, 0, 0)
		base += step
		most := d.move(every, step)
		for k, w := range weights {
			next := w + d.step(d.having[k], p.strength*(w-p.weights[k]), p.strength)
			if least := math.Copysign(leastWeight, p.weights[k]); next*least < leastWeight*leastWeight {
				next = least
			}
			weights[k] = next
			most = max(most, d.move(d.having[k], next-w))
		}
		if most < smallStep {
			break
		}
	}
	return weights, base
}

// descent is the rows, the rows of each kind, and the log odds of each row.
type descent struct {
	rows   []row
	having [][]int
	sums   []float64
}

// step is a step of Newton's method for a weight in these rows.
func (d *descent) step(rows []int, gradient, curvature float64) float64 {
	for _, i := range rows {
		r := d.rows[i]
		p := sigmoid(d.sums[i])
		gradient += (r.yes+r.no)*p - r.yes
		curvature += (r.yes + r.no) * p * (1 - p)
	}
	return max(-maxStep, min(-gradient/max(curvature, 1e-9), maxStep))
}

func (d *descent) move(rows []int, step float64) float64 {
	for _, i := range rows {
		d.sums[i] += step
	}
	return math.Abs(step)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
