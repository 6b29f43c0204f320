package failure

import (
	"errors"
	"io"
)

var errTooLarge = errors.New("larger than the limit")

// ReadBody reads the body of a response. It returns an error if the body exceeds limit bytes;
// see Call.TooLarge.
func ReadBody(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = errTooLarge
	}
	return body, err
}

// TooLarge reports whether the response's body exceeded the limit of ReadBody.
func (c *Call) TooLarge() bool { return errors.Is(c.Network, errTooLarge) }

// Unanswered returns the rows for calls without a complete response. Use service as the
// service's name within a sentence. In your table they must follow the rows for a status,
// because a status decides even if the body breaks off, and precede the rows for a response's
// content.
func Unanswered(service string) []Row {
	return []Row{
		{Name: "stopped", Match: (*Call).Stopped, Kind: Transient, Sentence: "stopped before it was done"},
		{Name: "out of time", Match: (*Call).OutOfTime, Kind: Transient, Sentence: "out of time"},
		{Name: "too slow", Match: (*Call).TimedOut, Kind: Transient, Sentence: service + " took too long", Away: true},
		{Name: "too large", Match: (*Call).TooLarge, Kind: Transient, Sentence: service + "'s answer is too large"},
		{Name: "broke off", Match: (*Call).BrokeOff, Kind: Transient, Sentence: service + "'s answer broke off", Away: true},
		{Name: "no connection", Match: (*Call).Disconnected, Kind: Transient,
			Sentence: "connection to " + service + " failed", Away: true},
	}
}
