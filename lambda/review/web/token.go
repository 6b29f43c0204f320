package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	// TokenLife is the life of a review's token.
	TokenLife = 12 * time.Hour
	// LongestLife bounds the life of a tenant's token, because a token can't be revoked except
	// by replacing the secret.
	LongestLife = 90 * 24 * time.Hour
	minSecret   = 32 // bytes, the size of HMAC-SHA256
	maxToken    = 256
	allJobs     = "tenant" // instead of a job
)

// Tokens makes and checks the signed tokens authorising requests. A token is
// TENANT.JOB.EXPIRY.SIGNATURE and is good for one review. With the word tenant as its job it's
// good for starting reviews and for every review of the tenant.
type Tokens struct {
	keys [][]byte // the first signs
	now  func() time.Time
}

// NewTokens returns the Tokens for the value of REVIEW_TOKEN_SECRET: one secret, or several
// separated by commas. The first one signs and all are accepted, so that you can replace a
// secret while tokens signed by the old one are in use.
func NewTokens(secrets string) (*Tokens, error) {
	t := &Tokens{now: time.Now}
	for i, secret := range strings.Split(secrets, ",") {
		secret = strings.TrimSpace(secret)
		if len(secret) < minSecret {
			return nil, fmt.Errorf("secret %d too short: %d bytes, at least %d random ones expected; make one with "+
				"openssl rand -hex 32", i+1, len(secret), minSecret)
		}
		t.keys = append(t.keys, []byte(secret))
	}
	return t, nil
}

// ForJob returns a token for a review, valid for TokenLife.
func (t *Tokens) ForJob(tenant, job uuid.UUID) string {
	return t.issue(tenant.String(), job.String(), TokenLife)
}

// ForTenant returns a token for starting reviews and for all reviews of a tenant. life must
// not exceed LongestLife.
func (t *Tokens) ForTenant(tenant uuid.UUID, life time.Duration) string {
	return t.issue(tenant.String(), allJobs, life)
}

func (t *Tokens) issue(tenant, job string, life time.Duration) string {
	claim := tenant + "." + job + "." + strconv.FormatInt(t.now().Add(life).Unix(), 10)
	return claim + "." + base64.RawURLEncoding.EncodeToString(sign(t.keys[0], claim))
}

// sign prefixes the claim, because the secret may sign other things elsewhere.
func sign(key []byte, claim string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("matchbook review token\n" + claim))
	return mac.Sum(nil)
}

// Tenant returns the tenant of a request's token. It returns an error for a review's token.
func (t *Tokens) Tenant(r *http.Request) (uuid.UUID, error) {
	granted, err := t.of(r)
	if err == nil && granted.job != uuid.Nil {
		err = errToken
	}
	return granted.tenant, err
}

type grant struct {
	tenant uuid.UUID
	job    uuid.UUID // uuid.Nil: every review of the tenant
}

// allows reports whether the token covers this review. The caller must also check that the
// review belongs to the tenant.
func (g grant) allows(job uuid.UUID) bool { return g.job == uuid.Nil || g.job == job }

var errToken = errors.New("invalid token")

// read checks a token. It verifies the signature first, in constant time.
func (t *Tokens) read(token string) (g grant, err error) {
	cut := strings.LastIndexByte(token, '.')
	if cut < 0 || len(token) > maxToken {
		return g, errToken
	}
	claim := token[:cut]
	signature, err := base64.RawURLEncoding.Strict().DecodeString(token[cut+1:])
	if err != nil || !t.signed(claim, signature) {
		return g, errToken
	}
	parts := strings.Split(claim, ".")
	if len(parts) != 3 {
		return g, errToken
	}
	expiry, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || t.now().Unix() >= expiry {
		return g, errToken
	}
	if parts[1] != allJobs {
		if g.job, err = uuid.Parse(parts[1]); err != nil || g.job == uuid.Nil {
			return grant{}, errToken
		}
	}
	g.tenant, err = uuid.Parse(parts[0])
	return g, err
}

func (t *Tokens) signed(claim string, signature []byte) bool {
	ok := false
	for _, key := range t.keys {
		ok = hmac.Equal(sign(key, claim), signature) || ok
	}
	return ok
}

// of returns a request's grant from its Authorization header or, because EventSource and links
// can't send one, from its parameter.
func (t *Tokens) of(r *http.Request) (grant, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return grant{}, errToken
		}
		return t.read(strings.TrimSpace(token))
	}
	return t.read(r.URL.Query().Get("token"))
}
