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
	// TokenLife is the life of the token of a review.
	TokenLife = 12 * time.Hour
	// LongestLife is the longest life of the token of a tenant: a token cannot be
	// withdrawn, except by a new secret.
	LongestLife = 90 * 24 * time.Hour
	minSecret   = 32 // bytes, as many as HMAC-SHA256 has
	maxToken    = 256
	allJobs     = "tenant" // in the place of a job
)

// Tokens makes and checks the signed tokens that authorise requests. A token is
// TENANT.JOB.EXPIRY.SIGNATURE, for one review, or, with the word tenant in place
// of the job, for starting reviews and for every review of the tenant.
type Tokens struct {
	keys [][]byte // the first signs
	now  func() time.Time
}

// NewTokens returns the tokens of a secret: the value of REVIEW_TOKEN_SECRET. Of
// several secrets with commas between them the first one signs, and all are
// accepted, so that a secret can be replaced while tokens of the old one live.
func NewTokens(secrets string) (*Tokens, error) {
	t := &Tokens{now: time.Now}
	for i, secret := range strings.Split(secrets, ",") {
		secret = strings.TrimSpace(secret)
		if len(secret) < minSecret {
			return nil, fmt.Errorf("secret %d has %d bytes, want at least %d random ones, such as those of "+
				"openssl rand -hex 32", i+1, len(secret), minSecret)
		}
		t.keys = append(t.keys, []byte(secret))
	}
	return t, nil
}

// ForJob returns a token for a review, with the life TokenLife.
func (t *Tokens) ForJob(tenant, job uuid.UUID) string {
	return t.issue(tenant.String(), job.String(), TokenLife)
}

// ForTenant returns a token for all reviews of a tenant, and for starting them.
func (t *Tokens) ForTenant(tenant uuid.UUID, life time.Duration) string {
	return t.issue(tenant.String(), allJobs, life)
}

func (t *Tokens) issue(tenant, job string, life time.Duration) string {
	claim := tenant + "." + job + "." + strconv.FormatInt(t.now().Add(life).Unix(), 10)
	return claim + "." + base64.RawURLEncoding.EncodeToString(sign(t.keys[0], claim))
}

// sign prefixes the claim: the secret may sign other things elsewhere.
func sign(key []byte, claim string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("matchbook review token\n" + claim))
	return mac.Sum(nil)
}

// grant is the content of a valid token.
type grant struct {
	tenant uuid.UUID
	job    uuid.UUID // uuid.Nil: every review of the tenant
}

// allows reports whether the token is for this review, as far as the token shows.
// The review must be the tenant's as well.
func (g grant) allows(job uuid.UUID) bool { return g.job == uuid.Nil || g.job == job }

var errToken = errors.New("no valid token")

// read checks a token: the signature first, in constant time.
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

// of returns the grant of a request: of its header, or else of its parameter,
// which EventSource and links need.
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
