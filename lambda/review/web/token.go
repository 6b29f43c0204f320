package web

import (
	"context"
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
	// LongestLife bounds the life of a tenant's token.
	LongestLife = 90 * 24 * time.Hour
	slack       = 5 * time.Minute // between the clocks of issuer and reader
	minSecret   = 32              // bytes, the size of HMAC-SHA256
	maxToken    = 256
	allJobs     = "tenant" // instead of a job
)

// Tokens makes and checks the signed tokens authorising requests. A token is
// TENANT.JOB.EXPIRY.ISSUED.SIGNATURE and is good for one review. With the word tenant as its job
// it's good for starting reviews and for every review of the tenant. Earlier versions left out
// ISSUED; such a token counts as issued as early as it can have been.
type Tokens struct {
	// Since returns the time of the last withdrawal of a tenant's tokens, zero if there was none.
	// With nil, none can be withdrawn.
	Since func(ctx context.Context, tenant uuid.UUID) (time.Time, error)

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
	now := t.now()
	claim := fmt.Sprintf("%s.%s.%d.%d", tenant, job, now.Add(life).Unix(), now.Unix())
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
	issued time.Time
}

// allows reports whether the token covers this review. The caller must also check that the
// review belongs to the tenant.
func (g grant) allows(job uuid.UUID) bool { return g.job == uuid.Nil || g.job == job }

var errToken = errors.New("invalid token")

// read checks a token, but not whether it was withdrawn. It verifies the signature first, in
// constant time.
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
	if len(parts) != 3 && len(parts) != 4 {
		return g, errToken
	}
	longest := LongestLife
	if parts[1] != allJobs {
		longest = TokenLife
		if g.job, err = uuid.Parse(parts[1]); err != nil || g.job == uuid.Nil {
			return grant{}, errToken
		}
	}
	if g.tenant, err = uuid.Parse(parts[0]); err != nil {
		return grant{}, errToken
	}
	if g.issued, err = t.period(parts[2:], longest); err != nil {
		return grant{}, err
	}
	return g, nil
}

// period returns when a token was issued. It refuses one that has expired, or that would live
// longer than it may, whoever signed it.
func (t *Tokens) period(times []string, longest time.Duration) (issued time.Time, err error) {
	unix, err := strconv.ParseInt(times[0], 10, 64)
	now, expiry := t.now(), time.Unix(unix, 0)
	if err != nil || !now.Before(expiry) || expiry.After(now.Add(longest+slack)) {
		return issued, errToken
	}
	if len(times) == 1 {
		return expiry.Add(-longest), nil
	}
	if unix, err = strconv.ParseInt(times[1], 10, 64); err != nil {
		return issued, errToken
	}
	return time.Unix(unix, 0), nil
}

func (t *Tokens) signed(claim string, signature []byte) bool {
	ok := false
	for _, key := range t.keys {
		ok = hmac.Equal(sign(key, claim), signature) || ok
	}
	return ok
}

// of returns a request's grant, unless it was withdrawn. An error other than errToken means that
// this is unknown.
func (t *Tokens) of(r *http.Request) (grant, error) {
	g, err := t.carried(r)
	if err != nil || t.Since == nil {
		return g, err
	}
	since, err := t.Since(r.Context(), g.tenant)
	if err == nil && !g.issued.After(since) {
		err = errToken
	}
	if err != nil {
		return grant{}, err
	}
	return g, nil
}

// carried returns the grant in a request's Authorization header or, because EventSource and links
// can't send one, in its parameter. A tenant's token is refused there, because addresses stay in
// histories and logs.
func (t *Tokens) carried(r *http.Request) (grant, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return grant{}, errToken
		}
		return t.read(strings.TrimSpace(token))
	}
	g, err := t.read(r.URL.Query().Get("token"))
	if err == nil && g.job == uuid.Nil {
		return grant{}, errToken
	}
	return g, err
}
