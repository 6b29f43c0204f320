package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

// rig is a server and a client without any library for it.
type rig struct {
	*Server
	t      *testing.T
	client *http.Client
	clock  *clock
}

func newRig(t *testing.T, options Options) *rig {
	t.Helper()
	r := &rig{t: t, clock: &clock{now: time.Date(2026, 3, 2, 10, 0, 0, 250e6, time.UTC)}}
	if options.Mind == nil {
		options.Mind = script(scriptLine{Answers: []string{`{"matches":[]}`}})
	}
	if options.Now == nil {
		options.Now = r.clock.Now
	}
	server := must.Get(Start(t.Context(), options))(t)
	t.Cleanup(server.Close)
	r.Server = server
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	r.client = &http.Client{Transport: transport}
	return r
}

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// seen is the client's view of a call.
type seen struct {
	status int
	header http.Header
	body   []byte
	err    error // of the call, or of reading the body
}

func (r *rig) send(ctx context.Context, method, path, body string, header map[string]string) seen {
	r.t.Helper()
	request := must.Get(http.NewRequestWithContext(ctx, method, strings.TrimSuffix(r.URL(), "/v1")+path, strings.NewReader(body)))(r.t)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer anything")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return seen{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return seen{response.StatusCode, response.Header, text, err}
}

func (r *rig) ask(user string) seen {
	r.t.Helper()
	return r.send(r.t.Context(), http.MethodPost, "/v1/chat/completions", chatBody(user, nil), nil)
}

func (r *rig) embed(texts ...string) seen {
	r.t.Helper()
	return r.send(r.t.Context(), http.MethodPost, "/v1/embeddings",
		marshal(map[string]any{"model": "text-embedding-3-small", "input": texts}), nil)
}

const systemText = "You match documents."

// fields are the fields of a request, to be changed.
type fields = map[string]any

func chatBody(user string, change func(fields)) string {
	f := fields{
		"model": "gpt-4o-mini",
		"messages": []any{
			fields{"role": "system", "content": systemText},
			fields{"role": "user", "content": user},
		},
		"response_format": fields{"type": "json_schema", "json_schema": fields{
			"name": "matches", "strict": true, "schema": json.RawMessage(matchSchema)}},
	}
	if change != nil {
		change(f)
	}
	return marshal(f)
}

const matchSchema = `{"type":"object","additionalProperties":false,"required":["matches"],"properties":{"matches":{"type":"array",` +
	`"items":{"type":"object","additionalProperties":false,"required":["candidate","confidence","reasoning"],"properties":{` +
	`"candidate":{"type":"integer","enum":[1,2,3]},"confidence":{"type":"string","enum":["high","medium","low"]},"reasoning":{"type":"string"}}}}}}`

// prompt is a toy of a match question, and toyKey knows the links between its
// documents.
func prompt(document string, candidates ...string) string {
	text := "<<<document\n" + document + "\ndocument>>>\n"
	for _, c := range candidates {
		text += "<<<candidate\n" + c + "\ncandidate>>>\n"
	}
	return text
}

func toyKey(links ...[2]string) reading {
	return func(document string, candidates []string) (belong []bool) {
		for _, c := range candidates {
			pair := [2]string{strings.TrimSpace(document), strings.TrimSpace(c)}
			belong = append(belong, slices.Contains(links, pair) || slices.Contains(links, [2]string{pair[1], pair[0]}))
		}
		return belong
	}
}

// completed is the part of a chat completion that tests look at.
type completed struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Index        int
		Message      struct{ Role, Content, Refusal *string }
		FinishReason string `json:"finish_reason"`
	}
	Usage Usage
}

func (s seen) completion(t *testing.T) (c completed) {
	t.Helper()
	if s.err != nil || s.status != http.StatusOK {
		t.Fatalf("status %d, %v: %.300s", s.status, s.err, s.body)
	}
	must.OK(t, json.Unmarshal(s.body, &c))
	if len(c.Choices) == 1 && c.Choices[0].Message.Content == nil {
		c.Choices[0].Message.Content = new(string)
	}
	return c
}

func (s seen) content(t *testing.T) string {
	t.Helper()
	c := s.completion(t)
	if len(c.Choices) != 1 {
		t.Fatalf("%d choices, want 1", len(c.Choices))
	}
	return *c.Choices[0].Message.Content
}

func (s seen) vectors(t *testing.T) (list [][]float64) {
	t.Helper()
	var body struct {
		Data []struct {
			Index     int
			Embedding []float64
		}
	}
	if err := json.Unmarshal(s.body, &body); err != nil || s.status != http.StatusOK {
		t.Fatalf("status %d, %v: %.300s", s.status, err, s.body)
	}
	for i, one := range body.Data {
		if one.Index != i {
			t.Errorf("entry %d has the index %d", i, one.Index)
		}
		list = append(list, one.Embedding)
	}
	return list
}

// refused is the error of a response; it must have all four fields.
func (s seen) refused() (message, kind, param, code string, err error) {
	var body struct {
		Error map[string]*string `json:"error"`
	}
	decoder := json.NewDecoder(bytes.NewReader(s.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		return "", "", "", "", err
	}
	value := func(name string) string {
		text, present := body.Error[name]
		if !present {
			err = errors.Join(err, fmt.Errorf("no %q", name))
		}
		if text == nil {
			return ""
		}
		return *text
	}
	message, kind, param, code = value("message"), value("type"), value("param"), value("code")
	return message, kind, param, code, err
}

// scriptLine has the answers to the questions whose User text contains a text: the
// first answer for the first time that a question is asked, and so on, then the
// last.
type scriptLine struct {
	Contains string // "" fits every question
	Answers  []string
}

// script is a Mind that answers by the first line that fits, "" when none does.
func script(lines ...scriptLine) Mind {
	return func(q Question) string {
		for _, line := range lines {
			if strings.Contains(q.User, line.Contains) && len(line.Answers) > 0 {
				return line.Answers[min(q.N, len(line.Answers)-1)]
			}
		}
		return ""
	}
}
