package webhook

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify/outbox"

	"github.com/google/uuid"
)

// A parcel, and its signature as openssl computed it with the key of each secret:
//
//	printf '%s.%s.%s' "$ID" 1774767600 "$BODY" |
//	openssl dgst -sha256 -binary -hmac the-key-that-both-sides-know | base64
const (
	testSecret = "whsec_dGhlLWtleS10aGF0LWJvdGgtc2lkZXMta25vdw=="
	oldSecret  = "whsec_dGhlLW9sZC1rZXktdGhhdC1pdC1yZXBsYWNlcw==" // the-old-key-that-it-replaces
	testBody   = `{"job":"3f7c1a52-6b1e-5a0f-9c58-0a4f7c1d2e01","tenant":"00000000-0000-4000-8000-000000000001",` +
		`"date":"2026-03-29","timezone":"Europe/Berlin","user":"00000000-0000-4000-8000-0000000000a1",` +
		`"algorithm_version":1,"offered_at":"2026-03-29T07:00:00Z","expires_at":"2026-03-30T07:00:00Z","offers":[` +
		`{"id":"242560ca-273e-5810-831a-1189f4492689","candidate_id":"00000000-0000-4000-8000-0000000000b1","rank":1,"score":870},` +
		`{"id":"36c4b7b3-49e9-5bda-8b8e-21a64e2a7c4e","candidate_id":"00000000-0000-4000-8000-0000000000b2","rank":2,"score":640}]}`
	testTime      = 1774767600 // 2026-03-29 07:00:00 UTC, nine in Berlin after its clocks went forward
	testSignature = "v1,39biqvyom0qdRQoEgYRKBNLQ1Jiix4sKalvLMKgIDnU="
	oldSignature  = "v1,YgjhE9KH0GZPqH6UqTfzX6Gct27CDrF6d7cgb9CwLN0="
)

var testParcel = outbox.Parcel{ID: uuid.MustParse("3f7c1a52-6b1e-5a0f-9c58-0a4f7c1d2e01"), Tries: 1, Body: []byte(testBody)}

func TestSend(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 202, 204} {
		var posted atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			posted.Add(1)
			got, _ := io.ReadAll(r.Body)
			if string(got) != testBody || r.Method != http.MethodPost || r.URL.RequestURI() != "/offers?token=x" {
				t.Errorf("got %s %s\n%s\nwant\n%s", r.Method, r.URL, got, testBody)
			}
			for name, want := range map[string]string{"Content-Type": "application/json",
				"Webhook-Id": "3f7c1a52-6b1e-5a0f-9c58-0a4f7c1d2e01", "Webhook-Timestamp": "1774767600",
				"Webhook-Signature": testSignature + " " + oldSignature} {
				if got := r.Header.Get(name); got != want {
					t.Errorf("%s: got %s, want %s", name, got, want)
				}
			}
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		r := must.Get(New(Config{URL: " " + server.URL + "/offers?token=x\n", Secret: testSecret + " " + oldSecret}))(t)
		r.now = func() time.Time { return time.Unix(testTime, 999_999_999) }
		if err := outbox.Receiver(r).Send(t.Context(), testParcel); err != nil || posted.Load() != 1 {
			t.Errorf("HTTP %d: got %v after %d posts", status, err, posted.Load())
		}
	}
}

func TestConnectionPerParcel(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(failuretest.Says(204, ""))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	r := must.Get(New(Config{URL: server.URL, Secret: testSecret}))(t)
	for range 3 {
		if err := r.Send(t.Context(), testParcel); err != nil {
			t.Error(err)
		}
	}
	if n := opened.Load(); n != 3 {
		t.Errorf("%d connections for 3 parcels", n)
	}
}

func TestSendFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(failuretest.Says(429, "", "Retry-After", "5"))
	t.Cleanup(server.Close)
	r := must.Get(New(Config{URL: server.URL, Secret: testSecret}))(t)
	want := failure.Failure{Kind: failure.Transient, Text: "too many requests to the receiver (HTTP 429)",
		RetryAfter: 5 * time.Second}
	if got := failure.Of(r.Send(t.Context(), testParcel)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInvalidConfig(t *testing.T) {
	t.Parallel()
	good := hiddenKey
	for _, tc := range []struct {
		c    Config
		want string
	}{
		{Config{URL: "https://example.com" + hiddenPath, Secret: good}, ""},
		{Config{URL: "http://localhost:9" + hiddenPath, Secret: good}, ""},
		{Config{URL: "http://127.0.0.1:9" + hiddenPath, Secret: good}, ""},
		{Config{URL: "http://[::1]:9" + hiddenPath, Secret: good}, ""},
		{Config{Secret: good}, "invalid webhook URL: expected https"},
		{Config{URL: hiddenPath, Secret: good}, "invalid webhook URL: expected https"},
		{Config{URL: "https://h ost" + hiddenPath, Secret: good}, "invalid webhook URL: expected https"},
		{Config{URL: "https://:443" + hiddenPath, Secret: good}, "invalid webhook URL: expected https"},
		{Config{URL: "ftp://example.com" + hiddenPath, Secret: good}, "invalid webhook URL: expected https"},
		{Config{URL: "http://example.com" + hiddenPath, Secret: good},
			"webhook URL must be https, because its parcels would be readable in transit"},
		{Config{URL: "http://localhost.example.com" + hiddenPath, Secret: good},
			"webhook URL must be https, because its parcels would be readable in transit"},
		{Config{URL: "https://Hidden+815:x@example.com", Secret: good}, "webhook URL must not have a user or a fragment"},
		{Config{URL: "https://example.com#Hidden+815", Secret: good}, "webhook URL must not have a user or a fragment"},
		{Config{URL: "https://example.com" + hiddenPath, Secret: good[1:]}, errSecret.Error()},
		{Config{URL: "https://example.com" + hiddenPath, Secret: good, Timeout: -1}, "timeout must not be negative"},
	} {
		r, err := New(tc.c)
		failuretest.Configured(t, hidden, tc.c, r, err, tc.want)
	}
}
