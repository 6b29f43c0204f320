package scripted

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
)

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, dimensions := range []int{1, 2, 3, 64, 256, 1536, 3072} {
		for _, text := range []string{"Lamp", "20 lamps, brass", "!!!", " ", "ä", "東京", "a b c d e f g h i j", "\x00"} {
			v := vector(text, dimensions)
			if len(v) != dimensions {
				t.Fatalf("%d dimensions, want %d", len(v), dimensions)
			}
			if got := cosine(v, v); math.Abs(got-1) > 1e-5 {
				t.Errorf("%q in %d dimensions has the length %g", text, dimensions, math.Sqrt(got))
			}
			if got := cosine(v, vector(text, dimensions)); math.Abs(got-1) > 1e-5 {
				t.Errorf("%q is not like itself: %g", text, got)
			}
		}
	}
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestSimilarTextsAreNear(t *testing.T) {
	t.Parallel()
	base := vector("Brass desk lamp, 40 W, dimmable", 1536)
	near := func(text string) float64 { return cosine(base, vector(text, 1536)) }
	order := []struct {
		text string
		from float64
	}{
		{"brass DESK lamp 40 w dimmable", 0.999},
		{"Desk lamp of brass, dimmable, 40 W", 0.9},
		{"Brass desk lamps, 40 W", 0.6},
		{"Desk lamp", 0.4},
		{"Office chair with armrests", -0.2},
	}
	last := 1.001
	for _, tc := range order {
		got := near(tc.text)
		if got < tc.from || got > last {
			t.Errorf("%q: %.3f, want at least %.3f and not above %.3f", tc.text, got, tc.from, last)
		}
		last = got
	}
	if last > 0.2 {
		t.Errorf("nothing in common: %.3f", last)
	}
}

func TestSimilarWordsAreNear(t *testing.T) {
	t.Parallel()
	lamp := vector("Schreibtischlampe", 1536)
	for text, want := range map[string]float64{"Schreibtischlampen": 0.5, "Tischlampe": 0.3} {
		if got := cosine(lamp, vector(text, 1536)); got < want {
			t.Errorf("%s: %.3f, want at least %.1f", text, got, want)
		}
	}
}

func TestEmbeddingsOverHTTP(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	got := r.embed("a lamp", "chairs")
	list := got.vectors(t)
	if len(list) != 2 || len(list[0]) != 1536 {
		t.Fatalf("%d vectors of %d", len(list), len(list[0]))
	}
	for i, text := range []string{"a lamp", "chairs"} {
		for d, want := range vector(text, 1536) {
			if float32(list[i][d]) != want {
				t.Fatalf("%q differs in dimension %d", text, d)
			}
		}
	}
	var body struct {
		Object, Model string
		Usage         map[string]int
	}
	if err := json.Unmarshal(got.body, &body); err != nil || body.Object != "list" || body.Model != "text-embedding-3-small" ||
		len(body.Usage) != 2 || body.Usage["prompt_tokens"] != 4 || body.Usage["total_tokens"] != 4 {
		t.Errorf("%+v, %v", body, err)
	}
	if got := r.Usage(); got != (Usage{PromptTokens: 4, TotalTokens: 4}) {
		t.Errorf("usage %+v", got)
	}
}

func TestDimensions(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	for model, want := range map[string]int{"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536, "other": 1536} {
		got := r.send(t.Context(), http.MethodPost, "/v1/embeddings", marshal(fields{"model": model, "input": []string{"x"}}), nil).vectors(t)
		if len(got) != 1 || len(got[0]) != want {
			t.Errorf("%s: %d dimensions, want %d", model, len(got[0]), want)
		}
	}
}
