package openai

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
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
	length := 256
	client := must.Get(New(Config{BaseURL: server.URL, Model: "m", EmbeddingModel: "e", Dimensions: &length}))(t)
	return client, &batches
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	client, batches := numbers(t, 0)
	e := client.Embedder()
	var texts []string
	for i := range 600 {
		texts = append(texts, strconv.Itoa(i))
	}
	got, usage, err := e.Embed(t.Context(), texts)
	must.OK(t, err)
	if want := append(slices.Repeat([]int{32}, 18), 24); !slices.Equal(*batches, want) || usage != (llm.Usage{PromptTokens: 95}) {
		t.Errorf("got batches %v, usage %+v; want %v, 95 tokens", *batches, usage, want)
	}
	if len(got) != len(texts) || !strings.HasSuffix(e.Name(), " dimensions=256") {
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

func TestEmbeddingBatches(t *testing.T) {
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

func TestFailedBatchIsBilled(t *testing.T) {
	t.Parallel()
	client, _ := numbers(t, 2)
	got, usage, err := client.Embedder().Embed(t.Context(), slices.Repeat([]string{"1"}, 33))
	if got != nil || usage.PromptTokens != 5 || err == nil || err.Error() != "model provider failed (HTTP 503)" {
		t.Errorf("got %d vectors, %+v, %v", len(got), usage, err)
	}
}

func TestNormalise(t *testing.T) {
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

// A server of one's own is not asked for a length: vLLM refuses the parameter
// (github.com/vllm-project/vllm/pull/16331), and Ollama would cut the vector.
func TestVectorLength(t *testing.T) {
	t.Parallel()
	none, short := 0, 64
	for name, tc := range map[string]struct {
		base, model string
		dimensions  *int
		sent        int
		name        string
	}{
		"OpenAI":                {"", "text-embedding-3-small", nil, 256, "text-embedding-3-small dimensions=256"},
		"OpenAI, its own":       {"", "text-embedding-3-large", &none, 0, "text-embedding-3-large"},
		"OpenAI, of one length": {"", "text-embedding-ada-002", nil, 0, "text-embedding-ada-002"},
		"Azure": {"https://x.openai.azure.com/openai/v1", "e", nil, 256,
			"e@x.openai.azure.com dimensions=256"},
		"another server": {"https://vllm/v1", "bge-m3", nil, 0, "bge-m3@vllm"},
		"another, short": {"https://vllm/v1", "qwen3", &short, 64, "qwen3@vllm dimensions=64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			length := cmp.Or(tc.sent, 1024)
			config := Config{APIKey: "k", BaseURL: tc.base, Model: "m", EmbeddingModel: tc.model, Dimensions: tc.dimensions}
			reply := vectors(vector(0, length, "3"), vector(1, length, "-1"))
			got := captureReply(t, config, reply, func(c *Client) error {
				v, _, err := c.Embedder().Embed(t.Context(), []string{"a", "b"})
				if err == nil && (len(v[0]) != length || c.Embedder().Name() != tc.name) {
					t.Errorf("got %d numbers of %q", len(v[0]), c.Embedder().Name())
				}
				return err
			})
			var request map[string]any
			must.OK(t, json.Unmarshal([]byte(got.body), &request))
			if sent, _ := request["dimensions"].(float64); int(sent) != tc.sent {
				t.Errorf("sent %s", got.body)
			}
		})
	}
}
