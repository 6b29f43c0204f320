package web

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

const (
	secretA = "0123456789abcdef0123456789abcdef"
	secretB = "fedcba9876543210fedcba9876543210"
)

var (
	tenantA = uuid.MustParse("10000000-0000-4000-8000-00000000000a")
	tenantB = uuid.MustParse("10000000-0000-4000-8000-00000000000b")
	jobA    = uuid.MustParse("20000000-0000-4000-8000-00000000000a")
	jobB    = uuid.MustParse("20000000-0000-4000-8000-00000000000b")
)

// tokensAt returns tokens whose clock stands still.
func tokensAt(t *testing.T, secrets string, at time.Time) *Tokens {
	t.Helper()
	tokens := must.Get(NewTokens(secrets))(t)
	tokens.now = func() time.Time { return at }
	return tokens
}

func TestTokenScopeAndExpiry(t *testing.T) {
	t.Parallel()
	issued := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	token := tokensAt(t, secretA, issued).ForJob(tenantA, jobA)
	for name, tc := range map[string]struct {
		after time.Duration
		valid bool
	}{
		"at once":             {0, true},
		"a second before":     {12*time.Hour - time.Second, true},
		"at the end":          {12 * time.Hour, false},
		"a day later":         {24 * time.Hour, false},
		"on a clock that lag": {-time.Minute, true},
	} {
		got, err := tokensAt(t, secretA, issued.Add(tc.after)).read(token)
		if want := (grant{tenantA, jobA, time.Unix(issued.Unix(), 0)}); (err == nil) != tc.valid || tc.valid && got != want {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// Whatever is changed in a token, and whoever signed it otherwise, it is refused.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	tokens := tokensAt(t, secretA, now)
	good := tokens.ForJob(tenantA, jobA)
	claim, signature, _ := strings.Cut(good, ".17") // of the expiry, 1772...
	signed := func(claim string) string {
		return claim + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(secretA), claim))
	}
	for name, token := range map[string]string{
		"empty":              "",
		"no dots":            "token",
		"other secret":       tokensAt(t, secretB, now).ForJob(tenantA, jobA),
		"other tenant":       strings.Replace(good, tenantA.String(), tenantB.String(), 1),
		"other review":       strings.Replace(good, jobA.String(), jobB.String(), 1),
		"all reviews":        strings.Replace(good, jobA.String(), "tenant", 1),
		"later expiry":       claim + ".18" + signature,
		"no signature":       good[:strings.LastIndexByte(good, '.')+1],
		"padded signature":   good + "=",
		"cut signature":      good[:len(good)-1],
		"a trailing part":    good + ".x",
		"too long":           good + strings.Repeat("A", 300),
		"signed, no parts":   signed("tenant"),
		"signed, no expiry":  signed(tenantA.String() + "." + jobA.String() + ".soon"),
		"signed, no review":  signed(tenantA.String() + ".x.99999999999"),
		"signed, nil review": signed(tenantA.String() + "." + uuid.Nil.String() + ".99999999999"),
		"signed, no tenant":  signed("x." + jobA.String() + ".99999999999"),
		"signed, too long":   signed(fmt.Sprintf("%s.%s.%d.%d", tenantA, jobA, now.Add(13*time.Hour).Unix(), now.Unix())),
		"signed, a year":     signed(fmt.Sprintf("%s.tenant.%d.%d", tenantA, now.Add(365*24*time.Hour).Unix(), now.Unix())),
		"signed, no issue":   signed(fmt.Sprintf("%s.%s.%d.x", tenantA, jobA, now.Add(time.Hour).Unix())),
	} {
		if got, err := tokens.read(token); err == nil {
			t.Errorf("%s: %q is accepted as %v", name, token, got)
		}
	}
	if _, err := tokens.read(good); err != nil {
		t.Errorf("the good one is refused: %v", err)
	}
}

func TestSecretRotation(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	old, both, later := tokensAt(t, secretA, now), tokensAt(t, secretB+","+secretA, now), tokensAt(t, secretB, now)
	if _, err := both.read(old.ForJob(tenantA, jobA)); err != nil {
		t.Error("a token of the old secret is refused during the rotation")
	}
	if _, err := both.read(later.ForJob(tenantA, jobA)); err != nil {
		t.Error("a token of the new secret is refused during the rotation")
	}
	if _, err := later.read(old.ForJob(tenantA, jobA)); err == nil {
		t.Error("a token of the old secret is accepted after the rotation")
	}
	if _, err := later.read(both.ForTenant(tenantA, time.Hour)); err != nil {
		t.Error("the first secret does not sign")
	}
}

