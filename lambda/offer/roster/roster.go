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
	Active      day.Date        `json:"active"` // when the user was last seen, in UTC
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
	Rows []Row
}

// Frozen is a roster as stored.
type Frozen struct {
	Key
	Digest  [32]byte // SHA-256 of the content before compression
	Users   int
	Content []byte // gzip of lines of JSON: the Key, then each Row
}
