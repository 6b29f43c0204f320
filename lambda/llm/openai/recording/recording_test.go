package recording_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/llm/openai/recording"
)

const key = "sk-planted-5c0ffee5"

// A response that contains the key, and headers that may identify an account.
func TestRecordingHidesKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Openai-Organization", "lampenhaus")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"wrong key ` + key + `"}}`))
	}))
	defer server.Close()
	e := must.Get(recording.Take(t.Context(), openai.Config{BaseURL: server.URL + "/v1", Model: "any", APIKey: key}))(t)
	if e.Status != http.StatusUnauthorized || e.Failure == nil || e.Header["Retry-After"] != "7" {
		t.Errorf("got %+v", e)
	}
	file := filepath.Join(t.TempDir(), "exchange.json")
	must.OK(t, e.Store(file))
	raw := must.Get(os.ReadFile(file))(t)
	for _, hidden := range []string{key, "lampenhaus\"", "Organization"} {
		if strings.Contains(string(raw), hidden) {
			t.Errorf("%q is in\n%s", hidden, raw)
		}
	}
	if !json.Valid(raw) || !strings.Contains(string(raw), "wrong key SECRET") {
		t.Errorf("got\n%s", raw)
	}
}
