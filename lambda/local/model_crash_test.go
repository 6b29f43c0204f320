package local_test

import (
	"math/rand/v2"
	"testing"

	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// The process is killed after the model's answer was committed and before the
// matches were, on the first delivery and on the second. The third finds the
// answer: it was bought once.
func TestCrashBetweenAnswerAndMatchesAsksOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	l := newModelLine(t, 1, scripted.Options{Mind: scripted.MindFunc(func(scripted.Question) string { return choosing("high") })})
	gate := newGate(l.line, l.url())
	g := l.groups(1, rand.New(rand.NewPCG(seed, 0)), nil)[0]
	l.publish(g.order, g.first)
	l.drain(g.ids())

	l.exec("INSERT INTO gated VALUES ($1)", g.second)
	l.publish(g.second)
	for kill := range 2 {
		waitFor(t, "the worker is at the gate", func() bool { return gate.waiting() > 0 })
		check(t, "calls when the process is killed", len(l.model.Calls()), 1)
		check(t, "answers that are committed", query[int](l.line, "SELECT count(*) FROM model_answer WHERE document_id = $1 AND unusable = ''", g.second), 1)
		check(t, "its replays", query[int](l.line, "SELECT replays FROM model_answer"), kill)
		checkEdges(t, l.edges(), map[[2]uuid.UUID]string{pairOf(g.order, g.first): "match by rules, high"})
		gate.killWaiting(nil)
		waitFor(t, "the mapping has noticed", l.Idle)
		check(t, "pairs of the killed", query[int](l.line, "SELECT count(*) FROM match_pair WHERE $1 IN (document_a_id, document_b_id)", g.second), 0)
		if _, err := l.Jump(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, "the worker is at the gate", func() bool { return gate.waiting() > 0 })
	l.exec("DELETE FROM gated")
	gate.open()
	l.drain(g.ids())

	check(t, "document", l.status(g.second), "succeeded, 3 attempts, 0 notifications, no error")
	check(t, "message", l.lastLife(g.second), "received at 0, received at 1080, received at 2160, deleted at 2160")
	checkEdges(t, l.edges(), map[[2]uuid.UUID]string{pairOf(g.order, g.first): "match by model, high", pairOf(g.order, g.second): "match by model, high"})
	calls := map[string]int{}
	for _, c := range l.model.Calls() {
		calls[asker(c.UserText)]++
	}
	check(t, "calls for the killed", calls[g.name+"-2"], 1)
	check(t, "calls for the other invoice", calls[g.name+"-1"], 1)
	check(t, "answers", query[int](l.line, "SELECT count(*) FROM model_answer"), 2)
	check(t, "replays of the answer", query[int](l.line, "SELECT replays FROM model_answer WHERE document_id = $1", g.second), 2)
	check(t, "terminal writes of the killed", query[int](l.line, "SELECT count(*) FROM terminal_write WHERE id = $1", g.second), 1)
}
