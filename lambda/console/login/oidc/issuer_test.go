package oidc

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	clientID = "console"
	secret   = "PLANTED-secret-of-the-client"
)

// keys are made once: that takes a while.
var keys = sync.OnceValue(func() (k [2]*rsa.PrivateKey) {
	for i := range k {
		k[i], _ = rsa.GenerateKey(rand.Reader, 2048)
	}
	return k
})

// testIssuer is an OpenID Connect issuer. Its authorization endpoint asks for no
// password: each visitor is Ada.
type testIssuer struct {
	t      *testing.T
	server *httptest.Server

	mu      sync.Mutex
	codes   map[string]url.Values // the request that each code is for; a code works once
	claims  map[string]any        // beside those of every token, or instead of them
	sign    func(claims map[string]any) string
	signing int                         // the key that signs
	listed  int                         // the key that is listed
	away    bool                        // every endpoint answers 503
	instead map[string]http.HandlerFunc // of endpoints, by path
	ends    string
	reads   int // of the keys
}

func newIssuer(t *testing.T) *testIssuer {
	i := &testIssuer{t: t, codes: map[string]url.Values{}, claims: map[string]any{}, instead: map[string]http.HandlerFunc{}}
	i.sign = i.rs256
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /keys", i.keys)
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.away {
			http.Error(w, "PLANTED answer", http.StatusServiceUnavailable)
			return
		}
		if h := i.instead[r.URL.Path]; h != nil {
			h(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.server.Close)
	return i
}

// change changes the issuer between two requests.
func (i *testIssuer) change(f func()) { i.mu.Lock(); defer i.mu.Unlock(); f() }

func (i *testIssuer) discovery(w http.ResponseWriter, _ *http.Request) {
	u := i.server.URL
	answer(w, 200, map[string]any{"issuer": u, "authorization_endpoint": u + "/authorize", "token_endpoint": u + "/token",
		"jwks_uri": u + "/keys", "end_session_endpoint": i.ends, "response_types_supported": []string{"code"},
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}})
}

func (i *testIssuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != clientID || q.Get("code_challenge_method") != "S256" ||
		q.Get("nonce") == "" || q.Get("scope") != "openid email" {
		i.t.Errorf("asked for %v", q)
	}
	code := rand.Text()
	i.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {i.server.URL}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token checks the client, the code and the verifier of PKCE.
func (i *testIssuer) token(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user != clientID || password != secret {
		answer(w, 401, map[string]any{"error": "invalid_client", "error_description": "PLANTED answer"})
		return
	}
	asked, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) ||
		asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") || r.PostFormValue("grant_type") != "authorization_code" {
		answer(w, 400, map[string]any{"error": "invalid_grant", "error_description": "PLANTED answer"})
		return
	}
	now := time.Now()
	claims := map[string]any{"iss": i.server.URL, "aud": clientID, "sub": "ada-1", "nonce": asked.Get("nonce"),
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "email": "ada@example.com", "email_verified": true,
		"cognito:groups": []any{"matchbook-operator", "staff"}}
	maps.Copy(claims, i.claims)
	answer(w, 200, map[string]any{"access_token": "PLANTED-access", "token_type": "Bearer", "id_token": i.sign(claims)})
}

func (i *testIssuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.reads++
	public := keys()[i.listed].PublicKey
	answer(w, 200, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256",
		"kid": strconv.Itoa(i.listed), "n": base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes())}}})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// part returns one of the first two parts of a token.
func part(v map[string]any) string {
	text, _ := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(text)
}

func (i *testIssuer) rs256(claims map[string]any) string {
	signed := part(map[string]any{"alg": "RS256", "kid": strconv.Itoa(i.signing)}) + "." + part(claims)
	hash := sha256.Sum256([]byte(signed))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, keys()[i.signing], crypto.SHA256, hash[:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// hs256 signs with the public key as if it were a shared one.
func (i *testIssuer) hs256(claims map[string]any) string {
	signed := part(map[string]any{"alg": "HS256", "kid": "0"}) + "." + part(claims)
	mac := hmac.New(sha256.New, keys()[0].N.Bytes())
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (i *testIssuer) none(claims map[string]any) string {
	return part(map[string]any{"alg": "none"}) + "." + part(claims) + "."
}

// cut returns a token whose signature is of other claims.
func (i *testIssuer) cut(claims map[string]any) string {
	good := i.rs256(claims)
	claims["cognito:groups"] = []string{"matchbook-operator"}
	claims["sub"] = "root"
	other := i.rs256(claims)
	return other[:len(other)-342] + good[len(good)-342:]
}
