// Package login controls access to the console: it identifies people, and knows their roles
// and how long their sessions last.
//
// Use Handler to put a Gate in front of the console. A request without a session gets a page
// to log in through the gate's Method: a link that works once (Local), for `matchbook
// console`, or OpenID Connect (package oidc), for the deployed console. A request with a
// session reaches the console, which must use From to get the person from its context.
//
//	GET  /login...     login pages of the Method
//	GET  /login.css    style of this package's pages
//	POST /logout       ends the session
//
// # Sessions
//
// A session is a row of a Store. The cookie holds its random id, the store only the id's hash.
// Signed cookies would need no store, but a copy of one outlives the logout and the loss of a
// role, and its key must be kept and rotated. A session ends at the logout, after Config.Idle
// without use, or at the latest Config.Life after the login. Roles are read at the login, so a
// revoked role lasts as long as the session.
//
// The cookie of an https console is bound to its host (__Host-), HttpOnly, and SameSite=Lax,
// so that a link in a notification opens the document instead of a second login. A local
// console's is SameSite=Strict and has the port in its name, since browsers send cookies of
// 127.0.0.1 to every port.
package login

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// Role is a person's right to a tenant's documents. A larger role includes the smaller ones.
type Role int

// The roles, smallest first.
const (
	None     Role = iota
	Viewer        // can read
	Operator      // can read, decide and publish again
)

var names = []string{None: "none", Viewer: "viewer", Operator: "operator"}

// String returns the role's name.
func (r Role) String() string { return names[r] }

// MarshalText returns the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(names[r]), nil }

// UnmarshalText parses a role's name.
func (r *Role) UnmarshalText(text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return errors.New("unknown role: expected viewer or operator")
	}
	*r = Role(i)
	return nil
}

// Person is a logged-in person.
type Person struct {
	ID    string // unique at the issuer, never reused
	Name  string // display name, such as the mail address
	Roles map[uuid.UUID]Role
}

// Role returns the person's role for a tenant: the larger of the tenant's and the one for all
// tenants, under the key uuid.Nil.
func (p Person) Role(tenant uuid.UUID) Role { return max(p.Roles[tenant], p.Roles[uuid.Nil]) }

// Tenants returns the tenants where the person has a role, in order; nil and all set if that is
// every tenant.
func (p Person) Tenants() (ids []uuid.UUID, all bool) {
	for id, role := range p.Roles {
		switch {
		case role == None:
		case id == uuid.Nil:
			all = true
		default:
			ids = append(ids, id)
		}
	}
	if all {
		return nil, true
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids, false
}

type key struct{}

// With returns a context with the person of a request.
func With(ctx context.Context, p Person) context.Context { return context.WithValue(ctx, key{}, p) }

// From returns the person of a request. Outside of a Gate it returns false.
func From(ctx context.Context) (Person, bool) {
	p, ok := ctx.Value(key{}).(Person)
	return p, ok
}
