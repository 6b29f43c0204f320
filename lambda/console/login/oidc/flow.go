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

// flow is a started login. Its cookie needs no signature, because a changed one harms only its
// own browser's login, and its name (__Host-) keeps other hosts from setting it.
type flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // PKCE code verifier
	Return   string `json:"r"`
}

const (
	flowCookie = "-login"
	flowLife   = 10 * time.Minute
)

func (f flow) encode() string {
	text, _ := json.Marshal(f) // strings always marshal
	return base64.RawURLEncoding.EncodeToString(text)
}

// decode reads a flow's cookie. ok is false for anything else.
func decode(cookie string) (f flow, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil || json.Unmarshal(text, &f) != nil {
		return flow{}, false
	}
	return f, f.State != "" && f.Nonce != "" && f.Verifier != ""
}

// Routes adds the package's two paths.
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

// finish admits the person confirmed by the issuer, if the same browser started the login.
func (m *Method) finish(w http.ResponseWriter, r *http.Request, g *login.Gate) {
	f, ok := m.take(w, r, g)
	q := r.URL.Query()
	switch {
	case !ok || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(f.State)) != 1:
		g.Show(w, http.StatusBadRequest, again("It was started in another browser or tab, or over ten minutes ago."))
		return
	case q.Get("error") != "" || q.Get("code") == "":
		g.Show(w, http.StatusForbidden, again("Your login provider refused it."))
		return
	case q.Has("iss") && q.Get("iss") != m.config.Issuer: // RFC 9207
		g.Show(w, http.StatusForbidden, again("The answer came from another login provider."))
		return
	}
	p, err := m.redeem(r.Context(), q.Get("code"), f)
	var refused *failure.Error
	switch {
	case errors.As(err, &refused) && refused.Kind == failure.Permanent:
		g.Log.Warn("login refused", "reason", refused.Sentence)
		g.Show(w, http.StatusForbidden, again("Your login provider gave an invalid answer."))
	case err != nil:
		g.Fail(w, r, "finish a login", err)
	default:
		g.Admit(w, r, p, f.Return)
	}
}

func again(reason string) login.Page {
	return login.Page{Title: "Login not accepted", Text: []string{reason}, Link: "/", Label: "Log in again"}
}

// take returns the login started by the browser, and removes its cookie.
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

// redeem exchanges the code for the id token's person. A permanent error refuses the login.
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
		return p, refusal("id token belongs to another login")
	}
	return m.person(verified)
}

// exchangeError returns an error without the token endpoint's answer.
func exchangeError(err error) error {
	var answer *oauth2.RetrieveError
	switch {
	case !errors.As(err, &answer):
		return failure.At("redeem a code", unanswered(err))
	case slices.Contains([]string{"invalid_client", "unauthorized_client"}, answer.ErrorCode):
		return failure.At("redeem a code", &failure.Error{Kind: failure.Transient, Refused: true,
			Sentence: "issuer rejected the client: invalid client id or secret"})
	case answer.Response != nil && answer.Response.StatusCode < 500 && answer.Response.StatusCode != http.StatusTooManyRequests:
		return refusal("issuer rejected the code")
	default:
		return failure.At("redeem a code", unanswered(err))
	}
}

// tokenError returns an error without parts of the token. The library reports unreadable keys
// only as text, so they count as a refusal; the remedy is the same: log in again.
func tokenError(err error) error {
	var expired *oidc.TokenExpiredError
	if errors.As(err, &expired) {
		return refusal("id token expired")
	}
	return refusal("invalid id token: wrong signature, issuer, audience or time, or unreadable keys")
}

func refusal(sentence string) error {
	return &failure.Error{Kind: failure.Permanent, Sentence: sentence}
}
