package acceptance_test

import (
	"math/rand/v2"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/metric"
)

// The metrics of the match function equal the counts of the model's server,
// and what the vault has.
func TestModelMetrics(t *testing.T) {
	t.Parallel()
	l := newModelLine(t, 1, scripted.Options{Mind: func(scripted.Question) string { return choosing("high") }},
		func(c *local.FunctionConfig) {
			c.Env = append(c.Env, "OPENAI_EMBEDDING_MODEL=text-embedding-3-small")
		})
	g := l.groups(1, rand.New(rand.NewPCG(1, 0)), nil)[0]
	l.publish(g.ids()...)
	l.drain(g.ids())
	// What was decided is forgotten, what was answered is not.
	l.exec("DELETE FROM document_match")
	l.exec("DELETE FROM match_pair")
	l.publish(g.ids()...)
	l.drain(g.ids())
	must.OK(t, l.Function.Close()) // so that its log is complete
	_, metrics := l.text.printed(t)
	replays := query[int](l.line, "SELECT sum(replays) FROM model_answer")
	if replays == 0 {
		t.Error("nothing was answered from the vault: the test does not show anything")
	}
	for name, want := range map[string]int{
		metric.ModelCalls:            len(l.model.Calls()),
		metric.ModelReplays:          replays,
		metric.ModelCompletionTokens: query[int](l.line, "SELECT sum(completion_tokens) FROM model_answer"),
		metric.ModelPromptTokens: query[int](l.line, `SELECT ((SELECT sum(prompt_tokens) FROM model_answer) +
			(SELECT round(sum(tokens)) FROM model_embedding))::int`),
	} {
		if got := int(sum(metrics, name)); got != want || want == 0 {
			t.Errorf("%s: printed %d, want %d", name, got, want)
		}
	}
}
