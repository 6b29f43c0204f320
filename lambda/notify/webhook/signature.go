package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Headers of a request.
const (
	KeyHeader       = "Idempotency-Key"
	SignatureHeader = "Matchbook-Signature"
)

// sign returns the value of SignatureHeader: the time in seconds since 1970, and
// the HMAC-SHA256 of the time, a dot and the body.
func sign(secret string, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(mac(secret, seconds, body))
}

func mac(secret, seconds string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(seconds + "."))
	h.Write(body)
	return h.Sum(nil)
}

// Errors of Verify.
var (
	ErrSignature = errors.New("the signature is not that of the body by this secret")
	ErrTime      = errors.New("the signature is too old, or from the future")
)

// Verify checks the value of SignatureHeader against a body, as a receiver does
// before it reads the body: ErrSignature, or ErrTime if now is further from the time
// of the signature than the tolerance, so that a recorded request cannot be sent
// again later. Every try of a delivery has a signature of its own time.
func Verify(secret, header string, body []byte, now time.Time, tolerance time.Duration) error {
	stamp, signature, ok := strings.Cut(header, ",")
	seconds, hasTime := strings.CutPrefix(stamp, "t=")
	text, hasMAC := strings.CutPrefix(signature, "v1=")
	got, err := hex.DecodeString(text)
	if !ok || !hasTime || !hasMAC || err != nil || !hmac.Equal(got, mac(secret, seconds, body)) {
		return ErrSignature
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return ErrSignature
	}
	if now.Sub(time.Unix(unix, 0)).Abs() > tolerance {
		return ErrTime
	}
	return nil
}
