package score

import "testing"

func TestEmbeddingsOfDifferentModelsAreNotCompared(t *testing.T) {
	t.Parallel()
	a := embeddingOf("aaaaaaaa" + "0000803f")
	if got := a.near(embeddingOf("aaaaaaaa" + "0000803f")); got != 1 {
		t.Errorf("of one model: %v", got)
	}
	for _, other := range []string{"bbbbbbbb" + "0000803f", "aaaaaaaa", "aaaaaaaa" + "0000803f0000803f", "", "aa", "no hex", "aaaaaaaa" + "0000"} {
		if got := a.near(embeddingOf(other)); got != 0 {
			t.Errorf("%q: %v", other, got)
		}
	}
}
