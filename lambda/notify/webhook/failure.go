package webhook

import (
	"net/http"

	"matchbook/lambda/failure"
)

// table classifies the answers that did not accept a parcel. A transient failure, and
// a refused one, is about the receiver: every other parcel would meet it too. Any
// other permanent failure is about the parcel. None of them drops it.
var table = failure.Table{Service: "the receiver", Rows: []failure.Row{
	{Name: "too many requests", Match: failure.Status(http.StatusTooManyRequests),
		Kind: failure.Transient, Sentence: "the receiver has too many requests"},
	{Name: "the receiver failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "the receiver failed"},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly),
		Kind: failure.Transient, Sentence: "the receiver asks for the request again"},
	{Name: "denied", Match: failure.Status(http.StatusUnauthorized, http.StatusForbidden),
		Kind: failure.Permanent, Sentence: "the receiver does not accept our signature or address", Refused: true},
	{Name: "gone", Match: failure.Status(http.StatusNotFound, http.StatusGone),
		Kind: failure.Permanent, Sentence: "there is no receiver at the URL", Refused: true},
	{Name: "any other 4xx", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "the receiver refused the request"},
	{Name: "redirect", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "the receiver neither accepted the request nor failed"},
	{Name: "stopped", Match: (*failure.Call).Stopped,
		Kind: failure.Transient, Sentence: "stopped before it was done"},
	{Name: "out of time", Match: (*failure.Call).OutOfTime, Kind: failure.Transient, Sentence: "out of time"},
	{Name: "too slow", Match: (*failure.Call).TimedOut,
		Kind: failure.Transient, Sentence: "the receiver took too long"},
	{Name: "no connection", Match: (*failure.Call).Disconnected,
		Kind: failure.Transient, Sentence: "connection to the receiver failed"},
}}
