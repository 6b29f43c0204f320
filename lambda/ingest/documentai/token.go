package documentai

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/failure"
)

const (
	scope    = "https://www.googleapis.com/auth/cloud-platform"
	grant    = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	lifetime = time.Hour        // of an assertion, the longest that is allowed
	skew     = 10 * time.Second // by which our clock may be fast
	reserve  = 5 * time.Minute  // before its end a token is not used any more
)

// key is a service account's key.
type key struct {
	email, id, endpoint string
	private             *rsa.PrivateKey
}

// parseKey reads the JSON of a key. Its errors do not quote.
func parseKey(text string) (*key, error) {
	var k struct {
		Type     string `json:"type"`
		ID       string `json:"private_key_id"`
		Private  string `json:"private_key"`
		Email    string `json:"client_email"`
		Endpoint string `json:"token_uri"`
	}
	if err := json.Unmarshal([]byte(text), &k); err != nil || k.Type != "service_account" || k.Email == "" {
		return nil, errors.New("the key of Document AI is not the JSON of a service account's key")
	}
	endpoint, err := address(k.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("the token_uri of Document AI's key %w", err)
	}
	block, _ := pem.Decode([]byte(k.Private))
	if block == nil {
		return nil, errors.New("the private_key of Document AI's key is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if private, ok := parsed.(*rsa.PrivateKey); ok && err == nil {
		return &key{k.Email, k.ID, endpoint, private}, nil
	}
	return nil, errors.New("the private_key of Document AI's key is not an RSA key in PKCS #8")
}

// assertion returns the signed statement that asks for a token.
func (k *key) assertion(now time.Time) (string, error) {
	issued := now.Add(-skew)
	signed := segment(map[string]any{"alg": "RS256", "typ": "JWT", "kid": k.id}) + "." + segment(map[string]any{
		"iss": k.email, "scope": scope, "aud": k.endpoint, "iat": issued.Unix(), "exp": issued.Add(lifetime).Unix(),
	})
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, k.private, crypto.SHA256, digest[:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

func segment(v map[string]any) string {
	text, _ := json.Marshal(v) // texts and numbers can always be encoded
	return base64.RawURLEncoding.EncodeToString(text)
}

// tokens gives out a token until shortly before its end.
type tokens struct {
	web *http.Client
	// A function, because no verb prints the values that one holds.
	key func() *key
	now func() time.Time

	mutex sync.Mutex
	token func() string
	until time.Time
}

func newTokens(web *http.Client, k *key) *tokens {
	return &tokens{web: web, key: func() *key { return k }, now: time.Now}
}

// get returns the token, or asks for a new one; other callers wait for it.
func (t *tokens) get(ctx context.Context) (string, *failure.Call) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.token != nil && t.now().Before(t.until) {
		return t.token(), nil
	}
	began := t.now()
	token, valid, failed := t.ask(ctx, began)
	if failed != nil {
		return "", failed
	}
	t.token, t.until = func() string { return token }, began.Add(valid-reserve)
	return token, nil
}

// forget removes a token that was refused, unless another one replaced it.
func (t *tokens) forget(refused string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.token != nil && t.token() == refused {
		t.token = nil
	}
}

func (t *tokens) ask(ctx context.Context, now time.Time) (string, time.Duration, *failure.Call) {
	k := t.key()
	assertion, err := k.assertion(now)
	if err != nil {
		return "", 0, &failure.Call{Cause: errToken}
	}
	form := url.Values{"grant_type": {grant}, "assertion": {assertion}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, k.endpoint, bytes.NewReader([]byte(form)))
	if err != nil {
		return "", 0, &failure.Call{Cause: errToken}
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	body, failed := send(t.web, r, tokenCode)
	if failed != nil {
		failed.Cause = errToken
		return "", 0, failed
	}
	var granted struct {
		Token   string `json:"access_token"`
		Type    string `json:"token_type"`
		Seconds int    `json:"expires_in"`
	}
	err = json.Unmarshal(body, &granted)
	if err != nil || granted.Token == "" || granted.Seconds <= 0 || !strings.EqualFold(granted.Type, "Bearer") {
		return "", 0, &failure.Call{Status: http.StatusOK, Cause: errToken}
	}
	return granted.Token, time.Duration(granted.Seconds) * time.Second, nil
}
