package oidc

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/console/login"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
)

type claims struct {
	Party             string `json:"azp"`
	Email             string `json:"email"`
	Verified          any    `json:"email_verified"` // a string at some issuers
	PreferredUsername string `json:"preferred_username"`
	Name              string `json:"name"`
	Username          string `json:"cognito:username"`
}

func (m *Method) person(t *oidc.IDToken) (p login.Person, err error) {
	var c claims
	var all map[string]json.RawMessage
	if t.Claims(&c) != nil || t.Claims(&all) != nil || t.Subject == "" {
		return p, refusal("id token without a subject")
	}
	if len(t.Audience) > 1 && c.Party != m.config.Client || c.Party != "" && c.Party != m.config.Client {
		return p, refusal("id token issued for another client")
	}
	return login.Person{ID: t.Subject, Name: clean(c.name(t.Subject)), Roles: roles(groups(all[m.config.Claim]))}, nil
}

// name returns a display name. An address must be verified, otherwise people could use
// another's.
func (c claims) name(subject string) string {
	email := c.Email
	if c.Verified != true && c.Verified != "true" {
		email = ""
	}
	names := []string{email, c.PreferredUsername, c.Name, c.Username, subject}
	return names[slices.IndexFunc(names, func(s string) bool { return clean(s) != "" || s == subject })]
}

// clean drops invisible characters, such as bidi marks.
func clean(name string) string {
	runes := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)))
	return string(runes[:min(len(runes), 200)])
}

// groups parses a claim: a list of strings, or one string.
func groups(claim json.RawMessage) []string {
	var list []any
	if json.Unmarshal(claim, &list) != nil {
		var one string
		if json.Unmarshal(claim, &one) != nil {
			return nil
		}
		return []string{one}
	}
	var names []string
	for _, item := range list {
		if name, ok := item.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// roles returns the largest role for each tenant. See the package comment for the grammar.
func roles(groups []string) map[uuid.UUID]login.Role {
	result := map[uuid.UUID]login.Role{}
	for _, group := range groups {
		name, ok := strings.CutPrefix(group, "matchbook-")
		name, tenant, one := strings.Cut(name, ":")
		role := map[string]login.Role{"viewer": login.Viewer, "operator": login.Operator}[name]
		id := uuid.Nil
		if one {
			var err error
			id, err = uuid.Parse(tenant)
			ok = ok && err == nil && len(tenant) == len(id.String()) && id != uuid.Nil // Nil means all tenants
		}
		if ok && role != login.None {
			result[id] = max(result[id], role)
		}
	}
	return result
}
