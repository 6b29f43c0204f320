package scripted

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestChatRequestChecks(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	set := func(name string, value any) func(fields) { return func(f fields) { f[name] = value } }
	without := func(name string) func(fields) { return func(f fields) { delete(f, name) } }
	message := func(m fields) func(fields) { return set("messages", []any{m}) }
	format := func(change func(fields)) func(fields) {
		return func(f fields) { change(f["response_format"].(fields)["json_schema"].(fields)) }
	}
	reasoning := func(name string, value any) func(fields) {
		return func(f fields) { f["model"], f[name] = "gpt-5-mini", value }
	}
	for name, tc := range map[string]struct {
		change      func(fields)
		param, code string // of the refusal; both empty: it is taken
	}{
		"as it should be":                        {},
		"all that may be there":                  {change: func(f fields) { f["temperature"], f["seed"], f["max_tokens"], f["store"] = 0, 7, 100, false }},
		"not streamed":                           {change: set("stream", false)},
		"null is as good as absent":              {change: set("seed", nil)},
		"temperature of 2":                       {change: set("temperature", 2)},
		"default temperature of a reasoning one": {change: reasoning("temperature", 1)},
		"max_completion_tokens of one":           {change: reasoning("max_completion_tokens", 500)},
		"developer message":                      {change: message(fields{"role": "developer", "content": "x"})},

		"no model":               {without("model"), "model", "missing_required_parameter"},
		"empty model":            {set("model", ""), "model", "invalid_value"},
		"model of another type":  {set("model", 4), "model", "invalid_type"},
		"unknown field":          {set("prompt", "x"), "prompt", "unknown_parameter"},
		"field in another case":  {set("Seed", 1), "Seed", "unknown_parameter"},
		"tools":                  {set("tools", []any{}), "tools", "unknown_parameter"},
		"no messages":            {without("messages"), "messages", "missing_required_parameter"},
		"empty messages":         {set("messages", []any{}), "messages", "invalid_value"},
		"messages of no objects": {set("messages", []any{"x"}), "messages[0]", "invalid_type"},
		"message that is null":   {set("messages", []any{nil}), "messages[0]", "invalid_type"},
		"no role":                {message(fields{"content": "x"}), "messages[0].role", "missing_required_parameter"},
		"unknown role":           {message(fields{"role": "robot", "content": "x"}), "messages[0].role", "invalid_value"},
		"no content":             {message(fields{"role": "user"}), "messages[0].content", "missing_required_parameter"},
		"null content":           {message(fields{"role": "user", "content": nil}), "messages[0].content", "missing_required_parameter"},
		"empty content":          {message(fields{"role": "user", "content": ""}), "messages[0].content", "invalid_value"},
		"content in parts":       {message(fields{"role": "user", "content": []any{}}), "messages[0].content", "invalid_type"},
		"unknown message field":  {message(fields{"role": "user", "content": "x", "text": "x"}), "messages[0].text", "unknown_parameter"},

		"temperature too high":      {set("temperature", 2.1), "temperature", "invalid_value"},
		"temperature below 0":       {set("temperature", -0.1), "temperature", "invalid_value"},
		"temperature as text":       {set("temperature", "0"), "temperature", "invalid_type"},
		"seed with a fraction":      {set("seed", 1.5), "seed", "invalid_type"},
		"max_tokens of 0":           {set("max_tokens", 0), "max_tokens", "invalid_value"},
		"max_completion_tokens < 0": {set("max_completion_tokens", -1), "max_completion_tokens", "invalid_value"},
		"both limits": {func(f fields) { f["max_tokens"], f["max_completion_tokens"] = 1, 1 },
			"max_tokens", "invalid_parameter_combination"},
		"several choices":                  {set("n", 2), "n", "unknown_parameter"},
		"streaming":                        {set("stream", true), "stream", "invalid_value"},
		"effort of a model that has none":  {set("reasoning_effort", "low"), "reasoning_effort", "unsupported_parameter"},
		"unknown effort":                   {reasoning("reasoning_effort", "much"), "reasoning_effort", "invalid_value"},
		"max_tokens of a reasoning model":  {reasoning("max_tokens", 500), "max_tokens", "unsupported_parameter"},
		"temperature of a reasoning model": {reasoning("temperature", 0), "temperature", "unsupported_value"},

		"no response_format":     {without("response_format"), "response_format", "missing_required_parameter"},
		"JSON without a schema":  {set("response_format", fields{"type": "json_object"}), "response_format.type", "invalid_value"},
		"json_schema missing":    {set("response_format", fields{"type": "json_schema"}), "response_format.json_schema", "missing_required_parameter"},
		"unknown format field":   {set("response_format", fields{"type": "json_schema", "schema": fields{}}), "response_format.schema", "unknown_parameter"},
		"schema without a name":  {format(without("name")), "response_format.json_schema.name", "missing_required_parameter"},
		"schema name with space": {format(set("name", "my schema")), "response_format.json_schema.name", "invalid_value"},
		"schema name too long":   {format(set("name", strings.Repeat("x", 65))), "response_format.json_schema.name", "invalid_value"},
		"strict missing":         {format(without("strict")), "response_format.json_schema.strict", "invalid_value"},
		"strict false":           {format(set("strict", false)), "response_format.json_schema.strict", "invalid_value"},
		"strict as text":         {format(set("strict", "true")), "response_format.json_schema.strict", "invalid_type"},
		"no schema":              {format(without("schema")), "response_format.json_schema.schema", "missing_required_parameter"},
		"schema that is loose":   {format(set("schema", fields{"type": "object"})), "response_format", ""},

		"more than the context holds": {message(fields{"role": "user", "content": strings.Repeat("word", contextTokens+1)}), "messages", "context_length_exceeded"},
	} {
		got := r.send(t.Context(), http.MethodPost, "/v1/chat/completions", chatBody("x", tc.change), nil)
		wantRefusal(t, name, got, tc.param, tc.code)
	}
}

