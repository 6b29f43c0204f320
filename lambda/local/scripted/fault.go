package scripted

import (
	"fmt"
)

// Fault is a way for a call to fail; reports use its text as a name. Faults marked "chat" have
// no effect on embeddings. A provider would charge for faults marked "billed", because the
// model had already answered.
type Fault string

// The faults used by callers. Use Kinds for the complete list.
const (
	NoFault Fault = "" // nothing

	RateLimitSeconds   Fault = "429 with Retry-After in seconds"
	RateLimitDate      Fault = "429 with Retry-After as a date" // rounded up to the next second
	QuotaExhausted     Fault = "429 insufficient_quota"
	Unavailable        Fault = "503 with Retry-After"
	HangBeforeHeaders  Fault = "hangs before the headers"     // until the client gives up or the server closes; billed
	HangInBody         Fault = "hangs in the body"            // likewise, after half of the body; billed
	TruncatedJSON      Fault = "truncated JSON"               // a complete response with half of the JSON; billed
	Refusal            Fault = "refusal"                      // content is null; chat, billed
	FinishLength       Fault = "finish_reason length"         // half of the content; chat, billed
	FinishFilter       Fault = "finish_reason content_filter" // likewise
	ContextLength      Fault = "400 context_length_exceeded"
	BadRequest         Fault = "400"
	Unauthorized       Fault = "401"
	Forbidden          Fault = "403"
	NotFound           Fault = "404 model_not_found"
	AnswerNoJSON       Fault = "answer that is not JSON"       // chat, billed
	AnswerBreaksSchema Fault = "answer that breaks the schema" // {"unexpected":true}; chat, billed
	HugeBody           Fault = "body of 10 MB"                 // JSON, the answer at its end; billed
)

// Faults not used by name.
const (
	rateLimitBare    Fault = "429 without Retry-After"
	errorHTML        Fault = "500 with HTML"
	errorEmptyObject Fault = "500 with {}"
	badGateway       Fault = "502 with HTML"
	requestTimeout   Fault = "408"
	conflict         Fault = "409"
	connectionReset  Fault = "connection reset"
	connectionClosed Fault = "connection closed before the headers"
	emptyChoices     Fault = "empty choices"               // for embeddings: no vectors; billed
	emptyContent     Fault = "empty content"               // chat, billed
	answerUnlisted   Fault = "answer names one not listed" // the one after the last; chat, billed
	answerDuplicate  Fault = "answer names one twice"      // with two confidences; chat, billed
)

// faultRow describes the effect of a fault.
type faultRow struct {
	kind         Fault
	billed, chat bool
	show         func(exchange) reply
}

var faultTable = []faultRow{
	{NoFault, true, false, exchange.right},
	{RateLimitSeconds, false, false, func(x exchange) reply { return x.later(errRateLimit.reply(), false) }},
	{RateLimitDate, false, false, func(x exchange) reply { return x.later(errRateLimit.reply(), true) }},
	{rateLimitBare, false, false, plain(errRateLimit)},
	{QuotaExhausted, false, false, plain(refuse(429, "insufficient_quota", "", "insufficient_quota",
		"You exceeded your current quota, please check your plan and billing details."))},
	{errorHTML, false, false, page(500, "Internal Server Error")},
	{errorEmptyObject, false, false, func(exchange) reply { return reply{status: 500, body: []byte("{}")} }},
	{badGateway, false, false, page(502, "Bad Gateway")},
	{Unavailable, false, false, func(x exchange) reply { return x.later(errOverloaded.reply(), false) }},
	{requestTimeout, false, false, plain(refuse(408, "server_error", "", "request_timeout", "Request timed out."))},
	{conflict, false, false, plain(refuse(409, "invalid_request_error", "", "conflict",
		"The resource was changed by another request. Please try again."))},
	{HangBeforeHeaders, true, false, func(x exchange) reply { return x.ends(hang) }},
	{HangInBody, true, false, func(x exchange) reply { return x.ends(hangInside) }},
	{connectionReset, false, false, func(exchange) reply { return reply{ending: reset} }},
	{connectionClosed, false, false, func(exchange) reply { return reply{ending: closed} }},
	{TruncatedJSON, true, false, exchange.truncated},
	{emptyChoices, true, false, exchange.noChoices},
	{emptyContent, true, true, func(x exchange) reply { return x.completion("", "stop") }},
	{Refusal, true, true, exchange.refused},
	{FinishLength, true, true, func(x exchange) reply { return x.completion(half(x.answer), "length") }},
	{FinishFilter, true, true, func(x exchange) reply { return x.completion(half(x.answer), "content_filter") }},
	{ContextLength, false, false, plain(contextExceeded(contextTokens + 1))},
	{BadRequest, false, false, plain(invalid("", "invalid_value", "The request is not valid."))},
	{Unauthorized, false, false, plain(refuse(401, invalidRequest, "", "invalid_api_key",
		"Incorrect API key provided."))},
	{Forbidden, false, false, plain(refuse(403, "request_forbidden", "", "unsupported_country_region_territory",
		"Country, region, or territory not supported."))},
	{NotFound, false, false, plain(refuse(404, invalidRequest, "", "model_not_found",
		"The model does not exist or you do not have access to it."))},
	{AnswerNoJSON, true, true, func(x exchange) reply {
		return x.generated("(scripted) I think that some of them belong together.")
	}},
	{AnswerBreaksSchema, true, true, func(x exchange) reply { return x.generated(`{"unexpected":true}`) }},
	{answerUnlisted, true, true, func(x exchange) reply {
		_, candidates, _ := asked(x.question.User)
		return x.generated(x.matches().unlisted(len(candidates)).text())
	}},
	{answerDuplicate, true, true, func(x exchange) reply { return x.generated(x.matches().doubled().text()) }},
	{HugeBody, true, false, exchange.huge},
}

// Kinds returns all faults.
func Kinds() (kinds []Fault) {
	for _, row := range faultTable[1:] { // skip NoFault
		kinds = append(kinds, row.kind)
	}
	return kinds
}

// rowOf returns the effect of a fault. It panics on an unknown one.
func rowOf(kind Fault) faultRow {
	for _, row := range faultTable {
		if row.kind == kind {
			return row
		}
	}
	panic(fmt.Sprintf("scripted: unknown fault %q", string(kind)))
}

var (
	errRateLimit  = refuse(429, "requests", "", "rate_limit_exceeded", "Rate limit reached. Please try again later.")
	errOverloaded = refuse(503, "server_error", "", "", "The server is overloaded or not ready yet.")
)

// plain is the effect of an API error.
func plain(r *refusal) func(exchange) reply {
	return func(exchange) reply { return r.reply() }
}

// page is the effect of a proxy's error page.
func page(status int, title string) func(exchange) reply {
	text := fmt.Sprintf("<html><head><title>%d %s</title></head><body><h1>%s</h1><p>scripted</p></body></html>\n",
		status, title, title)
	return func(exchange) reply { return reply{status: status, contentType: "text/html", body: []byte(text)} }
}
