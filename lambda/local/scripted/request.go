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

// Limits of the API, or of this server where the API's are unknown.
const (
	maxBody         = 8 << 20       // of a request, in bytes; this server's
	maxDrain        = 64 << 20      // bytes read from a larger one, so that the client sees the refusal
	contextTokens   = 128_000       // prompt and completion, as in the smaller models
	maxInputs       = 2048          // texts to embed per call
	maxInputTokens  = 8192          // for each text
	maxInputsTokens = 300_000       // for all texts
	maxCompletion   = contextTokens // limit of max_tokens
)

// request is a decoded call.
type request struct {
	question   Question // without N
	prompt     int      // tokens
	completion int      // limit in tokens; 0 for none
	embeddings bool
	inputs     []string
	dimensions int
}

// tokens returns the tokens of a text: a quarter of its bytes, rounded up.
func tokens(text string) int { return (len(text) + 3) / 4 }

// read decodes a request, or returns the API's refusal.
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

// cut shortens a client's text for use in a message.
func cut(text string) string {
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// object reads the fields of a JSON object one by one. It keeps the first wrong field, and
// reads nothing after it.
type object struct {
	at     string // path in the request, ending in a dot; "" at the top
	fields map[string]json.RawMessage
	wrong  *refusal
}

// newObject refuses other JSON values and unknown fields. A null counts as an absent field.
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

// take decodes a field, and reports whether it was present and valid.
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

// check refuses a field's value unless ok.
func (o *object) check(ok bool, name, want string) {
	if !ok {
		o.refuse(name, "invalid_value", "Invalid value for '%s': expected %s.", o.at+name, want)
	}
}

// within reads an optional number within bounds.
func within[T int64 | float64](o *object, name, kind string, least, most T) (value T, given bool) {
	given = o.take(name, kind, &value)
	o.check(!given || value >= least && value <= most, name, fmt.Sprintf("%s from %v to %v", kind, least, most))
	return value, given
}

// name reads a required non-empty text.
func (o *object) name(field string) (text string) {
	o.need(field, "a string", &text)
	o.check(o.wrong != nil || text != "", field, "a non-empty string")
	return text
}

// readEmbeddings decodes and checks the body of an embeddings request.
func readEmbeddings(body []byte) (request, *refusal) {
	o := newObject(body, "", "model", "input", "dimensions")
	in := request{embeddings: true}
	in.question.Model = o.name("model")
	o.need("input", "an array of strings", &in.inputs)
	o.check(o.wrong != nil || len(in.inputs) > 0 && len(in.inputs) <= maxInputs, "input",
		fmt.Sprintf("an array of 1 to %d strings", maxInputs))
	for i, text := range in.inputs {
		o.check(text != "", fmt.Sprintf("input[%d]", i), "a non-empty string")
		o.check(tokens(text) <= maxInputTokens, fmt.Sprintf("input[%d]", i),
			fmt.Sprintf("at most %d tokens", maxInputTokens))
		in.prompt += tokens(text)
	}
	o.check(in.prompt <= maxInputsTokens, "input", fmt.Sprintf("at most %d tokens in all", maxInputsTokens))
	in.question.User = strings.Join(in.inputs, "\n")
	in.dimensions = o.dimensions(in.question.Model)
	return in, o.wrong
}

// dimensions reads the dimensions of the vectors; the model's native number is both the
// maximum and the default.
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