// wantRefusal looks for a 400 with this param and code; for a 200 when both
// are empty.
func wantRefusal(t *testing.T, name string, got seen, param, code string) {
	t.Helper()
	if param == "" && code == "" {
		if got.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		return
	}
	message, kind, gotParam, gotCode, err := got.refused()
	if err != nil || got.status != http.StatusBadRequest || kind != "invalid_request_error" || gotParam != param || gotCode != code {
		t.Errorf("%s: %d %s, %v; want 400 with param %q, code %q", name, got.status, got.body, err, param, code)
	}
	if !strings.Contains(message, "scripted") {
		t.Errorf("%s: %q does not say that it is scripted", name, message)
	}
}

func TestEmbeddingRequestChecks(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	set := func(name string, value any) func(fields) { return func(f fields) { f[name] = value } }
	for name, tc := range map[string]struct {
		change      func(fields)
		param, code string
	}{
		"as it should be":    {},
		"fewer dimensions":   {change: set("dimensions", 256)},
		"as many as can be":  {change: func(f fields) { f["input"], f["dimensions"] = many(maxInputs), 1 }},
		"no model":           {func(f fields) { delete(f, "model") }, "model", "missing_required_parameter"},
		"no input":           {func(f fields) { delete(f, "input") }, "input", "missing_required_parameter"},
		"empty input":        {set("input", []string{}), "input", "invalid_value"},
		"one text, no array": {set("input", "x"), "input", "invalid_type"},
		"an empty text":      {set("input", []string{"x", ""}), "input[1]", "invalid_value"},
		"a null text":        {set("input", []any{nil}), "input[0]", "invalid_value"},
		"a number":           {set("input", []any{1}), "input", "invalid_type"},
		"too many":           {set("input", many(maxInputs+1)), "input", "invalid_value"},
		"a text too long":    {set("input", []string{strings.Repeat("word", maxInputTokens+1)}), "input[0]", "invalid_value"},
		"all too long":       {set("input", strings.Split(strings.Repeat(strings.Repeat("word", 8000)+"\n", 38)+"x", "\n")), "input", "invalid_value"},
		"no dimensions":      {set("dimensions", 0), "dimensions", "invalid_value"},
		"too many of them":   {set("dimensions", 1537), "dimensions", "invalid_value"},
		"dimensions of ada":  {func(f fields) { f["model"], f["dimensions"] = "text-embedding-ada-002", 5 }, "dimensions", "unsupported_parameter"},
		"base64":             {set("encoding_format", "base64"), "encoding_format", "unknown_parameter"},
		"unknown field":      {set("inputs", 1), "inputs", "unknown_parameter"},
	} {
		f := fields{"model": "text-embedding-3-small", "input": []string{"x"}}
		if tc.change != nil {
			tc.change(f)
		}
		got := r.send(t.Context(), http.MethodPost, "/v1/embeddings", marshal(f), nil)
		wantRefusal(t, name, got, tc.param, tc.code)
	}
}

func many(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprint(i))
	}
	return texts
}

