// Package fault names the intended failures of a scripted model's calls. A name
// is also the text by which a report counts the fault.
package fault

// Kind is one way in which a call fails. The kinds marked "chat" do not apply
// to embeddings: ordered there, nothing happens. A provider would charge for the
// kinds marked "billed", since the model had answered. The scripted server knows
// further kinds, which no caller has to name; its Kinds returns all of them.
type Kind string

// The kinds that callers name.
const (
	None Kind = "" // nothing

	RateLimitSeconds   Kind = "429 with Retry-After in seconds"
	RateLimitDate      Kind = "429 with Retry-After as a date" // rounded up to the next second
	QuotaExhausted     Kind = "429 insufficient_quota"
	Unavailable        Kind = "503 with Retry-After"
	HangBeforeHeaders  Kind = "hangs before the headers"     // until the client gives up or the server closes; billed
	HangInBody         Kind = "hangs in the body"            // likewise; half of it is sent; billed
	TruncatedJSON      Kind = "truncated JSON"               // a complete response with half of the JSON; billed
	Refusal            Kind = "refusal"                      // content is null; chat, billed
	FinishLength       Kind = "finish_reason length"         // half of the content; chat, billed
	FinishFilter       Kind = "finish_reason content_filter" // likewise
	ContextLength      Kind = "400 context_length_exceeded"
	BadRequest         Kind = "400"
	Unauthorized       Kind = "401"
	Forbidden          Kind = "403"
	NotFound           Kind = "404 model_not_found"
	AnswerNoJSON       Kind = "answer that is not JSON"       // chat, billed
	AnswerBreaksSchema Kind = "answer that breaks the schema" // {"unexpected":true}; chat, billed
	HugeBody           Kind = "body of 10 MB"                 // JSON, the answer at its end; billed
)
