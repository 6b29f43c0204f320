package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm/openai/recording"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"
)

const plantedKey = "sk-planted-5c0ffee5"

// recordFrom runs the command against a scripted model.
func recordFrom(t *testing.T, o scripted.Options, file string) (code int, output string) {
	t.Helper()
	o.Key = plantedKey
	server := must.Get(scripted.Start(t.Context(), o))(t)
	t.Cleanup(func() { server.Close() })
	env := map[string]string{variable.OpenAIKey: plantedKey, variable.OpenAIBaseURL: server.URL()}
	code, out, errOut := clitest.RunIn(t.Context(), run, env, "record", file)
	return code, out + errOut
}

func TestRecordWithoutKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "exchange.json")
	const answer = `{"matches":[{"candidate":1,"confidence":"high","reasoning":"the same ` + plantedKey + `"}]}`
	code, out := recordFrom(t, scripted.Options{Mind: func(scripted.Question) string { return answer }}, file)
	if code != cli.ExitOK || !strings.Contains(out, "HTTP 200") {
		t.Fatalf("exit status %d, %s", code, out)
	}
	raw := must.Get(os.ReadFile(file))(t)
	if bytes.Contains(raw, []byte(plantedKey)) || strings.Contains(out, plantedKey) {
		t.Errorf("the key is in\n%s\n%s", raw, out)
	}
	var r recording.Exchange
	must.OK(t, json.Unmarshal(raw, &r))
	if r.Status != 200 || r.Header["X-Scripted"] == "" || !strings.Contains(string(r.Request), "Lampenhaus") || !strings.Contains(r.Response, "SECRET") {
		t.Errorf("got %s", raw)
	}
}

func TestRecordFailure(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "exchange.json")
	code, out := recordFrom(t, scripted.Options{Mind: func(scripted.Question) string { return `{"matches":[]}` }, Faults: scripted.Ordered(scripted.Order{Contains: "Lampenhaus", Faults: []scripted.Fault{scripted.Unauthorized}})}, file)
	if raw, err := os.ReadFile(file); code != cli.ExitFindings || err != nil || !strings.Contains(out, "failed: ") || !bytes.Contains(raw, []byte(`"status": 401`)) {
		t.Errorf("exit status %d, %v\n%s\n%s", code, err, out, raw)
	}
}

func TestRecordNeedsAModel(t *testing.T) {
	t.Parallel()
	wantRefused(t, "", "record", clitest.Refusals{{[]string{"x.json"}, variable.OpenAIKey}})
}
