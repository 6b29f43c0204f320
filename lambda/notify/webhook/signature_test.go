package webhook

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// While a secret is replaced, a receiver with either one accepts each request, and verifies it
// with the standard's own library.
func TestTwoSecrets(t *testing.T) {
	t.Parallel()
	for secrets, accepted := range map[string]map[string]bool{
		testSecret:                   {testSecret: true},
		testSecret + " " + oldSecret: {testSecret: true, oldSecret: true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			for _, secret := range []string{testSecret, oldSecret, hiddenKey} {
				err := must.Get(standardwebhooks.NewWebhook(secret))(t).Verify(body, r.Header)
				if (err == nil) != accepted[secret] {
					t.Errorf("signed with %d secrets: got %v, want accepted: %v", len(accepted), err, accepted[secret])
				}
			}
		}))
		t.Cleanup(server.Close)
		r := must.Get(New(Config{URL: server.URL, Secret: secrets}))(t)
		must.OK(t, r.Send(t.Context(), testParcel))
	}
}

func TestSecretForm(t *testing.T) {
	t.Parallel()
	of := func(n int) string { return SecretPrefix + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for secret, want := range map[string]int{
		of(24): 1, of(64): 1, " " + of(32) + "\n": 1, of(24) + " " + of(32): 2, of(24) + "\n" + of(32): 2,
		"": 0, of(23): 0, of(65): 0, of(32) + " " + of(32) + " " + of(32): 0, of(32) + "," + of(32): 0,
		strings.TrimPrefix(of(32), SecretPrefix): 0, "WHSEC_" + of(32)[6:]: 0, SecretPrefix: 0, of(32) + " x": 0,
		strings.TrimRight(of(32), "="): 0, SecretPrefix + strings.Repeat("-_", 16): 0, strings.Repeat("0f", 32): 0,
	} {
		keys, err := keysOf(secret)
		if len(keys) != want || (want == 0) != errors.Is(err, errSecret) {
			t.Errorf("%q: got %d keys, %v, want %d", secret, len(keys), err, want)
		}
	}
}
