package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Request headers, as standardwebhooks.com specifies them.
const (
	IDHeader        = "webhook-id" // the idempotency key
	timeHeader      = "webhook-timestamp"
	signatureHeader = "webhook-signature"
)

// SecretPrefix marks a secret: the base64 of a key follows.
const SecretPrefix = "whsec_"

// errSecret has the command for a new secret, because nobody types 32 random bytes. It never
// quotes the value.
var errSecret = errors.New("secret must be " + SecretPrefix + " and the base64 of 24 to 64 random bytes; create one with " +
	`echo "` + SecretPrefix + `$(openssl rand -base64 32)"; set "NEW OLD" while you replace it`)

// keysOf decodes a secret, or two separated by a space: the new and the old one.
func keysOf(secret string) (keys [][]byte, err error) {
	list := strings.Fields(secret)
	if len(list) == 0 || len(list) > 2 {
		return nil, errSecret
	}
	for _, s := range list {
		text, marked := strings.CutPrefix(s, SecretPrefix)
		key, err := base64.StdEncoding.DecodeString(text)
		if !marked || err != nil || len(key) < 24 || len(key) > 64 {
			return nil, errSecret
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// sign returns the headers of a request: its id, the time in seconds since 1970, and for each
// key the HMAC-SHA256 of id, time and body, so that a receiver with either key accepts it.
func sign(keys [][]byte, id string, at time.Time, body []byte) map[string]string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, key := range keys {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(id + "." + seconds + "."))
		h.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(h.Sum(nil)))
	}
	return map[string]string{IDHeader: id, timeHeader: seconds, signatureHeader: strings.Join(signatures, " ")}
}
