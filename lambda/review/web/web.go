// Package web shows reviews to browsers and to other programs over HTTP: it starts
// them, streams their findings, stops them, and has a page for people.
//
//	POST /reviews                     starts a review: 202 {id, token, page}
//	GET  /reviews/{id}                the review as JSON; the page for a browser
//	GET  /reviews/{id}/page           the page
//	GET  /reviews/{id}/text           the contract, UTF-8; offsets are its bytes
//	GET  /reviews/{id}/findings       after=SEQ: the findings that follow
//	GET  /reviews/{id}/events         after=SEQ: the same and the progress, as they come
//	GET  /reviews/{id}/report         HTML
//	POST /reviews/{id}/cancel         202 {status}
//	POST /reviews/{id}/retry          202 {status}: goes on with what has no result
//
// Each request carries a token of the review or of its tenant (Tokens), as
// "Authorization: Bearer" or as ?token=. A review that does not exist and a token
// that is not for it have the same answer, 404. Errors are {"error": "..."}.
//
// # The stream
//
// Events are server-sent: finding, whose id is the finding's sequence number,
// progress with the review's counts, and one end with its status, also for a client
// that comes when all is over. A stream ends after Config.StreamFor, before the time
// limit of the function; the client connects again with Last-Event-ID, as EventSource
// does by itself, and misses nothing. Each stream is one loop in its request, which
// reads the store: there is no state in the process, and nothing is left behind.
package web
