package webhook

import (
	"net/http"

	"matchbook/lambda/failure"
)

// table classifies the calls without acceptance. A transient or refused failure is the
// receiver's, since every other parcel would meet it too. Any other permanent failure is the
// parcel's. No failure drops a parcel.
var table = failure.Table{Service: "receiver", Rows: []failure.Row{
	{Name: "too many requests", Match: failure.Status(http.StatusTooManyRequests),
		Kind: failure.Transient, Sentence: "too many requests to the receiver"},
	{Name: "receiver failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "receiver failed"},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly),
		Kind: failure.Transient, Sentence: "receiver asked for a retry"},
	{Name: "denied", Match: failure.Status(http.StatusUnauthorized, http.StatusForbidden),
		Kind: failure.Permanent, Sentence: "receiver denied access: it rejected the signature or the address", Refused: true},
	{Name: "not found", Match: failure.Status(http.StatusNotFound),
		Kind: failure.Permanent, Sentence: "receiver not found at the URL", Refused: true},
	{Name: "gone", Match: failure.Status(http.StatusGone),
		Kind: failure.Permanent, Sentence: "receiver wants no more requests", Refused: true},
	{Name: "any other 4xx", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "receiver refused the request"},
	{Name: "redirect", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "unexpected status from the receiver"},
	{Name: "stopped", Match: (*failure.Call).Stopped,
		Kind: failure.Transient, Sentence: "stopped before it was done"},
	{Name: "out of time", Match: (*failure.Call).OutOfTime, Kind: failure.Transient, Sentence: "out of time"},
	{Name: "too slow", Match: (*failure.Call).TimedOut,
		Kind: failure.Transient, Sentence: "receiver took too long"},
	{Name: "no connection", Match: (*failure.Call).Disconnected,
		Kind: failure.Transient, Sentence: "connection to receiver failed"},
}}
