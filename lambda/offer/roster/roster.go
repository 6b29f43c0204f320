// Package roster has the frozen list of a tenant's users. All match offers of a date are
// computed from it, and its digest is its name.
package roster

import (
	"encoding/json"

	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// Row is a user as stored. Other programs wrote the profile and the preferences, so use Person
// to read them strictly.
type Row struct {
	ID          uuid.UUID       `json:"id"`
	Version     int64           `json:"version"`
	Profile     json.RawMessage `json:"profile"`
	Preferences json.RawMessage `json:"preferences"`
	Active      day.Date        `json:"active"`         // when the user was last seen, in UTC
	Past        []Past          `json:"past,omitempty"` // what the user said about others, in the order of their ids
	Shown       []Shown         `json:"shown,omitempty"`
}

// Shown are the users of the roster who were offered to a user on an earlier date.
type Shown struct {
	Ago   int     `json:"ago"`   // days before the roster's date
	Users []int32 `json:"users"` // places in the roster, from 0, in the order of the ids
}

// Key identifies a roster.
type Key struct {
	Tenant    uuid.UUID `json:"tenant"`
	Date      day.Date  `json:"date"`
	Algorithm int       `json:"algorithm"` // version
}

// Roster is the content of a roster, in the order of the ids.
type Roster struct {
	Key
	Settings *Settings // nil: of a version without settings
	Rows     []Row
}

// heading is the first line of a roster.
type heading struct {
	Key
	Settings *Settings `json:"settings,omitempty"`
}

// Change has the users in which another roster of a date differs from the first one.
type Change struct {
	Key
	Zone   string   // of users who came after the first one; empty: of one job
	Digest [32]byte // of the other roster
	Rows   []Row
}

// Frozen is a roster as stored.
type Frozen struct {
	Key
	Digest  [32]byte // SHA-256 of the content before compression
	Users   int
	Content []byte // gzip of lines of JSON: the heading, then each Row
}
