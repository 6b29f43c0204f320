package openai

import (
	"fmt"
	"testing"

	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/testenv"
)

var secrets = []string{secretKey, secretDocument, secretHeader, secretResponse}

func TestAConfigDoesNotPrintItsKey(t *testing.T) {
	t.Parallel()
	c := Config{APIKey: secretKey, Model: "m"}
	client, err := New(Config{APIKey: secretKey, Model: "m", EmbeddingModel: "e"})
	testenv.Must(t, err)
	for _, v := range []any{c, &c, client, client.Model(), client.Embedder()} {
		if found := failuretest.Leaks(secrets, v); len(found) > 0 {
			t.Errorf("%T: found %q", v, found)
		}
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
