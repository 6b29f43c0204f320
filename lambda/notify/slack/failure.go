package slack

import (
	"net/http"
	"slices"

	"matchbook/lambda/failure"
)

// table classifies the messages not accepted by Slack. A permanent failure needs a person to
// correct the URL, the channel, the workspace, or our message.
var table = failure.Table{Service: "Slack", Codes: codes, Rows: slices.Concat([]failure.Row{
	{Name: "too many requests", Match: failure.Status(http.StatusTooManyRequests),
		Kind: failure.Transient, Sentence: "too many messages to Slack"},
	{Name: "Slack failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "Slack failed"},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly),
		Kind: failure.Transient, Sentence: "Slack asked for a retry"},
	{Name: "denied", Match: failure.Status(http.StatusUnauthorized, http.StatusForbidden),
		Kind: failure.Permanent, Sentence: "Slack forbids this webhook to post", Refused: true},
	{Name: "gone", Match: failure.Status(http.StatusNotFound, http.StatusGone),
		Kind: failure.Permanent, Sentence: "unknown webhook or channel at Slack", Refused: true},
	{Name: "any other 4xx", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "Slack refused the message"},
	{Name: "redirect", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "unexpected status from Slack"},
}, failure.Unanswered("Slack"), []failure.Row{
	{Name: "not ok", Match: func(c *failure.Call) bool { return c.Status/100 == 2 },
		Kind: failure.Transient, Sentence: "unexpected response from Slack: expected ok"},
})}

// codes are documented by Slack for incoming webhooks. Any other text may contain anything, so
// it is left out.
var codes = []string{
	"action_prohibited", "channel_is_archived", "channel_not_found", "invalid_blocks", "invalid_blocks_format",
	"invalid_payload", "invalid_token", "no_active_hooks", "no_service", "no_service_id", "no_team", "no_text",
	"posting_to_general_channel_denied", "rate_limited", "rollup_error", "team_disabled", "too_many_attachments",
	"user_not_found",
}

func code(body string) string {
	if slices.Contains(codes, body) {
		return body
	}
	return ""
}
