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

// claims are those of an id token that make a person.
type claims struct {
	Party             string `json:"azp"`
	Email             string `json:"email"`
	Verified          any    `json:"email_verified"` // some issuers write it as a string
	PreferredUsername string `json:"preferred_username"`
	Name              string `json:"name"`
	Username          string `json:"cognito:username"`
}

// person returns the person of an id token that was verified.
func (m *Method) person(t *oidc.IDToken) (p login.Person, err error) {
	var c claims
	var all map[string]json.RawMessage
	if t.Claims(&c) != nil || t.Claims(&all) != nil || t.Subject == "" {
		return p, refusal("the id token has no person")
	}
	if len(t.Audience) > 1 && c.Party != m.config.Client || c.Party != "" && c.Party != m.config.Client {
		return p, refusal("the id token was made for another client")
	}
	return login.Person{ID: t.Subject, Name: clean(c.name(t.Subject)), Roles: roles(groups(all[m.config.Claim]))}, nil
}

// name returns a name for people. An address counts only if the issuer has verified
// it: a person could enter that of another one.
func (c claims) name(subject string) string {
	email := c.Email
	if c.Verified != true && c.Verified != "true" {
		email = ""
	}
	names := []string{email, c.PreferredUsername, c.Name, c.Username, subject}
	return names[slices.IndexFunc(names, func(s string) bool { return clean(s) != "" || s == subject })]
}

// clean drops what is not printed, such as marks that turn the direction of text.
func clean(name string) string {
	runes := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)))
	return string(runes[:min(len(runes), 200)])
}

// groups reads a claim: a list of strings, or one string.
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

// roles returns the roles of groups, by the grammar in the documentation of this
// package: the largest one for each tenant.
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
			ok = ok && err == nil && len(tenant) == len(id.String()) && id != uuid.Nil // Nil is for all tenants
		}
		if ok && role != login.None {
			result[id] = max(result[id], role)
		}
	}
	return result
}
