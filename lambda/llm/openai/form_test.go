package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
)

// formRefusals are the words of servers for a form of the answer that they do
// not know; see refusal.refusesFormat.
var formRefusals = map[string]struct {
	status int
	body   string
}{
	"OpenAI, Azure": {400, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' ` +
		`is not supported with this model.","type":"invalid_request_error","param":null,"code":null}}`},
	"DeepSeek": {400, `{"error":{"message":"This response_format type is unavailable now",` +
		`"type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`},
	"DeepSeek, in 2025": {422, `{"error":{"message":"Failed to deserialize the JSON body into the target type: ` +
		"response_format: response_format.type `json_schema` is unavailable now" + `","type":"invalid_request_error"}}`},
	"Groq": {400, `{"error":{"message":"This model does not support response format json_schema",` +
		`"type":"invalid_request_error","param":"response_format"}}`},
	"Volcano": {400, `{"error":{"code":"InvalidParameter","param":"response_format.type"}}`},
	"Gemini": {400, `[{"error":{"code":400,"message":"The specified schema produces a constraint that has too many states ` +
		`for serving.","status":"INVALID_ARGUMENT"}}]`},
	"LM Studio, of json_object": {400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`},
	"a server that names its code": {400,
		`{"error":{"message":"x","param":"response_format","code":"unsupported_parameter"}}`},
}

// answering is a server that knows some forms of answers; it notes the form of
// each request, and answers in words.
func answering(t *testing.T, words string, refuse http.HandlerFunc, known ...string) (*Client, *[]string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request struct {
			Format   struct{ Type string } `json:"response_format"`
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		form := request.Format.Type
		asked = append(asked, form)
		if !slices.Contains(known, form) {
			refuse(w, r)
			return
		}
		system := request.Messages[0]
		if prompted := strings.Contains(system.Content, `"matches"`); prompted == (form == "json_schema") ||
			system.Role != "system" || !strings.HasPrefix(system.Content, question().System) ||
			prompted && !strings.Contains(system.Content, "JSON") {
			t.Errorf("%q: got %+v", form, system)
		}
		says(200, answer(`"message":{"content":`+quoted(words)+`},"finish_reason":"stop"`))(w, r)
	}))
	t.Cleanup(server.Close)
	client := must.Get(New(Config{BaseURL: server.URL, Model: "m"}))(t)
	return client, &asked
}

func TestFormFallback(t *testing.T) {
	t.Parallel()
	for name, r := range formRefusals {
		for _, tc := range []struct{ known, asked []string }{
			{[]string{"json_object"}, []string{"json_schema", "json_object", "json_object"}},
			{[]string{""}, []string{"json_schema", "json_object", "", ""}},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				client, asked := answering(t, `{"matches":[]}`, says(r.status, r.body), tc.known...)
				for range 2 {
					got, err := client.Model().Answer(t.Context(), question())
					if err != nil || got.Text != `{"matches":[]}` {
						t.Fatalf("got %+v, %v", got, err)
					}
				}
				if !slices.Equal(*asked, tc.asked) {
					t.Errorf("asked %q, want %q", *asked, tc.asked)
				}
			})
		}
	}
}

// Each form is tried once if a refusal explains nothing, and the next question begins with the
// first one: it may be the text that is refused.
func TestUnexplainedRefusal(t *testing.T) {
	t.Parallel()
	bare := says(400, `[{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}]`)
	for _, tc := range []struct{ known, asked []string }{
		{[]string{"json_object"}, []string{"json_schema", "json_object"}},
		{[]string{""}, []string{"json_schema", "json_object", ""}},
		{nil, []string{"json_schema", "json_object", ""}},
	} {
		client, asked := answering(t, `{"matches":[]}`, bare, tc.known...)
		for range 2 {
			_, err := client.Model().Answer(t.Context(), question())
			if want := "model provider rejected the request (HTTP 400)"; (err == nil) != (tc.known != nil) || err != nil && err.Error() != want {
				t.Errorf("got %v", err)
			}
		}
		if want := slices.Repeat(tc.asked, 2); !slices.Equal(*asked, want) {
			t.Errorf("asked %q, want %q", *asked, want)
		}
	}
}

// Another kind of question may have a schema that the server takes.
func TestFormIsKeptByQuestion(t *testing.T) {
	t.Parallel()
	client, asked := answering(t, `{"matches":[]}`, says(400, formRefusals["Gemini"].body), "json_object")
	other := question()
	other.Name = "other"
	for _, q := range []llm.Question{question(), other, question()} {
		must.Get(client.Model().Answer(t.Context(), q))(t)
	}
	if want := []string{"json_schema", "json_object", "json_schema", "json_object", "json_object"}; !slices.Equal(*asked, want) {
		t.Errorf("asked %q, want %q", *asked, want)
	}
}

// A server that refuses each form is a failure of the configuration; the next
// question begins anew, for nothing was answered.
func TestNoFormSupported(t *testing.T) {
	t.Parallel()
	client, asked := answering(t, "", says(400, formRefusals["DeepSeek"].body))
	for range 2 {
		_, err := client.Model().Answer(t.Context(), question())
		want := "model provider rejected the request (HTTP 400, response_format)"
		if err == nil || err.Error() != want || failure.Of(err).Kind != permanent {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if want := slices.Repeat([]string{"json_schema", "json_object", ""}, 2); !slices.Equal(*asked, want) {
		t.Errorf("asked %q, want %q", *asked, want)
	}
}

func TestOtherRefusalsKeepForm(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]http.HandlerFunc{
		"another parameter": says(400, failing("unsupported_value")),
		"Groq's check": says(400,
			`{"error":{"message":"Failed to validate JSON for json_schema","code":"json_validate_failed"}}`),
		"another status":  says(503, formRefusals["DeepSeek"].body),
		"Gemini's filter": says(400, `[{"error":{"code":400,"message":"Blocked: PROHIBITED_CONTENT","status":"INVALID_ARGUMENT"}}]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, asked := answering(t, "", refuse)
			if _, err := client.Model().Answer(t.Context(), question()); err == nil || len(*asked) != 1 {
				t.Errorf("asked %q, %v", *asked, err)
			}
		})
	}
}

