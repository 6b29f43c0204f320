package rules

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/uuid"
)

// TestResultKeepsWhatIsDecided: each match and each suggestion once, in order.
func TestResultKeepsWhatIsDecided(t *testing.T) {
	t.Parallel()
	for _, tc := range decideRows {
		c := Competition{Pairs: tc.pairs}
		for _, p := range tc.pairs {
			c.Documents = append(c.Documents, p.A)
		}
		kept := map[Outcome][]Edge{}
		for _, j := range decided(c) {
			kept[j.Outcome] = append(kept[j.Outcome], j.Edge)
		}
		if d := result(c); !reflect.DeepEqual(d, Result{Matches: kept[Matched], Suggestions: kept[Suggested]}) {
			t.Errorf("%s: got %+v, want %+v", tc.name, d, kept)
		}
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

// A tenant waits while its pairs are decided about: that ends with the time,
// though it may be about any number of pairs.
func TestDecidingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	var c Competition
	for i := range 100 {
		p := weighed("order", fmt.Sprint("invoice ", i), 60)
		c.Documents, c.Pairs = append(c.Documents, p.A), append(c.Pairs, p)
	}
	ctx := &endingAt{t.Context(), 50}
	if got, err := Apply(ctx, c); !errors.Is(err, context.Canceled) || !reflect.DeepEqual(got, Result{}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if ctx.n != 0 {
		t.Errorf("it went on after its context had ended, or never looked: %d", ctx.n)
	}
	if _, err := Apply(t.Context(), c); err != nil {
		t.Errorf("got %v", err)
	}
}

// BenchmarkDecide is about a document with 50 pairs of which each has 10 others
// as good on its other side: the most for which sets are looked for.
func BenchmarkDecide(b *testing.B) {
	var pairs []Pair
	for i := range 50 {
		pairs = append(pairs, weighed("order", fmt.Sprint("invoice ", i), 60, 100, 50, 5))
		for j := range 10 {
			pairs = append(pairs, weighed(fmt.Sprint("order ", i, " ", j), fmt.Sprint("invoice ", i), 60, 100, 50, 7))
		}
	}
	for b.Loop() {
		result(Competition{Documents: []uuid.UUID{idOf("order")}, Pairs: pairs})
	}
}

// result is the result of the rules for a competition.
func result(c Competition) Result {
	r, _ := Apply(context.Background(), c) // which does not end
	return r
}
