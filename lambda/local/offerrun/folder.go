package offerrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// folder has the users of a folder, and its malformed parts.
type folder struct {
	users    []offer.User
	problems []corpus.Problem
	seen     map[uuid.UUID]place // first place of each id
}

type place struct {
	file string
	line int
}

// readFolder reads path, or every .json, .jsonl and .ndjson file below it, in name order.
// Malformed users and unreadable files become problems, and the rest is still read.
func readFolder(path string) (*folder, error) {
	f := &folder{seen: map[uuid.UUID]place{}}
	n, err := corpus.Values{Add: f.add, Refuse: f.refuse, Skip: func(string) {}}.Read(path)
	if err == nil && n == 0 {
		err = fmt.Errorf("missing files in %s: expected .json or .jsonl", path)
	}
	return f, err
}

func (f *folder) refuse(file string, line int, what string) {
	f.problems = append(f.problems, corpus.Problem{File: file, Line: line, What: what})
}

// refuseUser removes a user refused by the database.
func (f *folder) refuseUser(id uuid.UUID, what string) {
	at := f.seen[id]
	f.refuse(at.file, at.line, what)
	f.users = slices.DeleteFunc(f.users, func(u offer.User) bool { return u.ID == id })
}

// record is a user in a file.
type record struct {
	ID          string          `json:"id"`
	TenantID    string          `json:"tenant_id"`
	Timezone    string          `json:"timezone"`
	Active      *bool           `json:"active"` // default true
	ActiveAt    *time.Time      `json:"active_at"`
	Profile     json.RawMessage `json:"profile"`
	Preferences json.RawMessage `json:"preferences"`
}

func (f *folder) add(file string, line int, raw []byte) {
	u, err := readUser(raw)
	if err != nil {
		f.refuse(file, line, err.Error())
		return
	}
	if first, ok := f.seen[u.ID]; ok {
		f.refuse(file, line, fmt.Sprintf("duplicate id, first used in %s:%d", first.file, first.line))
		return
	}
	f.seen[u.ID] = place{file, line}
	f.users = append(f.users, u)
}

// readUser reads the fields required by the table. It leaves profile and preferences to the
// roster, because a user with an unreadable profile must become a failed job with its reason.
func readUser(raw []byte) (u offer.User, err error) {
	if !json.Valid(raw) {
		return u, errors.New("invalid JSON")
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		var field *json.UnmarshalTypeError
		if errors.As(err, &field) && field.Field != "" {
			return u, fmt.Errorf("%s: unexpected JSON %s", field.Field, field.Value)
		}
		return u, errors.New("expected an object with id, tenant_id, timezone, profile, preferences")
	}
	id, idErr := document.ParseID(r.ID)
	tenant, tenantErr := document.ParseID(r.TenantID)
	_, zoneErr := day.Zone(r.Timezone)
	switch {
	case idErr != nil:
		return u, fmt.Errorf("id: invalid value %.50q: %w", r.ID, idErr)
	case tenantErr != nil:
		return u, fmt.Errorf("tenant_id: invalid value %.50q: %w", r.TenantID, tenantErr)
	case zoneErr != nil:
		return u, fmt.Errorf("timezone: %w", zoneErr)
	case !object(r.Profile):
		return u, errors.New("profile: expected an object")
	case !object(r.Preferences):
		return u, errors.New("preferences: expected a JSON object")
	}
	return offer.User{ID: id, Tenant: tenant, Zone: r.Timezone, Active: r.Active == nil || *r.Active, ActiveAt: r.ActiveAt,
		Profile: r.Profile, Preferences: r.Preferences}, nil
}

// object reports whether a value is an object or missing.
func object(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == '{'
}
