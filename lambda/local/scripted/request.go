package scripted

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of the API, and of this server where the API's is not public.
const (
	maxBody         = 8 << 20       // of a request, in bytes; ours
	maxDrain        = 64 << 20      // read of a larger one, so that the client sees the refusal
	contextTokens   = 128_000       // prompt and completion, as the smaller models have it
	maxInputs       = 2048          // texts to embed in a call
	maxInputTokens  = 8192          // of one of them
	maxInputsTokens = 300_000       // of all of them
	maxCompletion   = contextTokens // the limit of max_tokens
)

// request is a call that was decoded.
type request struct {
	question   Question // without its N
	prompt     int      // tokens
	completion int      // at most so many tokens; 0 is without a limit
	embeddings bool
	inputs     []string
	dimensions int
}

// tokens counts the tokens of a text: a quarter of its bytes, rounded up.
func tokens(text string) int { return (len(text) + 3) / 4 }

// read decodes a request, or returns the refusal of the API.
func (s *Server) read(r *http.Request) (request, *refusal) {
	var understand func([]byte) (request, *refusal)
	switch path := r.URL.Path; {
	case strings.Contains(path, "//"):
	case strings.HasSuffix(path, "/v1/chat/completions"):
		understand = readChat
	case strings.HasSuffix(path, "/v1/embeddings"):
		understand = readEmbeddings
	}
	if understand == nil {
		return request{}, refuse(http.StatusNotFound, invalidRequest, "", "unknown_url",
			"Unknown request URL: %s %s. Please check the URL for typos.", r.Method, cut(r.URL.Path))
	}
	if r.Method != http.MethodPost {
		return request{}, refuse(http.StatusMethodNotAllowed, invalidRequest, "", "",
			"Not allowed to %s on %s. (HINT: Perhaps you meant to use a different HTTP method?)",
			cut(r.Method), cut(r.URL.Path))
	}
	if refused := s.authorize(r); refused != nil {
		return request{}, refused
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if charset := params["charset"]; err != nil || kind != "application/json" ||
		charset != "" && !strings.EqualFold(charset, "utf-8") {
		return request{}, invalid("", "unsupported_content_type",
			"Unsupported content type. This API method only accepts 'application/json' requests.")
	}
	body, refused := readBody(r.Body)
	if refused != nil {
		return request{}, refused
	}
	return understand(body)
}

func (s *Server) authorize(r *http.Request) *refusal {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case s.options.Key == "" || bearer && token == s.options.Key:
		return nil
	case !bearer || token == "":
		return refuse(http.StatusUnauthorized, invalidRequest, "", "",
			"You didn't provide an API key. Provide it in an Authorization header using Bearer auth.")
	}
	return refuse(http.StatusUnauthorized, invalidRequest, "", "invalid_api_key", "Incorrect API key provided.")
}

func readBody(r io.Reader) ([]byte, *refusal) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if len(body) > maxBody {
		_, _ = io.Copy(io.Discard, io.LimitReader(r, maxDrain))
		return nil, refuse(http.StatusRequestEntityTooLarge, invalidRequest, "", "request_too_large",
			"The request is larger than %d bytes.", maxBody)
	}
	if err != nil || !utf8.Valid(body) || !json.Valid(body) {
		return nil, invalid("", "", "We could not parse the JSON body of your request.")
	}
	return body, nil
}

// cut shortens a text of the client for a message.
func cut(text string) string {
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// object reads the fields of a JSON object, one by one. It keeps the first wrong
// field, and reads nothing after it.
type object struct {
	at     string // its place in the request, with a dot; "" at the top
	fields map[string]json.RawMessage
	wrong  *refusal
}

// newObject refuses any value but an object, and unknown fields. A null is as
// good as an absent field.
func newObject(raw json.RawMessage, at string, known ...string) *object {
	o := &object{at: at}
	if json.Unmarshal(raw, &o.fields) != nil || o.fields == nil {
		o.wrong = invalid(strings.TrimSuffix(at, "."), "invalid_type", "Invalid type for '%s': expected an object.",
			strings.TrimSuffix(at, "."))
		return o
	}
	for name, value := range o.fields {
		if !slices.Contains(known, name) {
			o.refuse(cut(name), "unknown_parameter", "Unknown parameter: '%s'.", at+cut(name))
		}
		if string(value) == "null" {
			delete(o.fields, name)
		}
	}
	return o
}

func (o *object) refuse(name, code, format string, args ...any) {
	if o.wrong == nil {
		o.wrong = invalid(o.at+name, code, format, args...)
	}
}

// take decodes a field, and reports whether it was there and right.
func (o *object) take(name, want string, into any) bool {
	raw, present := o.fields[name]
	if o.wrong != nil || !present {
		return false
	}
	if json.Unmarshal(raw, into) != nil {
		o.refuse(name, "invalid_type", "Invalid type for '%s': expected %s.", o.at+name, want)
	}
	return o.wrong == nil
}

// need is take for a required field.
func (o *object) need(name, want string, into any) {
	if _, present := o.fields[name]; !present {
		o.refuse(name, "missing_required_parameter", "Missing required parameter: '%s'.", o.at+name)
	}
	o.take(name, want, into)
}

// check refuses the value of a field.
func (o *object) check(ok bool, name, want string) {
	if !ok {
		o.refuse(name, "invalid_value", "Invalid value for '%s': expected %s.", o.at+name, want)
	}
}

// within takes an optional number within bounds.
func within[T int64 | float64](o *object, name, kind string, least, most T) (value T, given bool) {
	given = o.take(name, kind, &value)
	o.check(!given || value >= least && value <= most, name, fmt.Sprintf("%s from %v to %v", kind, least, most))
	return value, given
}

// name takes a required text that is not empty.
func (o *object) name(field string) (text string) {
	o.need(field, "a string", &text)
	o.check(o.wrong != nil || text != "", field, "a string that is not empty")
	return text
}

// readEmbeddings decodes and checks the body of a call for embeddings.
func readEmbeddings(body []byte) (request, *refusal) {
	o := newObject(body, "", "model", "input", "dimensions")
	in := request{embeddings: true}
	in.question.Model = o.name("model")
	o.need("input", "an array of strings", &in.inputs)
	o.check(o.wrong != nil || len(in.inputs) > 0 && len(in.inputs) <= maxInputs, "input",
		fmt.Sprintf("an array of 1 to %d strings", maxInputs))
	for i, text := range in.inputs {
		o.check(text != "", fmt.Sprintf("input[%d]", i), "a string that is not empty")
		o.check(tokens(text) <= maxInputTokens, fmt.Sprintf("input[%d]", i),
			fmt.Sprintf("at most %d tokens", maxInputTokens))
		in.prompt += tokens(text)
	}
	o.check(in.prompt <= maxInputsTokens, "input", fmt.Sprintf("at most %d tokens in all", maxInputsTokens))
	in.question.User = strings.Join(in.inputs, "\n")
	in.dimensions = o.dimensions(in.question.Model)
	return in, o.wrong
}

// dimensions takes the dimensions of the vectors: at most the model's own
// number, which is also the default.
func (o *object) dimensions(model string) int {
	own := 1536
	if model == "text-embedding-3-large" {
		own = 3072
	}
	if _, given := o.fields["dimensions"]; given && model == "text-embedding-ada-002" {
		o.refuse("dimensions", "unsupported_parameter", "This model does not support specifying dimensions.")
	}
	if asked, given := within(o, "dimensions", "an integer", 1, int64(own)); given {
		return int(asked)
	}
	return own
}

var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
