package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/notify/webhook"
)

// A receiver verifies the signature before it reads the body, and takes a request
// whose key it knows for a duplicate.
func Example() {
	const secret = "the-key-that-both-sides-know"
	known := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		signature := r.Header.Get("Matchbook-Signature")
		if err != nil || webhook.Verify(secret, signature, body, time.Now(), 5*time.Minute) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		key := r.Header.Get("Idempotency-Key")
		fmt.Println("known:", known[key])
		known[key] = true
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
