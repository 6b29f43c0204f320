package rules

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// TestResultAdd: each match and each suggestion once, in order.
func TestResultAdd(t *testing.T) {
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
func TestDecideHonorsContext(t *testing.T) {
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
	must.Get(Apply(t.Context(), c))(t)
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
	c.Numbers = plain
	r, _ := Apply(context.Background(), c) // which does not end
	return r
}

// A model that is not sure makes a match only where the rules come near one.
func TestUnsureModelNeedsRules(t *testing.T) {
	t.Parallel()
	rival, alone := [2]Rivals{{}, {Equal: 1}}, [2]Rivals{}
	for _, tc := range []struct {
		points int
		rivals [2]Rivals
		want   Outcome // by a model that is not sure
	}{
		{score.SuggestAt, rival, Suggested}, {likelyAt - 1, rival, Suggested}, {likelyAt, rival, Matched}, {score.MatchAt - 1, rival, Matched},
		{score.SuggestAt, alone, Matched}, {score.SuggestAt, [2]Rivals{{Certain: 1}, {}}, Suggested},
	} {
		points := tc.points
		for answer, outcome := range map[Answer]Outcome{High: Matched, Medium: tc.want, Low: Suggested, None: Dropped} {
			d := Decision{Edge: Edge{Points: points, Score: float64(points) / 100, Reasoning: undecided + "By a number.",
				Evidence: []score.Evidence{{Text: "By a number."}}}, Outcome: Suggested, Undecided: true, Rivals: tc.rivals}
			if d.About = "now"; !d.Owe() || !strings.HasPrefix(d.Reasoning, undecided+stillOwed+"By") {
				t.Errorf("what is owed: %+v", d)
			}
			d.Follow(Asked{Answer: answer, Reasoning: "The dates fit."})
			said := strings.Contains(d.Reasoning, "The dates fit. The rules: By a number.")
			if d.Outcome != outcome || d.DecidedBy != "model" || said != (answer != None) {
				t.Errorf("%d points and %s: got %+v, want %s", points, answer, d, outcome)
			}
		}
	}
}

// A document is matched again for a pair without an answer for its evidence, and where a full
// question gains or loses a pair. An answer is kept while the rules decide.
func TestAnswerOutlivesPlace(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		open         bool
		asked        Asked
		stale, leave bool
	}{
		"open, never asked":            {true, Asked{}, true, false},
		"open, owed":                   {true, Asked{Owed: true}, false, false},
		"open, answered":               {true, Asked{About: "now", Answer: Low}, false, false},
		"open, answered before":        {true, Asked{About: "then", Answer: Low}, true, false},
		"open again":                   {true, Asked{About: "now", Answer: Low, Question: Left}, true, false},
		"decided, never asked":         {false, Asked{}, false, false},
		"decided, of a question":       {false, Asked{About: "now", Answer: Low}, false, true},
		"decided, of a full question":  {false, Asked{About: "now", Answer: Low, Question: Full}, true, true},
		"decided, has left before":     {false, Asked{About: "now", Answer: Low, Question: Left}, false, false},
		"decided, owed, full question": {false, Asked{About: "now", Question: Full, Owed: true}, true, true},
	} {
		d := Decision{Undecided: tc.open, About: "now", Pair: Pair{Asked: tc.asked}}
		if got := d.Stale(); got != tc.stale {
			t.Errorf("%s: stale %t, want %t", name, got, tc.stale)
		}
		want := tc.asked
		if tc.leave {
			want.Question, want.Owed = Left, false
		}
		if got := d.Leave(); got != tc.leave || d.Pair.Asked != want {
			t.Errorf("%s: leaves %t with %+v, want %t with %+v", name, got, d.Pair.Asked, tc.leave, want)
		}
	}
}

