package failuretest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"

	"matchbook/lambda/failure"
)

// Leaks returns the forms of secrets found in values and errors, however these are printed,
// encoded or logged. It searches a string as it is.
func Leaks(secrets []string, values ...any) (found []string) {
	for _, v := range values {
		for _, text := range textsOf(v) {
			for _, secret := range secrets {
				for _, form := range Forms(secret) {
					if strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
						found = append(found, form)
					}
				}
			}
		}
	}
	return found
}

// textsOf returns a value and its errors as printed by verbs, JSON and logs.
func textsOf(v any) (texts []string) {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	encoded, _ := json.Marshal(v)
	wrapped := struct{ V any }{v}
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Error("x", "value", v)
	slog.New(slog.NewTextHandler(&b, nil)).Error("x", "value", v)
	texts = append(texts, string(encoded), b.String(), fmt.Sprintf("%v %+v %#v", wrapped, wrapped, wrapped),
		fmt.Sprintf("%v %+v %#v %s %q %d %x", v, v, v, v, v, v, v))
	if err, ok := v.(error); ok {
		texts = append(texts, failure.Of(err).Text)
		if next := errors.Unwrap(err); next != nil {
			texts = append(texts, textsOf(next)...)
		}
	}
	return texts
}

// Forms returns a secret in the usual encodings, including as the middle of a longer text.
func Forms(secret string) []string {
	escaped, _ := json.Marshal(secret)
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(secret)
	all := []string{
		secret, strings.TrimSpace(secret), strings.Trim(string(escaped), `"`), strings.Trim(strings.TrimSpace(plain.String()), `"`),
		strings.Trim(strconv.Quote(secret), `"`), strings.Trim(strconv.QuoteToASCII(secret), `"`),
		hex.EncodeToString([]byte(secret)), fmt.Sprintf("% x", secret), fmt.Sprint([]byte(secret)),
		url.QueryEscape(secret), url.PathEscape(secret),
		base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
	if len(secret) < 12 {
		return all
	}
	all = append(all, secret[:12])
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 { // where the bytes start in a group of three
			middle := secret[shift : shift+(len(secret)-shift)/3*3]
			all = append(all, encoding.EncodeToString([]byte(middle)))
		}
	}
	return all
}
