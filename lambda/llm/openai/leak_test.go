package openai

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
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
)

// leaks finds the secrets in texts, whichever way they were written.
func leaks(texts ...string) (found []string) {
	for _, secret := range []string{secretKey, secretDocument, secretHeader, secretResponse} {
		for _, form := range forms(secret) {
			for _, text := range texts {
				if strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
					found = append(found, form)
				}
			}
		}
	}
	return found
}

// forms are a secret and its traces in the usual encodings, also if it is the
// middle of something longer.
func forms(secret string) []string {
	escaped := strings.Trim(quoted(secret), `"`)
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(secret)
	all := []string{
		secret, strings.TrimSpace(secret), secret[:12], escaped, strings.Trim(strings.TrimSpace(plain.String()), `"`),
		strings.Trim(strconv.Quote(secret), `"`), strings.Trim(strconv.QuoteToASCII(secret), `"`),
		hex.EncodeToString([]byte(secret)), fmt.Sprintf("% x", secret), fmt.Sprint([]byte(secret)),
		url.QueryEscape(secret), url.PathEscape(secret),
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 { // where the bytes begin in a group of three
			middle := secret[shift : shift+(len(secret)-shift)/3*3]
			all = append(all, encoding.EncodeToString([]byte(middle)))
		}
	}
	return all
}

// textsOf returns everything that can be got out of an error.
func textsOf(err error) (texts []string) {
	for e := err; e != nil; e = errors.Unwrap(e) {
		encoded, _ := json.Marshal(e)
		texts = append(texts, fmt.Sprintf("%v", e), fmt.Sprintf("%+v", e), fmt.Sprintf("%#v", e), fmt.Sprintf("%q", e),
			string(encoded))
	}
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Error("x", "error", err, "failure", failure.Of(err))
	return append(texts, b.String(), failure.Of(err).Text)
}

func TestLeaksFindsEveryForm(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{secretKey, secretDocument, secretHeader, secretResponse} {
		for _, form := range forms(secret) {
			if len(leaks("before "+form+" after")) == 0 {
				t.Errorf("did not find %q", form)
			}
		}
		for shift := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte("xyz"[:shift] + secret + "after"))
			if len(leaks(text)) == 0 {
				t.Errorf("did not find %q behind %d bytes in base64", secret, shift)
			}
		}
	}
	if found := leaks("the model provider failed (HTTP 500)"); len(found) > 0 {
		t.Errorf("found %q", found)
	}
}

func TestAConfigDoesNotPrintItsKey(t *testing.T) {
	t.Parallel()
	c := Config{APIKey: secretKey, Model: "m"}
	client, err := New(Config{APIKey: secretKey, Model: "m", EmbeddingModel: "e"})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(encoded)}
	for _, v := range []any{c, &c, struct{ C Config }{c}, client, client.Model(), client.Embedder()} {
		texts = append(texts, fmt.Sprintf("%v %+v %#v %s", v, v, v, v))
	}
	if found := leaks(texts...); len(found) > 0 {
		t.Errorf("found %q in %q", found, texts)
	}
}

// On a connection that is kept, net/http logs unsolicited bytes; TestMain would
// find them.
func TestBytesAfterAnAnswerAreNotLogged(t *testing.T) {
	t.Parallel()
	body := answer(`"message":{"content":"{}"},"finish_reason":"stop"`)
	raw := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s", len(body), body, secretResponse)
	if m := (exchange{serve: failuretest.Hijacked(raw, false)}).happen(t); m != nil {
		t.Errorf("got %+v", *m)
	}
}
