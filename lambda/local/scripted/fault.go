package scripted

import (
	"fmt"

	"matchbook/lambda/local/scripted/fault"
)

// The kinds that no caller names. Kinds returns them, too.
const (
	rateLimitBare    fault.Kind = "429 without Retry-After"
	errorHTML        fault.Kind = "500 with HTML"
	errorEmptyObject fault.Kind = "500 with {}"
	badGateway       fault.Kind = "502 with HTML"
	requestTimeout   fault.Kind = "408"
	conflict         fault.Kind = "409"
	connectionReset  fault.Kind = "connection reset"
	connectionClosed fault.Kind = "connection closed before the headers"
	emptyChoices     fault.Kind = "empty choices"               // for embeddings: no vectors; billed
	emptyContent     fault.Kind = "empty content"               // chat, billed
	answerUnlisted   fault.Kind = "answer names one not listed" // one more than the schema's enums have, or 0; chat, billed
	answerDuplicate  fault.Kind = "answer names one twice"      // with two confidences; chat, billed
)

// faultRow describes the effect of a fault.
type faultRow struct {
	kind         fault.Kind
	billed, chat bool
	show         func(exchange) reply
}

var faultTable = []faultRow{
	{fault.None, true, false, exchange.right},
	{fault.RateLimitSeconds, false, false, func(x exchange) reply { return x.later(errRateLimit.reply(), false) }},
	{fault.RateLimitDate, false, false, func(x exchange) reply { return x.later(errRateLimit.reply(), true) }},
	{rateLimitBare, false, false, plain(errRateLimit)},
	{fault.QuotaExhausted, false, false, plain(refuse(429, "insufficient_quota", "", "insufficient_quota",
		"You exceeded your current quota, please check your plan and billing details."))},
	{errorHTML, false, false, page(500, "Internal Server Error")},
	{errorEmptyObject, false, false, func(exchange) reply { return reply{status: 500, body: []byte("{}")} }},
	{badGateway, false, false, page(502, "Bad Gateway")},
	{fault.Unavailable, false, false, func(x exchange) reply { return x.later(errOverloaded.reply(), false) }},
	{requestTimeout, false, false, plain(refuse(408, "server_error", "", "request_timeout", "Request timed out."))},
	{conflict, false, false, plain(refuse(409, "invalid_request_error", "", "conflict",
		"The resource was changed by another request. Please try again."))},
	{fault.HangBeforeHeaders, true, false, func(x exchange) reply { return x.ends(hang) }},
	{fault.HangInBody, true, false, func(x exchange) reply { return x.ends(hangInside) }},
	{connectionReset, false, false, func(exchange) reply { return reply{ending: reset} }},
	{connectionClosed, false, false, func(exchange) reply { return reply{ending: closed} }},
	{fault.TruncatedJSON, true, false, exchange.truncated},
	{emptyChoices, true, false, exchange.noChoices},
	{emptyContent, true, true, func(x exchange) reply { return x.completion("", "stop") }},
	{fault.Refusal, true, true, exchange.refused},
	{fault.FinishLength, true, true, func(x exchange) reply { return x.completion(half(x.answer), "length") }},
	{fault.FinishFilter, true, true, func(x exchange) reply { return x.completion(half(x.answer), "content_filter") }},
	{fault.ContextLength, false, false, plain(contextExceeded(contextTokens + 1))},
	{fault.BadRequest, false, false, plain(invalid("", "invalid_value", "The request is not valid."))},
	{fault.Unauthorized, false, false, plain(refuse(401, invalidRequest, "", "invalid_api_key",
		"Incorrect API key provided."))},
	{fault.Forbidden, false, false, plain(refuse(403, "request_forbidden", "", "unsupported_country_region_territory",
		"Country, region, or territory not supported."))},
	{fault.NotFound, false, false, plain(refuse(404, invalidRequest, "", "model_not_found",
		"The model does not exist or you do not have access to it."))},
	{fault.AnswerNoJSON, true, true, func(x exchange) reply {
		return x.generated("(scripted) I think that some of them belong together.")
	}},
	{fault.AnswerBreaksSchema, true, true, func(x exchange) reply { return x.generated(`{"unexpected":true}`) }},
	{answerUnlisted, true, true, func(x exchange) reply {
		return x.generated(x.matches().unlisted(x.question.Schema).text())
	}},
	{answerDuplicate, true, true, func(x exchange) reply { return x.generated(x.matches().doubled().text()) }},
	{fault.HugeBody, true, false, exchange.huge},
}

// Kinds returns all faults.
func Kinds() (kinds []fault.Kind) {
	for _, row := range faultTable[1:] { // without none
		kinds = append(kinds, row.kind)
	}
	return kinds
}

// rowOf returns the effect of a kind. It panics on one that does not exist.
func rowOf(kind fault.Kind) faultRow {
	for _, row := range faultTable {
		if row.kind == kind {
			return row
		}
	}
	panic(fmt.Sprintf("scripted: there is no fault %q", string(kind)))
}

var (
	errRateLimit  = refuse(429, "requests", "", "rate_limit_exceeded", "Rate limit reached. Please try again later.")
	errOverloaded = refuse(503, "server_error", "", "", "The server is overloaded or not ready yet.")
)

// plain is the effect of an error of the API.
func plain(r *refusal) func(exchange) reply {
	return func(exchange) reply { return r.reply() }
}

// page is the effect of a proxy's error page.
func page(status int, title string) func(exchange) reply {
	text := fmt.Sprintf("<html><head><title>%d %s</title></head><body><h1>%s</h1><p>scripted</p></body></html>\n",
		status, title, title)
	return func(exchange) reply { return reply{status: status, contentType: "text/html", body: []byte(text)} }
}