func TestHTTPChecks(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Key: "sk-test"})
	const chat = "/v1/chat/completions"
	for name, tc := range map[string]struct {
		method, path, body string
		header             map[string]string
		status             int
		code               string
	}{
		"as it should be":          {status: 200},
		"under a prefix":           {path: "/proxy/openai/v1/chat/completions", status: 200},
		"content type with params": {header: map[string]string{"Content-Type": "application/json; charset=UTF-8"}, status: 200},
		"no version":               {path: "/chat/completions", status: 404, code: "unknown_url"},
		"version twice over":       {path: "/v1//chat/completions", status: 404, code: "unknown_url"},
		"base URL with a slash":    {path: "//v1/chat/completions", status: 404, code: "unknown_url"},
		"slash at the end":         {path: chat + "/", status: 404, code: "unknown_url"},
		"another call":             {path: "/v1/responses", status: 404, code: "unknown_url"},
		"GET":                      {method: http.MethodGet, status: 405},
		"no key":                   {header: map[string]string{"Authorization": ""}, status: 401},
		"no bearer":                {header: map[string]string{"Authorization": "sk-test"}, status: 401},
		"empty bearer":             {header: map[string]string{"Authorization": "Bearer "}, status: 401},
		"wrong key":                {header: map[string]string{"Authorization": "Bearer sk-tes"}, status: 401, code: "invalid_api_key"},
		"text":                     {header: map[string]string{"Content-Type": "text/plain"}, status: 400, code: "unsupported_content_type"},
		"no content type":          {header: map[string]string{"Content-Type": ""}, status: 400, code: "unsupported_content_type"},
		"another charset":          {header: map[string]string{"Content-Type": "application/json; charset=latin1"}, status: 400, code: "unsupported_content_type"},
		"no body":                  {body: " ", status: 400},
		"no JSON":                  {body: "{", status: 400},
		"JSON and more":            {body: chatBody("x", nil) + "{}", status: 400},
		"no object":                {body: "[]", status: 400, code: "invalid_type"},
		"null":                     {body: "null", status: 400, code: "invalid_type"},
		"no UTF-8":                 {body: strings.Replace(chatBody("x", nil), `"x"`, "\"\xff\"", 1), status: 400},
	} {
		header := map[string]string{"Authorization": "Bearer sk-test"}
		for k, v := range tc.header {
			header[k] = v
		}
		got := r.send(t.Context(), or(tc.method, http.MethodPost), or(tc.path, chat), or(tc.body, chatBody("x", nil)), header)
		if got.err != nil || got.status != tc.status {
			t.Errorf("%s: %d %s, %v; want %d", name, got.status, got.body, got.err, tc.status)
			continue
		}
		if got.header.Get("X-Scripted") == "" {
			t.Errorf("%s: no header says that it is scripted", name)
		}
		if tc.status == http.StatusOK {
			continue
		}
		if _, kind, _, code, err := got.refused(); err != nil || kind != "invalid_request_error" || code != tc.code {
			t.Errorf("%s: %s, %v; want code %q", name, got.body, err, tc.code)
		}
	}
	for _, call := range r.Calls() {
		if refused := call.Status != http.StatusOK; refused != (call.Refused != "") || refused == call.Billed || refused != (call.Question == "") {
			t.Errorf("noted as %+v", call)
		}
	}
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

func TestHostileRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	deep := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	schema := func(text string) string {
		return strings.Replace(chatBody("x", nil), matchSchema, text, 1)
	}
	for name, tc := range map[string]struct {
		body   string
		status int
	}{
		"10 MB":                  {chatBody(strings.Repeat("x", 10<<20), nil), http.StatusRequestEntityTooLarge},
		"10 MB of nothing":       {strings.Repeat(" ", 10<<20), http.StatusRequestEntityTooLarge},
		"deep beyond the parser": {deep("[", "", "]", 1_000_000), http.StatusBadRequest},
		"deep messages":          {`{"model":"m","messages":` + deep("[", "", "]", 9000) + `}`, http.StatusBadRequest},
		"deep schema":            {schema(deep(`{"type":"object","properties":{"a":`, "{}", "}}", 4000)), http.StatusBadRequest},
		"deep anyOf":             {schema(`{"type":"object","properties":{"a":` + deep(`{"anyOf":[`, `{"type":"string"}`, "]}", 4000) + `},"required":["a"],"additionalProperties":false}`), http.StatusBadRequest},
		"endless names":          {`{"` + strings.Repeat("x", 1_000_000) + `":1}`, http.StatusBadRequest},
	} {
		got := r.send(t.Context(), http.MethodPost, "/v1/chat/completions", tc.body, nil)
		if got.err != nil || got.status != tc.status || len(got.body) > 2000 {
			t.Errorf("%s: %d, %v, %d bytes: %.300s; want %d", name, got.status, got.err, len(got.body), got.body, tc.status)
		}
	}
	if got := r.ask("still there?").content(t); got != `{"matches":[]}` {
		t.Errorf("afterwards it answers %s", got)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(chatBody("x", nil)))
	f.Add([]byte(`{"model":"m","input":["x"],"dimensions":3}`))
	f.Add([]byte(`{"model":"m","messages":[null],"response_format":{"type":"json_schema","json_schema":{"schema":{"$ref":"#"}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, understand := range []func([]byte) (request, *refusal){readChat, readEmbeddings} {
			in, refused := understand(body)
			if refused == nil && in.question.User+in.question.System == "" {
				t.Errorf("a question without a text: %q", body)
			}
			if refused != nil && (refused.status != http.StatusBadRequest || len(refused.Message) > 2000) {
				t.Errorf("refused with %+v", refused)
			}
		}
	})
}
