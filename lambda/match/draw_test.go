package match

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// drawPair draws a pair of the documents i and j of a list of types, with a
// person's words about it or a veto.
func drawPair(t *rapid.T, i, j int) rules.Pair {
	points := rapid.SampledFrom([]int{30, 40, 50, 55, 60, 65, 75, 90, 133}).Draw(t, "points")
	p := rules.Pair{Pair: score.Pair{A: idOf(fmt.Sprint(i)), B: idOf(fmt.Sprint(j)), TypeA: drawnTypes[i], TypeB: drawnTypes[j], Points: points}}
	citation := rapid.SampledFrom([]string{"common-delivery", "cites-loosely", "cites"}).Draw(t, "citation")
	p.Evidence = []score.Evidence{{Name: citation, Points: min(points, 60), Text: "By a number."}}
	if rest := points - 60; rest > 0 {
		p.Evidence = append(p.Evidence, score.Evidence{Name: "vat-id", Points: min(rest, 35), Text: "By a VAT id."},
			score.Evidence{Name: "amount", Points: max(0, rest-35), Text: "By an amount."})
	}
	unit := rapid.SampledFrom([]float64{0, 0, 0.1, 2, 3, 5, 8, 11})
	if a, b := unit.Draw(t, "units"), unit.Draw(t, "units"); a > 0 && b > 0 {
		p.Fit = score.Fit{A: a, B: b, Common: min(a, b)}
	}
	switch rapid.IntRange(0, 10).Draw(t, "word") {
	case 0:
		p.Verdict = rules.Confirmed
	case 1:
		p.Verdict = rules.Rejected
	case 2:
		p.Veto, p.Fit, p.Evidence = "The currencies differ.", score.Fit{}, p.Evidence[:1]
	}
	return p
}

var drawnTypes = []document.Type{po, po, oc, dn, dn, gr, inv, inv, inv, cn, ct}

// drawPairs draws pairs among a few documents: at most one of each two.
func drawPairs(t *rapid.T) (pairs []rules.Pair) {
	for i, a := range drawnTypes {
		for j, b := range drawnTypes[:i] {
			if slices.Contains(score.Matchable(a), b) && rapid.IntRange(0, 2).Draw(t, "is there") > 0 {
				pairs = append(pairs, drawPair(t, i, j))
			}
		}
	}
	return pairs
}

// A tenant waits while a model's answers are followed: that ends with the time.
func TestApplyHonorsContext(t *testing.T) {
	t.Parallel()
	var c rules.Competition
	for i := range 100 {
		p := score.Pair{A: idOf("order"), B: idOf(fmt.Sprint(i)), TypeA: po, TypeB: inv, Points: 60}
		c.Documents, c.Pairs = append(c.Documents, p.A), append(c.Pairs, rules.Pair{Pair: p})
	}
	x := []*rules.Exchange{rules.NewExchange(uuid.New())}
	ctx := &endingAt{t.Context(), 50}
	if got, _, err := rules.Consult(ctx, c, x); !errors.Is(err, context.Canceled) || !reflect.DeepEqual(got, rules.Result{}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if ctx.n != 0 {
		t.Errorf("it went on after its context had ended, or never looked: %d", ctx.n)
	}
	if _, _, err := rules.Consult(t.Context(), c, x); err != nil {
		t.Error(err)
	}
}

// endingAt is a context that ends when it is looked at for the nth time.
type endingAt struct {
	context.Context
	n int
}

func (c *endingAt) Err() error {
	if c.n--; c.n <= 0 {
		return context.Canceled
	}
	return nil
}
