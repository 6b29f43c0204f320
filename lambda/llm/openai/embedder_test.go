package openai

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/llm"
)

// numbers answers with vectors in the directions that their texts, numbers,
// give, in reverse order; it notes how many texts came at once, and fails at
// the call failAt.
func numbers(t *testing.T, failAt int) (*Client, *[]int) {
	t.Helper()
	var batches []int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		batches = append(batches, len(request.Input))
		if len(batches) == failAt {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var data []string
		for i, text := range slices.Backward(request.Input) {
			numbers := strings.Fields(text)
			data = append(data, `{"index":`+strconv.Itoa(i)+`,"embedding":[`+numbers[0]+strings.Repeat(",0", 254)+
				`,-1]}`)
		}
		says(200, vectors(data...))(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := New(Config{BaseURL: server.URL, Model: "m", EmbeddingModel: "e"})
	if err != nil {
		t.Fatal(err)
	}
	return client, &batches
}

func TestEmbeddingsAreInOrderAndOfLengthOne(t *testing.T) {
	t.Parallel()
	client, batches := numbers(t, 0)
	e := client.Embedder()
	var texts []string
	for i := range 600 {
		texts = append(texts, strconv.Itoa(i))
	}
	got, usage, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{256, 256, 88}; !slices.Equal(*batches, want) || usage != (llm.Usage{PromptTokens: 15}) {
		t.Errorf("got batches %v, usage %+v; want %v, 15 tokens", *batches, usage, want)
	}
	if len(got) != len(texts) || e.Dimensions() != 256 || !strings.HasSuffix(e.Name(), " dimensions=256") {
		t.Fatalf("got %d vectors of %s", len(got), e.Name())
	}
	for i, v := range got {
		square := 0.0
		for _, x := range v {
			square += float64(x) * float64(x)
		}
		if ratio := -float64(v[0]) / float64(v[255]); len(v) != 256 || math.Abs(square-1) > 1e-6 ||
			math.Abs(ratio-float64(i)) > 1e-3 {
			t.Fatalf("vector %d: got length %v, direction %v", i, square, ratio)
		}
	}
}

func TestLongTextsAreSentInSmallerBatches(t *testing.T) {
	t.Parallel()
	text := func(bytes int) string { return "7" + strings.Repeat(" ", bytes-1) }
	for _, tc := range []struct{ bytes, want []int }{
		{nil, nil},
		{[]int{100_000, 100_000, 100_000}, []int{3}},
		{[]int{100_000, 100_000, 100_001}, []int{2, 1}},
		{[]int{400_000, 10, 400_000}, []int{1, 1, 1}},
	} {
		client, batches := numbers(t, 0)
		var texts []string
		for _, n := range tc.bytes {
			texts = append(texts, text(n))
		}
		got, _, err := client.Embedder().Embed(t.Context(), texts)
		if err != nil || len(got) != len(texts) || !slices.Equal(*batches, tc.want) {
			t.Errorf("%v bytes: got %d vectors in batches %v, %v; want %v", tc.bytes, len(got), *batches, err, tc.want)
		}
	}
}

func TestAFailedBatchLeavesNoVectorsButTheBill(t *testing.T) {
	t.Parallel()
	client, _ := numbers(t, 2)
	got, usage, err := client.Embedder().Embed(t.Context(), slices.Repeat([]string{"1"}, 257))
	if got != nil || usage.PromptTokens != 5 || err == nil || err.Error() != "the model provider failed (HTTP 503)" {
		t.Errorf("got %d vectors, %+v, %v", len(got), usage, err)
	}
}

func TestOnlyVectorsWithADirectionAreNormalised(t *testing.T) {
	t.Parallel()
	nan, inf, largest := float32(math.NaN()), float32(math.Inf(1)), float32(math.MaxFloat32)
	for _, tc := range []struct {
		v    []float32
		want llm.Vector
	}{
		{[]float32{3, -4}, llm.Vector{0.6, -0.8}},
		{[]float32{largest, 0}, llm.Vector{1, 0}},
		{[]float32{math.SmallestNonzeroFloat32, 0}, llm.Vector{1, 0}},
		{[]float32{0, 0}, nil},
		{[]float32{1, nan}, nil},
		{[]float32{1, inf}, nil},
		{[]float32{1, -inf}, nil},
	} {
		if got := normalise(tc.v); !slices.Equal(got, tc.want) || (got == nil) != (tc.want == nil) {
			t.Errorf("%v: got %v, want %v", tc.v, got, tc.want)
		}
	}
}
