package documentai

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/failure"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"
)

const (
	scope   = "https://www.googleapis.com/auth/cloud-platform"
	reserve = 5 * time.Minute // before a token expires, it must not be used
)

// parseKey reads the JSON of a service account's key. Its errors must not quote it.
func parseKey(text string) (*jwt.Config, error) {
	var k struct {
		Type     string `json:"type"`
		ID       string `json:"private_key_id"`
		Private  string `json:"private_key"`
		Email    string `json:"client_email"`
		Endpoint string `json:"token_uri"`
	}
	if err := json.Unmarshal([]byte(text), &k); err != nil || k.Type != "service_account" || k.Email == "" {
		return nil, errors.New("invalid key of Document AI: expected the JSON of a service account's key")
	}
	endpoint, err := address(k.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("token_uri of Document AI's key %w", err)
	}
	block, _ := pem.Decode([]byte(k.Private))
	if block == nil {
		return nil, errors.New("private_key of Document AI's key must be PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if _, ok := parsed.(*rsa.PrivateKey); !ok || err != nil {
		return nil, errors.New("private_key of Document AI's key must be an RSA key in PKCS #8")
	}
	return &jwt.Config{Email: k.Email, PrivateKey: []byte(k.Private), PrivateKeyID: k.ID, TokenURL: endpoint,
		Scopes: []string{scope}}, nil
}

// tokens keeps a token until shortly before it expires.
type tokens struct {
	web *http.Client
	// Use a function, because no verb prints the values it holds.
	key func() *jwt.Config
	now func() time.Time

	mutex sync.Mutex
	token func() string
	until time.Time
}

func newTokens(web *http.Client, k *jwt.Config) *tokens {
	return &tokens{web: web, key: func() *jwt.Config { return k }, now: time.Now}
}

// get returns the token, or asks for a new one while other callers wait.
func (t *tokens) get(ctx context.Context) (string, *failure.Call) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.token != nil && t.now().Before(t.until) {
		return t.token(), nil
	}
	began := t.now()
	token, valid, failed := t.ask(ctx)
	if failed != nil {
		return "", failed
	}
	t.token, t.until = func() string { return token }, began.Add(valid-reserve)
	return token, nil
}

// forget removes a refused token, unless another one replaced it.
func (t *tokens) forget(refused string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.token != nil && t.token() == refused {
		t.token = nil
	}
}

// ask exchanges a statement signed by the key for a token.
func (t *tokens) ask(ctx context.Context) (string, time.Duration, *failure.Call) {
	e := &tokenRequest{ctx: ctx, web: t.web}
	token, err := t.key().TokenSource(context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: e})).Token()
	switch {
	case e.failed != nil:
		e.failed.Cause = errToken
		return "", 0, e.failed
	case err != nil || token.AccessToken == "" || token.Expiry.IsZero() || !strings.EqualFold(token.TokenType, "Bearer"):
		return "", 0, &failure.Call{Status: http.StatusOK, Cause: errToken}
	}
	return token.AccessToken, time.Until(token.Expiry), nil
}

// tokenRequest is the transport of one request for a token. It uses send, because the library
// ignores the context's deadline and quotes the response's body in its errors.
type tokenRequest struct {
	ctx    context.Context
	web    *http.Client
	failed *failure.Call
}

// RoundTrip implements http.RoundTripper.
func (e *tokenRequest) RoundTrip(r *http.Request) (*http.Response, error) {
	body, failed := send(e.web, r.Clone(e.ctx), tokenCode)
	if e.failed = failed; failed != nil {
		return nil, errToken
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body))}, nil
}
