package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/notify/webhook"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// A receiver verifies the signature before it reads the body, and takes a request
// with a known id for a duplicate.
func Example() {
	const secret = "whsec_dGhlLWtleS10aGF0LWJvdGgtc2lkZXMta25vdw==" // both sides know it
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		fmt.Println(err)
		return
	}
	known := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil || verifier.Verify(body, r.Header) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		id := r.Header.Get("webhook-id")
		fmt.Println("known:", known[id])
		known[id] = true
	}))
	defer server.Close()

	receiver, err := webhook.New(webhook.Config{URL: server.URL + "/offers", Secret: secret})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		fmt.Println(receiver.Send(context.Background(), outbox.Parcel{}))
	}
	// Output:
	// known: false
	// <nil>
	// known: true
	// <nil>
}
