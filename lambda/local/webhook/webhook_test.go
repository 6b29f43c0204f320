package webhook_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/notify/notifytest"
	"matchbook/lambda/notify/slack"
)

// Each answer in Slack's words; what is refused is not kept.
func TestAcceptsLikeSlack(t *testing.T) {
	t.Parallel()
	section := func(text string) string { return `{"type":"section","text":{"type":"mrkdwn","text":"` + text + `"}}` }
	blocks := func(list ...string) string { return `{"blocks":[` + strings.Join(list, ",") + `]}` }
	elements := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`{"type":"mrkdwn","text":"x"},`, n), ",")
	}
	for name, tc := range map[string]struct{ body, want string }{
		"a text":            {`{"text":"hello"}`, "ok"},
		"a section":         {blocks(section("x")), "ok"},
		"a text of 3000":    {blocks(section(strings.Repeat("x", 3000))), "ok"},
		"a text of 3001":    {blocks(section(strings.Repeat("x", 3001))), "invalid_blocks"},
		"3000 by two units": {blocks(section(strings.Repeat("𝄞", 1501))), "invalid_blocks"},
		"an empty text":     {blocks(section("")), "invalid_blocks"},
		"50 blocks": {blocks(strings.Split(strings.Repeat(`{"type":"divider"} `, 50)[:50*19-1], " ")...),
			"ok"},
		"51 blocks": {blocks(strings.Split(strings.Repeat(`{"type":"divider"} `, 51)[:51*19-1], " ")...),
			"invalid_blocks"},
		"a header":           {blocks(`{"type":"header","text":{"type":"plain_text","text":"x"}}`), "ok"},
		"a header of mrkdwn": {blocks(`{"type":"header","text":{"type":"mrkdwn","text":"x"}}`), "invalid_blocks"},
		"a header of 151": {blocks(`{"type":"header","text":{"type":"plain_text","text":"` +
			strings.Repeat("x", 151) + `"}}`), "invalid_blocks"},
		"10 fields":            {blocks(`{"type":"section","fields":[` + elements(10) + `]}`), "ok"},
		"11 fields":            {blocks(`{"type":"section","fields":[` + elements(11) + `]}`), "invalid_blocks"},
		"a section of nothing": {blocks(`{"type":"section"}`), "invalid_blocks"},
		"a context of 10":      {blocks(`{"type":"context","elements":[` + elements(10) + `]}`), "ok"},
		"a context of 11":      {blocks(`{"type":"context","elements":[` + elements(11) + `]}`), "invalid_blocks"},
		"a context of nothing": {blocks(`{"type":"context"}`), "invalid_blocks"},
		"an unknown block":     {blocks(`{"type":"video"}`), "invalid_blocks"},
		"nothing":              {`{}`, "no_text"},
		"no JSON":              {`payload=x`, "invalid_payload"},
		"no UTF-8":             {"{\"text\":\"\xff\"}", "invalid_payload"},
		"more than a megabyte": {`{"text":"` + strings.Repeat("x", 1<<20) + `"}`, "invalid_payload"},
		"an unknown text type": {blocks(`{"type":"context","elements":[{"type":"image","text":"x"}]}`),
			"invalid_blocks"},
		"a field of 2001": {blocks(`{"type":"section","fields":[{"type":"mrkdwn","text":"` +
			strings.Repeat("x", 2001) + `"}]}`), "invalid_blocks"},
		"a fallback too long": {`{"text":"` + strings.Repeat("x", 40_001) + `"}`, "invalid_blocks"},
		"a section, text wrong": {blocks(`{"type":"section","text":{"type":"mrkdwn","text":""},"fields":[` +
			elements(1) + `]}`), "invalid_blocks"},
	} {
		var r webhook.Receiver
		w := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(tc.body))
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
		r.ServeHTTP(w, req)
		if got := w.Body.String(); got != tc.want || (w.Code == http.StatusOK) != (tc.want == "ok") ||
			len(r.Taken()) > 0 != (tc.want == "ok") {
			t.Errorf("%s: got %d %s and kept %d, want %s", name, w.Code, got, len(r.Taken()), tc.want)
		}
	}
}

func TestOnlyWebhookPath(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]*http.Request{
		"no_service":      httptest.NewRequest(http.MethodPost, "/services/other", strings.NewReader(`{"text":"x"}`)),
		"invalid_payload": httptest.NewRequest(http.MethodGet, webhook.Path, strings.NewReader(`{"text":"x"}`)),
	} {
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		new(webhook.Receiver).ServeHTTP(w, req)
		if got := w.Body.String(); got != name {
			t.Errorf("got %s, want %s", got, name)
		}
	}
	req := httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(`{"text":"x"}`))
	w := httptest.NewRecorder()
	new(webhook.Receiver).ServeHTTP(w, req)
	if got := w.Body.String(); got != "invalid_payload" {
		t.Errorf("without a content type: got %s", got)
	}
}

// Whatever the sender makes of a message is taken, and kept as it came.
func TestAcceptsOurMessages(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := &webhook.Receiver{Log: &log}
	server := httptest.NewServer(r)
	defer server.Close()
	s := must.Get(slack.New(slack.Config{WebhookURL: server.URL + webhook.Path}))(t)
	messages := notifytest.Messages()
	for name, m := range messages {
		if err := s.Send(t.Context(), m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	lines := json.NewDecoder(&log)
	for i, m := range r.Taken() {
		var line webhook.Message
		if err := lines.Decode(&line); err != nil || line.Text != m.Text || len(line.Payload) == 0 || line.At.IsZero() {
			t.Errorf("line %d of the log: %v", i, err)
		}
	}
	if err := lines.Decode(new(any)); err != io.EOF || len(r.Taken()) != len(messages) {
		t.Errorf("took %d of %d, and the log goes on with %v", len(r.Taken()), len(messages), err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestUnkeptIsRefused(t *testing.T) {
	t.Parallel()
	r := &webhook.Receiver{Log: full{}}
	req := httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(`{"text":"x"}`))
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	if w.Code != http.StatusInternalServerError || len(r.Taken()) != 0 {
		t.Errorf("got %d, %d kept", w.Code, len(r.Taken()))
	}
}