func TestBareJSON(t *testing.T) {
	t.Parallel()
	const object = `{"matches":[]}`
	for text, want := range map[string]string{
		object:                                     object,
		" \n" + object + "\n":                      object,
		"```json\n" + object + "\n```":             object,
		"```\n" + object + "```\n":                 object,
		"<think>{}?</think>\n\n" + object:          object,
		"<think>a</think>```json" + object + "```": object,
		"<think>" + object:                         "<think>" + object,
		"<reasoning>{}?</reasoning>" + object:      object,
		"<reasoning>a</think>" + object:            "<reasoning>a</think>" + object,
		"```json\n" + object:                       "```json\n" + object,
		"Here you are: " + object:                  "Here you are: " + object,
		object + " " + object:                      object + " " + object,
		"```json\n[]\n```":                         "```json\n[]\n```",
	} {
		if got := bare(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Ollama's context holds 4,096 tokens; of a longer question it reads 2,050, and
// drops the instructions (github.com/ollama/ollama/issues/17889).
func TestCutQuestionIsRefused(t *testing.T) {
	t.Parallel()
	// 4,500 tokens, as o200k_base counts them.
	long := strings.Repeat("20 pieces of item B-2047 were ordered for the site, ", 300)
	for name, tc := range map[string]struct {
		text   string
		tokens int
		cached int
		cut    bool
	}{
		"all read":                     {long, 4_550, 0, false},
		"half a context read":          {long, 2_050, 0, true},
		"half of it from a cache":      {long, 2_050, 1_000, true},
		"no usage":                     {long, 0, 0, false},
		"a proxy's own count":          {long, 4, 0, false},
		"counted without its cache":    {long, 600, 3_950, false},
		"a short question, odd counts": {long[:2_000], 1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			usage := llm.Usage{PromptTokens: tc.tokens, CompletionTokens: 4}
			raw, _ := json.Marshal(map[string]any{"prompt_tokens": tc.tokens, "completion_tokens": 4,
				"prompt_tokens_details": map[string]int{"cached_tokens": tc.cached}})
			url := serving(t, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":`+string(raw)+`}`)
			client := must.Get(New(Config{BaseURL: url, Model: "m"}))(t)
			q := question()
			q.User = tc.text
			got, err := client.Model().Answer(t.Context(), q)
			if (err != nil) != tc.cut || got.Usage != usage {
				t.Errorf("got %+v, %v", got, err)
			}
			if tc.cut && (failure.Of(err).Kind != permanent || got.Text != "") {
				t.Errorf("got %q, %v", got.Text, err)
			}
		})
	}
}

// serving returns the URL of a server with one answer.
func serving(t *testing.T, body string) string {
	t.Helper()
	server := httptest.NewServer(says(200, body))
	t.Cleanup(server.Close)
	return server.URL
}
