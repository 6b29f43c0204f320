// Package login lets people into the console: it knows who asks, what they may do,
// and until when.
//
// Handler puts a Gate before the console. A request without a session gets a page
// from which one logs in, by the Method of the gate: a link that works once (Local),
// for `matchbook console`, or OpenID Connect (package oidc), for the deployed
// console. A request with a session reaches the console, which reads the person from
// its context (From).
//
//	GET  /login...     of the method
//	GET  /login.css    the style of the pages of this package
//	POST /logout       ends the session
//
// # Sessions
//
// A session is a row of a Store; a cookie has its random id, and the store only that
// id's hash. A signed cookie without a row would do without a store, but a copy of it
// outlives the logout and the loss of a role, and its key has to be kept and
// replaced. A session ends by the logout, when it was not used for Config.Idle, and
// Config.Life after the login at the latest. Roles are read at the login: a role that
// is withdrawn ends with the session.
//
// The cookie of an https console is bound to its host (__Host-), HttpOnly, and
// SameSite=Lax: a link in a notification leads to the document, and not to a second
// login. The one on this machine is SameSite=Strict, and has the port in its name,
// since cookies of 127.0.0.1 are sent to each port.
package login

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// Role is a person's right to the documents of a tenant. A larger one includes the
// smaller ones.
type Role int

// The roles.
const (
	None     Role = iota
	Viewer        // reads
	Operator      // reads, decides, and publishes again
)

var names = []string{None: "none", Viewer: "viewer", Operator: "operator"}

// String returns the role's name.
func (r Role) String() string { return names[r] }

// MarshalText returns the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(names[r]), nil }

// UnmarshalText reads a role's name.
func (r *Role) UnmarshalText(text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return errors.New("not viewer or operator")
	}
	*r = Role(i)
	return nil
}

// Person is a person who is logged in.
type Person struct {
	ID    string // of the issuer, never used again for another person
	Name  string // for people, such as the mail address
	Roles map[uuid.UUID]Role
}

// Role returns the person's role for a tenant: the larger one of the tenant's and of
// all tenants', which has the key uuid.Nil.
func (p Person) Role(tenant uuid.UUID) Role { return max(p.Roles[tenant], p.Roles[uuid.Nil]) }

// Tenants returns the tenants for which the person has a role, in order. all: for
// every tenant, also those that are not in ids.
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
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids, all
}

type key struct{}

// With returns a context of a request of the person.
func With(ctx context.Context, p Person) context.Context { return context.WithValue(ctx, key{}, p) }

// From returns the person of a request; false outside of a Gate.
func From(ctx context.Context) (Person, bool) {
	p, ok := ctx.Value(key{}).(Person)
	return p, ok
}
