// Package webhook receives Slack's incoming webhooks for trials and tests: it accepts the same
// messages as Slack, refuses others with the same errors, and keeps the accepted ones.
package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Path is the path of the webhook at a Receiver, similar to Slack's.
const Path = "/services/T000/B000/local"

// Slack's limits (api.slack.com, Block Kit reference), lengths in UTF-16.
const (
	maxBody     = 1 << 20 // bytes; not Slack's
	maxBlocks   = 50
	maxHeader   = 150
	maxText     = 3000
	maxField    = 2000
	maxFields   = 10
	maxElements = 10
	maxFallback = 40_000
)

// Message is an accepted message.
type Message struct {
	At      time.Time       `json:"at"`
	Text    string          `json:"text"` // shown on phones
	Payload json.RawMessage `json:"payload"`
}

// Receiver is an http.Handler. The zero value is ready to use.
type Receiver struct {
	Log io.Writer        // receives a line of JSON per Message; may be nil
	Now func() time.Time // nil means time.Now

	mu    sync.Mutex
	taken []Message
}

// Taken returns the messages accepted so far, in order.
func (r *Receiver) Taken() []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Message(nil), r.taken...)
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	status, said := http.StatusOK, "ok"
	if refused := r.take(req); refused != nil {
		status, said = refused.status, refused.said
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, said) // the client may be gone
}

// refusal is one of Slack's error responses.
type refusal struct {
	status int
	said   string
}

func (r *Receiver) take(req *http.Request) *refusal {
	kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	switch {
	case req.URL.Path != Path:
		return &refusal{http.StatusNotFound, "no_service"}
	case req.Method != http.MethodPost, kind != "application/json", err != nil, len(body) > maxBody, !utf8.Valid(body):
		return &refusal{http.StatusBadRequest, "invalid_payload"}
	}
	var p payload
	if err := json.Unmarshal(body, &p); err != nil {
		return &refusal{http.StatusBadRequest, "invalid_payload"}
	}
	if p.Text == "" && len(p.Blocks) == 0 {
		return &refusal{http.StatusBadRequest, "no_text"}
	}
	if err := p.check(); err != nil {
		return &refusal{http.StatusBadRequest, "invalid_blocks"}
	}
	return r.keep(Message{Text: p.Text, Payload: body})
}

func (r *Receiver) keep(m Message) *refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.At = time.Now()
	if r.Now != nil {
		m.At = r.Now()
	}
	m.At = m.At.UTC()
	if r.Log != nil {
		line, err := json.Marshal(m)
		if err == nil {
			_, err = r.Log.Write(append(line, '\n'))
		}
		if err != nil { // not kept, so not accepted
			return &refusal{http.StatusInternalServerError, "rollup_error"}
		}
	}
	r.taken = append(r.taken, m)
	return nil
}

type payload struct {
	Text   string  `json:"text"`
	Blocks []block `json:"blocks"`
}

type block struct {
	Type     string `json:"type"`
	Text     *text  `json:"text"`
	Fields   []text `json:"fields"`
	Elements []text `json:"elements"`
}

type text struct{ Type, Text string }

func (p payload) check() error {
	var errs []error
	if units(p.Text) > maxFallback || len(p.Blocks) > maxBlocks {
		errs = append(errs, errors.New("message too long"))
	}
	for _, b := range p.Blocks {
		errs = append(errs, b.check())
	}
	return errors.Join(errs...)
}

// check accepts only the kinds of blocks Matchbook sends.
func (b block) check() error {
	switch b.Type {
	case "header":
		if b.Text == nil || b.Text.Type != "plain_text" {
			return errors.New("header: expected plain_text")
		}
		return b.Text.check(maxHeader)
	case "section":
		if b.Text == nil && len(b.Fields) == 0 || len(b.Fields) > maxFields {
			return errors.New("section: expected a text or 1 to 10 fields")
		}
		if b.Text != nil {
			return errors.Join(b.Text.check(maxText), check(b.Fields, maxField))
		}
		return check(b.Fields, maxField)
	case "context":
		if len(b.Elements) == 0 || len(b.Elements) > maxElements {
			return errors.New("context: expected 1 to 10 elements")
		}
		return check(b.Elements, maxText)
	case "divider":
		return nil
	}
	return fmt.Errorf("unknown block %.40q", b.Type)
}

func check(texts []text, limit int) error {
	var errs []error
	for _, t := range texts {
		errs = append(errs, t.check(limit))
	}
	return errors.Join(errs...)
}

func (t text) check(limit int) error {
	if n := units(t.Text); n == 0 || n > limit || t.Type != "mrkdwn" && t.Type != "plain_text" {
		return fmt.Errorf("invalid text: type %.20q, length %d, expected 1 to %d", t.Type, n, limit)
	}
	return nil
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }
