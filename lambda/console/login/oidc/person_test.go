package oidc

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

const tenant = "6f1c2b1e-0a52-4d8e-9d2f-3f0f6f2f8a11"

func TestRolesFromGroups(t *testing.T) {
	t.Parallel()
	one := uuid.MustParse(tenant)
	for claim, want := range map[string]map[uuid.UUID]login.Role{
		`["matchbook-viewer"]`:                                 {uuid.Nil: login.Viewer},
		`["staff","matchbook-operator"]`:                       {uuid.Nil: login.Operator},
		`["matchbook-viewer:` + tenant + `"]`:                  {one: login.Viewer},
		`["matchbook-operator:` + tenant + `"]`:                {one: login.Operator},
		`"matchbook-viewer"`:                                   {uuid.Nil: login.Viewer},
		`["matchbook-operator","matchbook-viewer"]`:            {uuid.Nil: login.Operator},
		`["matchbook-viewer","matchbook-operator"]`:            {uuid.Nil: login.Operator},
		`[1,null,{"a":2},"matchbook-viewer"]`:                  {uuid.Nil: login.Viewer},
		`["matchbook-viewer:` + strings.ToUpper(tenant) + `"]`: {one: login.Viewer},
	} {
		if got := roles(groups(json.RawMessage(claim))); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", claim, got, want)
		}
	}
	for _, claim := range []string{``, `null`, `{}`, `7`, `[]`, `["viewer"]`, `["operator"]`, `["Matchbook-viewer"]`,
		`["matchbook-admin"]`, `["matchbook-viewer "]`, `["matchbook-viewers"]`, `["matchbook-viewer:"]`, `["matchbook-none"]`,
		`["matchbook-viewer:*"]`, `["matchbook-operator:00000000-0000-0000-0000-000000000000"]`,
		`["matchbook-operator:{` + tenant + `}"]`, `["matchbook-operator:` + tenant + `:x"]`,
		`["x-matchbook-operator"]`, `["viewer:` + tenant + `"]`, `"matchbook-viewer matchbook-operator"`, `["matchbook-"]`} {
		if got := roles(groups(json.RawMessage(claim))); len(got) != 0 {
			t.Errorf("%s: got %v", claim, got)
		}
	}
}

func TestPersonWithoutGroup(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.issuer.change(func() { s.issuer.claims["cognito:groups"] = []string{"staff"} })
	status, _, body := s.get(s.browser, s.approved("/"))
	if status != 403 || !strings.Contains(body, "You have no role") || !strings.Contains(body, "ada@example.com") {
		t.Errorf("got %d %s", status, body)
	}
	if status, _, _ := s.get(s.browser, "/"); status != 401 {
		t.Errorf("the console answers %d", status)
	}
}

func TestGroupsClaimSetting(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *Config) { c.Claim = "https://example.com/groups" })
	s.issuer.change(func() { s.issuer.claims["https://example.com/groups"] = "matchbook-viewer:" + tenant })
	s.get(s.browser, s.approved("/"))
	want := "/ for ada@example.com (ada-1), none of [" + tenant + "], all false"
	if _, _, body := s.get(s.browser, "/"); body != want {
		t.Errorf("got %q, want %q", body, want)
	}
}

func TestNameNeedsVerifiedEmail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"email":"a@b.c","email_verified":true,"name":"Ada"}`:              "a@b.c",
		`{"email":"a@b.c","email_verified":"true"}`:                         "a@b.c",
		`{"email":"a@b.c","email_verified":false,"name":"Ada"}`:             "Ada",
		`{"email":"a@b.c","name":"Ada","preferred_username":"ada"}`:         "ada",
		`{"email":"a@b.c","cognito:username":"ada-2"}`:                      "ada-2",
		`{"name":"\u202e\u0000 \n","cognito:username":"A\u202edm\u0007in"}`: "Admin",
		`{}`: "subject",
	} {
		var c claims
		must.OK(t, json.Unmarshal([]byte(text), &c))
		if got := clean(c.name("subject")); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if got := clean(strings.Repeat("ä", 300)); len([]rune(got)) != 200 {
		t.Errorf("got %d characters", len([]rune(got)))
	}
}
