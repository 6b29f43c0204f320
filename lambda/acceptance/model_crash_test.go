package acceptance_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// The process is killed after the model's answer was committed and before the
// matches were, on the first delivery and on the second. The third finds the
// answer: it was bought once. So were the embeddings, where there are any.
func TestCrashAfterAnswer(t *testing.T) {
	t.Parallel()
	for name, embeddings := range map[string]int{"without embeddings": 0, "with embeddings": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			crashBetweenAnswerAndMatches(t, embeddings)
		})
	}
}

func crashBetweenAnswerAndMatches(t *testing.T, embeddings int) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	l := newModelLine(t, 1, scripted.Options{Mind: func(scripted.Question) string { return choosing("high") }},
		func(c *local.FunctionConfig) {
			if embeddings > 0 {
				c.Env = append(c.Env, "OPENAI_EMBEDDING_MODEL=text-embedding-3-small")
			}
		})
	// calls counts those of the server that are of the kind.
	calls := func(path string) (list []scripted.Call) {
		for _, c := range l.model.Calls() {
			if strings.HasSuffix(c.Path, path) {
				list = append(list, c)
			}
		}
		return list
	}
	gate := newGate(l.line)
	g := l.groups(1, rand.New(rand.NewPCG(seed, 0)), nil)[0]
	l.publish(g.order, g.first)
	l.drain(g.ids())

	l.exec("INSERT INTO gated VALUES ($1)", g.second)
	l.publish(g.second)
	for kill := range 2 {
		gate.await()
		check(t, "questions when the process is killed", len(calls("/chat/completions")), 1)
		check(t, "embeddings when the process is killed", len(calls("/embeddings")), embeddings)
		check(t, "answers that are committed", query[int](l.line,
			"SELECT count(*) FROM model_answer WHERE document_id = $1 AND unusable = ''", g.second), 1)
		check(t, "its replays", query[int](l.line, "SELECT replays FROM model_answer"), kill)
		checkEdges(t, l.edges(), map[[2]uuid.UUID]string{pairOf(g.order, g.first): "match by rules, medium"})
		gate.killWaiting()
		check(t, "pairs of the killed", query[int](l.line,
			"SELECT count(*) FROM match_pair WHERE $1 IN (document_a_id, document_b_id)", g.second), 0)
		gate.again()
	}
	gate.await()
	l.exec("DELETE FROM gated")
	gate.open()
	l.drain(g.ids())

	check(t, "document", l.status(g.second), "succeeded, 3 attempts, 0 notifications, no error")
	check(t, "message", l.lastLife(g.second), "received at 0, received at 1080, received at 2160, deleted at 2160")
	checkEdges(t, l.edges(), map[[2]uuid.UUID]string{pairOf(g.order, g.first): "match by model, high",
		pairOf(g.order, g.second): "match by model, high"})
	asked := map[string]int{}
	for _, c := range calls("/chat/completions") {
		asked[asker(c.UserText)]++
	}
	check(t, "questions of the killed", asked[g.name+"-2"], 1)
	check(t, "questions of the other invoice", asked[g.name+"-1"], 1)
	check(t, "embeddings", len(calls("/embeddings")), embeddings)
	check(t, "embeddings that are kept", query[int](l.line, "SELECT count(*) FROM model_embedding"), embeddings)
	check(t, "answers", query[int](l.line, "SELECT count(*) FROM model_answer"), 2)
	check(t, "replays of the answer", query[int](l.line, "SELECT replays FROM model_answer WHERE document_id = $1",
		g.second), 2)
	check(t, "terminal writes of the killed",
		query[int](l.line, "SELECT count(*) FROM terminal_write WHERE id = $1", g.second), 1)
}
