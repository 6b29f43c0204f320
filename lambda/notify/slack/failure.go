package slack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"
)

// mishap is what went wrong with a message. It never leaves this package: its
// errors may hold anything, and are only looked at.
type mishap struct {
	status  int           // of the answer; 0 if there was none
	code    string        // Slack's, one of codes
	wait    time.Duration // what Slack asks for
	ended   error         // of the context, if that is why
	network error         // of the connection, before the headers (status 0) or in the body
}

// row is a line of the table.
type row struct {
	name     string
	match    func(*mishap) bool
	kind     failure.Kind
	sentence string
	refused  bool // our credentials, or what they are allowed
}

// table says what each mishap means; the first row that fits decides. A
// permanent one is for people to mend: the URL, the channel, the workspace, or
// what we wrote.
var table = []row{
	{name: "too many requests", match: status(http.StatusTooManyRequests),
		kind: failure.Transient, sentence: "Slack has too many messages"},
	{name: "Slack failed", match: func(m *mishap) bool { return m.status/100 == 5 },
		kind: failure.Transient, sentence: "Slack failed"},
	{name: "try again", match: status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly),
		kind: failure.Transient, sentence: "Slack wants to be told again"},
	{name: "denied", match: status(http.StatusUnauthorized, http.StatusForbidden),
		kind: failure.Permanent, sentence: "Slack does not let the webhook write", refused: true},
	{name: "gone", match: status(http.StatusNotFound, http.StatusGone),
		kind: failure.Permanent, sentence: "Slack knows no such webhook or channel", refused: true},
	{name: "any other 4xx", match: func(m *mishap) bool { return m.status/100 == 4 },
		kind: failure.Permanent, sentence: "Slack refused the message"},
	{name: "redirect", match: func(m *mishap) bool { return m.status != 0 && m.status/100 != 2 },
		kind: failure.Transient, sentence: "Slack neither answered nor failed"},

	{name: "stopped", match: func(m *mishap) bool { return errors.Is(m.ended, context.Canceled) },
		kind: failure.Transient, sentence: "stopped before it was done"},
	{name: "out of time", match: func(m *mishap) bool { return errors.Is(m.ended, context.DeadlineExceeded) },
		kind: failure.Transient, sentence: "out of time"},
	{name: "too slow", match: func(m *mishap) bool {
		var n net.Error
		return errors.As(m.network, &n) && n.Timeout()
	}, kind: failure.Transient, sentence: "Slack took too long"},
	{name: "too large", match: func(m *mishap) bool { return errors.Is(m.network, errTooLarge) },
		kind: failure.Transient, sentence: "Slack's answer is too large"},
	{name: "broke off", match: func(m *mishap) bool { return m.network != nil && m.status != 0 },
		kind: failure.Transient, sentence: "Slack's answer broke off"},
	{name: "no connection", match: func(m *mishap) bool { return m.network != nil },
		kind: failure.Transient, sentence: "the connection to Slack failed"},
}

func status(these ...int) func(*mishap) bool {
	return func(m *mishap) bool { return slices.Contains(these, m.status) }
}

// classify decides about a mishap. No error of it is wrapped.
func classify(table []row, m *mishap) *failure.Error {
	for _, r := range table {
		if !r.match(m) {
			continue
		}
		e := &failure.Error{Kind: r.kind, Sentence: r.sentence + m.detail(), Refused: r.refused}
		if r.kind == failure.Transient {
			e.RetryAfter = m.wait
		}
		return e
	}
	return &failure.Error{Kind: failure.Transient, Sentence: "Slack did not say ok", RetryAfter: m.wait}
}

// detail is all that is told of an answer that was no success.
func (m *mishap) detail() string {
	switch {
	case m.status == 0 || m.status/100 == 2:
		return ""
	case m.code == "":
		return fmt.Sprintf(" (HTTP %d)", m.status)
	}
	return fmt.Sprintf(" (HTTP %d, %s)", m.status, m.code)
}

// codes are what Slack documents for incoming webhooks; any other text may
// hold anything, and is not told.
var codes = []string{
	"action_prohibited", "channel_is_archived", "channel_not_found", "invalid_blocks", "invalid_blocks_format",
	"invalid_payload", "invalid_token", "no_active_hooks", "no_service", "no_service_id", "no_team", "no_text",
	"posting_to_general_channel_denied", "rate_limited", "rollup_error", "team_disabled", "too_many_attachments", "user_not_found",
}

func code(body string) string {
	if slices.Contains(codes, body) {
		return body
	}
	return ""
}
