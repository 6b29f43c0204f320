// Package oidc logs people in through OpenID Connect: the stack's user pool, or any other
// issuer.
//
//	GET /login?return=PATH     redirects the browser to the issuer
//	GET /login/callback        receives the browser's return
//
// It uses the authorization code flow with PKCE. A cookie in the browser holds the login's
// state, nonce and code verifier, so the callback works only in that browser, and once. The id
// token must be signed with a public-key algorithm by a key of the issuer, and must be for
// this client, this login (the nonce) and now. Tokens aren't kept; see package login for the
// session.
//
// # Groups
//
// Roles come from groups in a claim of the id token, a list of strings or one string:
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

// Config configures the issuer, and the console as its client.
type Config struct {
	Issuer string   // URL; must serve the discovery document below it
	Client string   // the client id
	Secret string   // client secret; empty: public client
	Claim  string   // claim with the groups, such as cognito:groups
	Base   string   // the console's URL, without a trailing slash
	Scopes []string // requested in addition to openid, such as profile and email
}

// Method is a login through an issuer. It discovers the issuer's endpoints at the first login,
// so that a function starts and sessions work while the issuer is down.
type Method struct {
	config Config
	client *http.Client
	now    func() time.Time

	mu     sync.Mutex
	issuer *issuer // nil: not yet discovered
}

// issuer holds the content of the discovery document.
type issuer struct {
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
	end      string // URL to end the session at the issuer; empty: unknown
}

// New returns a Method. It doesn't contact the issuer.
func New(c Config) *Method {
	return &Method{config: c, now: time.Now, client: &http.Client{Timeout: 10 * time.Second,
		// Never send the client's secret to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// discovered returns the issuer, discovering its endpoints at the first call.
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

// skew is the tolerated lag of the issuer's clock.
const skew = time.Minute

// unanswered drops the issuer's answers from errors, because the library quotes them.
func unanswered(err error) error {
	var network *url.Error
	if errors.As(err, &network) {
		return network.Err
	}
	return &failure.Error{Kind: failure.Transient, Sentence: "issuer sent an invalid answer"}
}

// Invite links to the issuer, and from there back to the requested page.
func (m *Method) Invite(r *http.Request) login.Page {
	to := "/login"
	if r.Method == http.MethodGet {
		to += "?return=" + url.QueryEscape(login.ReturnPath(r.URL.RequestURI()))
	}
	return login.Page{Title: "Please log in", Text: []string{"This console shows business documents."}, Link: to, Label: "Log in"}
}

// LoggedOut links to the issuer's logout if known, since otherwise a new login may need no
// password.
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
	p.Text = []string{"You may still be logged in at your login provider."}
	p.Link, p.Label = end.String(), "Log out there too"
	return p
}
