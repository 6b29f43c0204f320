package train

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/score"
)

var corpora = []string{"varied", "p2p", "ads", "clerk"}

// readCorpora returns the corpora of the shared folder, each in three conditions. The tests share them,
// because scoring their pairs takes longest.
func readCorpora(t *testing.T) []*Sample {
	t.Helper()
	testenv.OnlyThorough(t, "reads and scores four corpora in three conditions")
	root := testenv.Shared(t, "eval/matching")
	reading.Lock()
	defer reading.Unlock()
	if samples == nil {
		for _, name := range corpora {
			for _, condition := range []string{"visible", "corrupted", "masked"} {
				samples = append(samples, must.Get(ReadSample(filepath.Join(root, name), condition))(t))
			}
		}
	}
	return slices.Clone(samples)
}

var (
	reading sync.Mutex
	samples []*Sample
)

// TestLearn: training gives the thresholds and the curve of the
// function, in whatever order the corpora come: theirs came from the usual one.
func TestLearn(t *testing.T) {
	t.Parallel()
	all := readCorpora(t)
	slices.Reverse(all)
	n := must.Get(Learn(t.Context(), all))(t)
	if !reflect.DeepEqual(n, score.Learned) {
		t.Errorf("learned %d, %d, %d, %v", n.SuggestAt, n.MatchAt, n.HighAt, n.Curve)
	}
}

// TestLeaveOut: on a corpus that nothing was learned from, precision is what
// the training wants, high confidence is right in 99 of 100, F1 is near its figure
// in sample, and better than that of simple rules.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	outcomes := must.Get(LeaveOut(t.Context(), readCorpora(t)))(t)
	for _, o := range outcomes {
		value := func(m Measurement) (p, f float64) {
			p, _ = m.Pairwise.Precision.Value()
			f, _ = m.Pairwise.F1.Value()
			return p, f
		}
		p, f := value(o.LeftOut)
		_, in := value(o.InSample)
		best, _ := o.Best.Pairwise.F1.Value()
		sure, right := 0, 0
		links := o.links()
		for pair, d := range o.LeftOut.Decisions {
			if d.Outcome == "matched" && d.Confidence == "high" {
				if sure++; links[pair] {
					right++
				}
			}
		}
		t.Logf("%s, %s: precision %.4f, F1 %.4f (in sample %.4f, the best simple rule %.4f), %d of %d high are right",
			o.Corpus, o.Condition, p, f, in, best, right, sure)
		if p < precision[o.Condition] || in-f > 0.06 || f < best || float64(right) < 0.99*float64(sure) {
			t.Errorf("%s, %s: one of the promises is broken", o.Corpus, o.Condition)
		}
	}
}

// held are pairs by points: so many true ones, and so many others.
func heldOf(s *Sample, agrees bool, counts ...[3]int) (list []judged) {
	for _, c := range counts {
		for i := range c[1] + c[2] {
			list = append(list, judged{s, c[0], agrees, i < c[1]})
		}
	}
	return list
}

// The shares by points are 0, 1/2, 1/4, 1: the second and the third are pooled to
// 1/3, in the middle of which, at 30 points, the curve has that share; at 55 it has 8/9.
func TestCurveNeverFalls(t *testing.T) {
	t.Parallel()
	held := heldOf(&Sample{}, true, [3]int{0, 0, 4}, [3]int{20, 1, 1}, [3]int{35, 1, 3}, [3]int{60, 4, 0})
	n := &score.Numbers{Curve: curveOf(held, 60)}
	for points, want := range map[int]float64{-10: unlikeliest, 0: unlikeliest, 30: 0.333, 59: 0.889, 60: high, 70: likeliest} {
		if got := n.Probability(points); math.Abs(got-want) > 0.0051 {
			t.Errorf("%d points: got %v, want %v", points, got, want)
		}
	}
	for at := -20; at < 90; at++ {
		if n.Probability(at) > n.Probability(at+1) {
			t.Errorf("it falls at %d: %v, %v", at, n.Probability(at), n.Probability(at+1))
		}
	}
}

// From 70 points on all are true and the contents agree; from 50 on, where the
// contents do not, one in ten is not.
func TestThresholdsByHand(t *testing.T) {
	t.Parallel()
	s := &Sample{Condition: "masked"}
	s.Links = make([]corpus.Pair, 83)
	held := heldOf(s, true, [3]int{70, 40, 0}, [3]int{60, 38, 2}, [3]int{40, 5, 10}, [3]int{34, 0, 30})
	n := choose(held)
	// At 60 two of 80 are wrong, at 40 twelve of 95: precision .975 and .87, wanted .93.
	if n.MatchAt != 60 {
		t.Errorf("matched from %d, want 60", n.MatchAt)
	}
	if n.HighAt != 61+margin { // of more than 60 points all are right
		t.Errorf("high from %d, want %d", n.HighAt, 61+margin)
	}
	if n.SuggestAt <= 34 || n.SuggestAt > 40 { // a third of 40 points are true, none of 34
		t.Errorf("open from %d, want one in three but none of no chance", n.SuggestAt)
	}
}