// The rivals of a pair, by hand: of an order with 20 lamps and the invoices
// that may belong to it.
func TestRivalsOnBothSides(t *testing.T) {
	t.Parallel()
	const certain, equal, weak = 90, 60, 40
	pair := weighed("order 1", "invoice 1", 60, 20, 20, 20)
	rival := func(points int, n int, common float64) Pair {
		return weighed("order 1", fmt.Sprint("invoice ", n), points, 20, common, common)
	}
	rejected, confirmed := rival(certain, 8, 5), rival(weak, 9, 5)
	rejected.Verdict, confirmed.Verdict = Rejected, Confirmed
	another := weighed("order 1", "delivery 1", certain, 20, 20, 20) // of another type
	elsewhere := weighed("order 2", "invoice 1", equal, 20, 20, 20)  // on the other side
	for name, tc := range map[string]struct {
		with           []Pair
		order, invoice Rivals
	}{
		"nothing else": {nil, Rivals{Units: 20, Left: 20}, Rivals{Units: 20, Left: 20}},
		"one as good":  {[]Pair{rival(equal, 2, 20)}, Rivals{Equal: 1, Units: 20, Left: 20}, Rivals{Units: 20, Left: 20}},
		"many as good": {[]Pair{rival(equal, 2, 20), rival(equal, 3, 20), rival(equal+margin, 4, 20)},
			Rivals{Equal: 2, Units: 20, Left: 20}, Rivals{Units: 20, Left: 20}},
		"one certain, a part": {[]Pair{rival(certain, 2, 12)}, Rivals{Certain: 1, Units: 20, Left: 8}, Rivals{Units: 20, Left: 20}},
		"confirmed":           {[]Pair{confirmed}, Rivals{Certain: 1, Units: 20, Left: 15}, Rivals{Units: 20, Left: 20}},
		"more than there is": {[]Pair{rival(certain, 2, 12), rival(certain, 3, 12), confirmed},
			Rivals{Certain: 2, Units: 20}, Rivals{Units: 20, Left: 20}},
		"no rivals": {[]Pair{rejected, another, vetoed(rival(certain, 5, 20)), rival(weak, 6, 20)},
			Rivals{Units: 20, Left: 20}, Rivals{Units: 20, Left: 20}},
		"the other side": {[]Pair{elsewhere}, Rivals{Units: 20, Left: 20}, Rivals{Equal: 1, Units: 20, Left: 20}},
	} {
		all := append([]Pair{pair}, tc.with...)
		slices.Reverse(all)
		if got := newField(all).of(&pair).rivals[0]; got != tc.order {
			t.Errorf("%s: the order has %+v, want %+v", name, got, tc.order)
		}
		if got := newField(all).of(&pair).rivals[1]; got != tc.invoice {
			t.Errorf("%s: the invoice has %+v, want %+v", name, got, tc.invoice)
		}
	}
}

// said are so many answers about pairs of so many points.
func said(points, confirmed, rejected int) (list []Said) {
	for i := range confirmed + rejected {
		list = append(list, Said{points, i < confirmed})
	}
	return list
}

// Answers make the rules stricter, never less strict, and only many of them do. The corpora's 199
// of 200 count as well: with 1 more rejected Wilson's lower bound is .970, with 2 it is .963.
func TestBoundsOfAnswers(t *testing.T) {
	t.Parallel()
	const high, open, match = score.HighAt, score.SuggestAt, score.MatchAt
	for name, tc := range map[string]struct {
		answers          [][]Said
		high, questionAt int
	}{
		"none":                          {nil, 0, 0},
		"too few":                       {[][]Said{said(match, 47, 0), said(high+4, 0, 2)}, 0, 0},
		"all confirmed":                 {[][]Said{said(high+4, 60, 0)}, 0, 0},
		"all rejected":                  {[][]Said{said(high+4, 0, 60), said(open+1, 0, 60)}, 0, 0},
		"one wrong":                     {[][]Said{said(match, 49, 0), said(high+4, 0, 1)}, 0, 0},
		"two wrong":                     {[][]Said{said(match, 48, 0), said(high+4, 0, 1), said(high+10, 0, 1)}, high + 5, 0},
		"two wrong of equal points":     {[][]Said{said(match, 48, 0), said(high+4, 0, 2)}, high + 5, 0},
		"wrong below high":              {[][]Said{said(match, 48, 0), said(high-1, 0, 9)}, 0, 0},
		"3 of 103 wrong":                {[][]Said{said(high+20, 100, 3)}, 0, 0},
		"4 of 104 wrong":                {[][]Said{said(high+20, 100, 4)}, high + 21, 0},
		"right above the wrong":         {[][]Said{said(high+20, 100, 0), said(high+4, 0, 4)}, high + 5, 0},
		"no true question so low":       {[][]Said{said(open+10, 30, 0), said(open+2, 0, 25)}, 0, open + 3},
		"too few rejected questions":    {[][]Said{said(open+10, 30, 0), said(open+2, 0, 24)}, 0, 0},
		"a true question below":         {[][]Said{said(match, 30, 0), said(open+1, 1, 0), said(open+2, 0, 25)}, 0, 0},
		"a true question of as many":    {[][]Said{said(match, 30, 0), said(open+6, 1, 5), said(open+2, 0, 24)}, 0, 0},
		"a true one among them":         {[][]Said{said(match, 30, 0), said(open+6, 1, 5), said(open+2, 0, 25)}, 0, open + 3},
		"rejected, but never asked":     {[][]Said{said(match, 30, 0), said(open-1, 0, 60)}, 0, 0},
		"confirmed, but never asked":    {[][]Said{said(open-1, 30, 0), said(open, 0, 25)}, 0, open + 1},
		"matches stay no questions":     {[][]Said{said(high+1, 60, 0), said(match, 0, 60)}, 0, 0},
		"a question never is a match's": {[][]Said{said(high+1, 60, 0), said(match-1, 0, 25)}, 0, match},
	} {
		answers := slices.Concat(tc.answers...)
		for range 2 {
			b := BoundsOf(answers)
			if b.HighAt != tc.high || b.QuestionAt != tc.questionAt || b.Confirmed+b.Rejected != len(answers) {
				t.Errorf("%s: got %+v; want high from %d, questions from %d", name, b, tc.high, tc.questionAt)
			}
			slices.Reverse(answers)
		}
	}
}