func TestShortSecretIsNotShown(t *testing.T) {
	t.Parallel()
	for secrets, want := range map[string]string{
		"":                        "secret 1 too short: 0 bytes",
		"PLANTED":                 "secret 1 too short: 7 bytes",
		secretA + ",":             "secret 2 too short: 0 bytes",
		secretA + ", PLANTED-2":   "secret 2 too short: 9 bytes",
		secretA[:31]:              "secret 1 too short: 31 bytes",
		secretA + "," + secretB:   "",
		" " + secretA + " ":       "",
		strings.Repeat("é", 16):   "",
		strings.Repeat(" ", 1000): "secret 1 too short: 0 bytes",
	} {
		_, err := NewTokens(secrets)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", secrets, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PLANTED")):
			t.Errorf("%q: got %v, want %q", secrets, err, want)
		}
	}
}

func TestHeaderTokenFirst(t *testing.T) {
	t.Parallel()
	tokens := tokensAt(t, secretA, time.Now())
	good, other, all := tokens.ForJob(tenantA, jobA), tokens.ForJob(tenantB, jobB), tokens.ForTenant(tenantA, time.Hour)
	for name, tc := range map[string]struct {
		header, parameter string
		want              grant
		refused           bool
	}{
		"header":                  {"Bearer " + good, "", grant{tenant: tenantA, job: jobA}, false},
		"scheme in other letters": {"bearer " + good, "", grant{tenant: tenantA, job: jobA}, false},
		"parameter":               {"", other, grant{tenant: tenantB, job: jobB}, false},
		"both":                    {"Bearer " + good, other, grant{tenant: tenantA, job: jobA}, false},
		"tenant's, header":        {"Bearer " + all, "", grant{tenant: tenantA}, false},
		"tenant's, parameter":     {"", all, grant{}, true},
		"bad header, good other":  {"Bearer x", good, grant{}, true},
		"other scheme":            {"Basic " + good, good, grant{}, true},
		"none":                    {"", "", grant{}, true},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/reviews/x?token="+tc.parameter, nil)
		if tc.header != "" {
			r.Header.Set("Authorization", tc.header)
		}
		got, err := tokens.of(r)
		got.issued = time.Time{}
		if (err != nil) != tc.refused || got != tc.want {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// Withdrawn are the tokens from before, also of an earlier version.
func TestTokensWithdrawn(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	earlier, later := tokensAt(t, secretA, now.Add(-time.Minute)), tokensAt(t, secretA, now.Add(time.Minute))
	claim := fmt.Sprintf("%s.%s.%d", tenantA, jobA, now.Add(11*time.Hour).Unix())
	old := claim + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(secretA), claim))
	errAway := errors.New("away")
	for name, tc := range map[string]struct {
		token   string
		since   time.Time
		failed  error
		refused bool
	}{
		"never withdrawn":          {earlier.ForJob(tenantA, jobA), time.Time{}, nil, false},
		"earlier version":          {old, time.Time{}, nil, false},
		"withdrawn":                {earlier.ForJob(tenantA, jobA), now, nil, true},
		"all of the tenant":        {earlier.ForTenant(tenantA, time.Hour), now, nil, true},
		"earlier version, since":   {old, now, nil, true},
		"issued after that":        {later.ForJob(tenantA, jobA), now, nil, false},
		"unknown whether it is so": {later.ForJob(tenantA, jobA), time.Time{}, errAway, true},
	} {
		tokens := tokensAt(t, secretA, now.Add(2*time.Minute))
		tokens.Since = func(_ context.Context, tenant uuid.UUID) (time.Time, error) {
			if tenant != tenantA {
				t.Errorf("asked about %s", tenant)
			}
			return tc.since, tc.failed
		}
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/reviews/x", nil)
		r.Header.Set("Authorization", "Bearer "+tc.token)
		if _, err := tokens.of(r); (err != nil) != tc.refused || tc.failed != nil && !errors.Is(err, errAway) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTenantOfToken(t *testing.T) {
	t.Parallel()
	tokens, err := NewTokens(strings.Repeat("k", minSecret))
	if err != nil {
		t.Fatal(err)
	}
	tenant := uuid.New()
	for token, ok := range map[string]bool{
		tokens.ForTenant(tenant, time.Hour): true, tokens.ForTenant(tenant, -time.Hour): false, tokens.ForJob(tenant, uuid.New()): false, "": false,
	} {
		r := httptest.NewRequest(http.MethodPost, "/offers/feedback", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if got, err := tokens.Tenant(r); (err == nil) != ok || ok && got != tenant {
			t.Errorf("%s: tenant %s, %v", token, got, err)
		}
	}
}
