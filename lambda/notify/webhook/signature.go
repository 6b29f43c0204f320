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

// Request headers.
const (
	KeyHeader       = "Idempotency-Key"
	SignatureHeader = "Matchbook-Signature"
)

// sign returns the value of SignatureHeader: the time in seconds since 1970, and the
// HMAC-SHA256 of the time, a dot and the body.
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

// Errors returned by Verify.
var (
	ErrSignature = errors.New("invalid signature")
	ErrTime      = errors.New("signature too old or in the future")
)

// Verify checks the value of SignatureHeader against a body. A receiver must call it before it
// reads the body. It returns ErrSignature, or ErrTime if the signature's time differs from now
// by more than the tolerance, so that a recorded request can't be replayed later. Each try of
// a delivery is signed with the current time.
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
