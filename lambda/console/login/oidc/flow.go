package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/failure"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// flow is a login that was started. It needs no signature: a changed one harms the
// login of the browser that has it, and its name (__Host-) keeps other hosts from
// setting it.
type flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // of the code, PKCE
	Return   string `json:"r"`
}

const (
	flowCookie = "-login"
	flowLife   = 10 * time.Minute
)

func (f flow) encode() string {
	text, _ := json.Marshal(f) // four strings
	return base64.RawURLEncoding.EncodeToString(text)
}

// decode reads a cookie. false: it is not of a login.
func decode(cookie string) (f flow, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil || json.Unmarshal(text, &f) != nil {
		return flow{}, false
	}
	return f, f.State != "" && f.Nonce != "" && f.Verifier != ""
}

// Routes adds the two paths.
func (m *Method) Routes(mux *http.ServeMux, g *login.Gate) {
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { m.start(w, r, g) })
	mux.HandleFunc("GET /login/callback", func(w http.ResponseWriter, r *http.Request) { m.finish(w, r, g) })
}

func (m *Method) start(w http.ResponseWriter, r *http.Request, g *login.Gate) {
	i, err := m.discovered(r.Context())
	if err != nil {
		g.Fail(w, r, "start a login", err)
		return
	}
	f := flow{rand.Text(), rand.Text(), oauth2.GenerateVerifier(), login.ReturnPath(r.URL.Query().Get("return"))}
	cookie := g.Cookie(r, flowCookie, f.encode())
	cookie.MaxAge = int(flowLife.Seconds())
	http.SetCookie(w, cookie)
	http.Redirect(w, r, i.oauth.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)),
		http.StatusSeeOther)
}

// finish admits the person for whom the issuer gave a code, in the browser that
// started the login.
func (m *Method) finish(w http.ResponseWriter, r *http.Request, g *login.Gate) {
	f, ok := m.take(w, r, g)
	q := r.URL.Query()
	switch {
	case !ok || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(f.State)) != 1:
		g.Show(w, http.StatusBadRequest, again("It was started in another browser or tab, or more than ten minutes ago."))
		return
	case q.Get("error") != "" || q.Get("code") == "":
		g.Show(w, http.StatusForbidden, again("The issuer of the login refused it."))
		return
	case q.Has("iss") && q.Get("iss") != m.config.Issuer: // RFC 9207
		g.Show(w, http.StatusForbidden, again("It comes from another issuer."))
		return
	}
	p, err := m.redeem(r.Context(), q.Get("code"), f)
	var refused *failure.Error
	switch {
	case errors.As(err, &refused) && refused.Kind == failure.Permanent:
		g.Log.Warn("a login was refused", "reason", refused.Sentence)
		g.Show(w, http.StatusForbidden, again("The issuer of the login gave no valid answer."))
	case err != nil:
		g.Fail(w, r, "finish a login", err)
	default:
		g.Admit(w, r, p, f.Return)
	}
}

func again(reason string) login.Page {
	return login.Page{Title: "This login does not count", Text: []string{reason}, Link: "/", Label: "Log in again"}
}

// take returns the login that the browser started, and removes its cookie.
func (m *Method) take(w http.ResponseWriter, r *http.Request, g *login.Gate) (flow, bool) {
	cookie := g.Cookie(r, flowCookie, "")
	started, err := r.Cookie(cookie.Name)
	if err != nil {
		return flow{}, false
	}
	cookie.MaxAge = -1
	http.SetCookie(w, cookie)
	return decode(started.Value)
}

// redeem exchanges the code for the id token, and returns its person. A permanent
// error refuses the login.
func (m *Method) redeem(ctx context.Context, code string, f flow) (p login.Person, err error) {
	i, err := m.discovered(ctx)
	if err != nil {
		return p, err
	}
	ctx = oidc.ClientContext(ctx, m.client)
	token, err := i.oauth.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return p, exchangeError(err)
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := i.verifier.Verify(ctx, raw)
	switch {
	case err != nil:
		return p, tokenError(err)
	case subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(f.Nonce)) != 1:
		return p, refusal("the id token is of another login")
	}
	return m.person(verified)
}

// exchangeError returns an error without the answer of the token endpoint.
func exchangeError(err error) error {
	var answer *oauth2.RetrieveError
	switch {
	case !errors.As(err, &answer):
		return failure.At("redeem a code", unanswered(err))
	case slices.Contains([]string{"invalid_client", "unauthorized_client"}, answer.ErrorCode):
		return failure.At("redeem a code", &failure.Error{Kind: failure.Transient, Refused: true,
			Sentence: "the issuer refuses the client: its id or its secret is wrong"})
	case answer.Response != nil && answer.Response.StatusCode < 500 && answer.Response.StatusCode != http.StatusTooManyRequests:
		return refusal("the issuer refused the code")
	default:
		return failure.At("redeem a code", unanswered(err))
	}
}

// tokenError returns an error without parts of the token. The library gives the reason
// why it could not read the keys as a text: to log in again is the remedy for that, too.
func tokenError(err error) error {
	var expired *oidc.TokenExpiredError
	if errors.As(err, &expired) {
		return refusal("the id token has expired")
	}
	return refusal("the id token is not valid: its signature, issuer, audience or time; or its keys cannot be read")
}

func refusal(sentence string) error {
	return &failure.Error{Kind: failure.Permanent, Sentence: sentence}
}
