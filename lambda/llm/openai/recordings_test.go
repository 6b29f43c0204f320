package openai_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
)

// The exchanges that "mbdev record" stored are understood: an answer is an
// answer, a failure a failure. One of a scripted model is always there.
func TestRecordings(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "recordings", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings, %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			raw := must.Get(os.ReadFile(file))(t)
			var r struct {
				Model    string
				Status   int
				Header   map[string]string
				Response string
			}
			must.OK(t, json.Unmarshal(raw, &r))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for name, value := range r.Header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(r.Status)
				_, _ = w.Write([]byte(r.Response))
			}))
			defer server.Close()
			client := must.Get(openai.New(openai.Config{BaseURL: server.URL + "/v1", Model: "any"}))(t)
			answer, err := client.Model().Answer(t.Context(), llm.Question{Name: "q", User: "u", Schema: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)})
			switch ok := r.Status == http.StatusOK; {
			case ok && (err != nil || !json.Valid([]byte(answer.Text)) || answer.Usage.PromptTokens == 0):
				t.Errorf("got %+v, %v", answer, err)
			case !ok && err == nil:
				t.Errorf("HTTP %d gave %+v", r.Status, answer)
			}
		})
	}
}
