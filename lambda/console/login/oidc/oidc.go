// Package oidc logs people in by OpenID Connect: by the user pool of the stack, or by
// any other issuer.
//
//	GET /login?return=PATH     sends the browser to the issuer
//	GET /login/callback        comes back from it
//
// It is the authorization code flow with PKCE. A cookie of the browser that starts a
// login has its state, its nonce and the verifier of the code: the way back counts in
// that browser only, and once. The id token has to be signed by a key of the issuer,
// by an algorithm with a public key, and to be for this client, for this login (the
// nonce), and for now. Tokens are not kept: a session of package login follows.
//
// # Groups
//
// Roles are those of the groups in a claim of the id token, a list of strings or one
// string:
//
//	group  = "matchbook-" role [ ":" tenant ]
//	role   = "viewer" | "operator"
//	tenant = the tenant's id, as in 6f1c2b1e-0a52-4d8e-9d2f-3f0f6f2f8a11
//
// A group without a tenant is for all tenants. Other groups give no role.
package oidc

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/failure"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Config names the issuer, and the console as its client.
type Config struct {
	Issuer string   // its URL; the discovery document is below it
	Client string   // the client id
	Secret string   // the client's; empty: a public client
	Claim  string   // the claim with the groups, such as cognito:groups
	Base   string   // the console's own address, without a slash at the end
	Scopes []string // asked for beside openid, such as profile and email
}

// Method is a login by an issuer. The issuer is asked for its endpoints by the first
// login, so that a function starts, and sessions work, while the issuer is away.
type Method struct {
	config Config
	client *http.Client
	now    func() time.Time

	mu     sync.Mutex
	issuer *issuer // nil: not yet discovered
}

// issuer has what the discovery document says.
type issuer struct {
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
	end      string // the address that ends the session at the issuer; empty: unknown
}

// New returns the login.
func New(c Config) *Method {
	return &Method{config: c, now: time.Now, client: &http.Client{Timeout: 10 * time.Second,
		// The client's secret goes to no other address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// discovered returns the issuer, and asks it for its endpoints at the first call.
func (m *Method) discovered(ctx context.Context) (*issuer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.issuer != nil {
		return m.issuer, nil
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, m.client), m.config.Issuer)
	if err != nil {
		return nil, failure.At("discover the issuer", unanswered(err))
	}
	var more struct {
		End string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, failure.At("discover the issuer", err)
	}
	m.issuer = &issuer{
		oauth: oauth2.Config{ClientID: m.config.Client, ClientSecret: m.config.Secret, Endpoint: provider.Endpoint(),
			RedirectURL: m.config.Base + "/login/callback", Scopes: append([]string{oidc.ScopeOpenID}, m.config.Scopes...)},
		verifier: provider.Verifier(&oidc.Config{ClientID: m.config.Client,
			Now: func() time.Time { return m.now().Add(-skew) }}),
		end: more.End,
	}
	return m.issuer, nil
}

// skew is by how much the issuer's clock may be behind.
const skew = time.Minute

// unanswered keeps what failed on the way to the issuer, and drops what it answered:
// the library's errors have parts of it.
func unanswered(err error) error {
	var network *url.Error
	if errors.As(err, &network) {
		return network.Err
	}
	return &failure.Error{Kind: failure.Transient, Sentence: "the issuer does not answer as one"}
}

// Invite leads to the issuer, and back to the page that was asked for.
func (m *Method) Invite(r *http.Request) login.Page {
	to := "/login"
	if r.Method == http.MethodGet {
		to += "?return=" + url.QueryEscape(login.ReturnPath(r.URL.RequestURI()))
	}
	return login.Page{Title: "Please log in", Text: []string{"This console shows business documents."}, Link: to, Label: "Log in"}
}

// LoggedOut leads to the logout of the issuer, where that is known: until then a new
// login may need no password.
func (m *Method) LoggedOut(*http.Request) login.Page {
	p := login.Page{Title: "You are logged out", Link: "/", Label: "Log in again"}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.issuer == nil || m.issuer.end == "" {
		return p
	}
	end, err := url.Parse(m.issuer.end)
	if err != nil || !slices.Contains([]string{"https", "http"}, end.Scheme) {
		return p
	}
	q := end.Query()
	q.Set("client_id", m.config.Client)
	q.Set("post_logout_redirect_uri", m.config.Base+"/")
	q.Set("logout_uri", m.config.Base+"/") // Cognito's name for it
	end.RawQuery = q.Encode()
	p.Text = []string{"The issuer of your login may still know you."}
	p.Link, p.Label = end.String(), "Log out there too"
	return p
}
