package offerrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// maxFile bounds a file of users, in bytes.
const maxFile = 64 << 20

// folder is the users of a folder, and its malformed parts.
type folder struct {
	users    []offer.User
	problems []corpus.Problem
	seen     map[uuid.UUID]place // where an id was first read
}

type place struct {
	file string
	line int
}

// readFolder reads every .json and .jsonl file below path, or path itself, in the
// order of the names. Malformed users and files that cannot be read become
// problems; the rest goes on.
func readFolder(path string) (*folder, error) {
	f := &folder{seen: map[uuid.UUID]place{}}
	var files []string
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && file == path:
			return err
		case err != nil: // a folder without permission
			f.refuse(file, 0, "cannot be read: %s", reason(err))
		case !entry.IsDir() && slices.Contains([]string{".json", ".jsonl"}, strings.ToLower(filepath.Ext(file))):
			files = append(files, file)
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case len(files) == 0:
		return nil, fmt.Errorf("%s holds no .json or .jsonl file", path)
	}
	for _, file := range files {
		if err := f.readFile(file); err != nil {
			f.refuse(file, 0, "cannot be read: %s", reason(err))
		}
	}
	return f, nil
}

// reason is the text of an error without the name of the file.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

func (f *folder) refuse(file string, line int, format string, args ...any) {
	f.problems = append(f.problems, corpus.Problem{File: file, Line: line, What: fmt.Sprintf(format, args...)})
}

// refuseUser takes a user out who was read, and that the database refuses.
func (f *folder) refuseUser(id uuid.UUID, what string) {
	at := f.seen[id]
	f.refuse(at.file, at.line, "%s", what)
	f.users = slices.DeleteFunc(f.users, func(u offer.User) bool { return u.ID == id })
}

func (f *folder) readFile(file string) error {
	info, err := os.Stat(file) // before it is opened: a pipe would wait for a writer
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() > maxFile:
		return fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.ToLower(filepath.Ext(file)) == ".jsonl" {
		line := 0
		for text := range bytes.Lines(raw) {
			if line++; len(bytes.TrimSpace(text)) > 0 {
				f.add(file, line, text)
			}
		}
		return nil
	}
	f.readWhole(file, raw)
	return nil
}

// readWhole reads a file that holds one user or an array of them.
func (f *folder) readWhole(file string, raw []byte) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		f.add(file, 1, raw)
		return
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token() // the bracket, seen above
	for d.More() {
		var one json.RawMessage
		err := d.Decode(&one)
		line := 1 + bytes.Count(raw[:d.InputOffset()-int64(len(one))], []byte("\n"))
		if err != nil {
			f.refuse(file, line, "%s", notJSON)
			return
		}
		f.add(file, line, one)
	}
	if _, err := d.Token(); err != nil {
		f.refuse(file, 0, "the array has no end")
	}
}

const notJSON = "it is not JSON"

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
		f.refuse(file, line, "%s", err)
		return
	}
	if first, ok := f.seen[u.ID]; ok {
		f.refuse(file, line, "the same id as in %s:%d, which is taken", first.file, first.line)
		return
	}
	f.seen[u.ID] = place{file, line}
	f.users = append(f.users, u)
}

// readUser reads what the table requires of a user. The content of profile and
// preferences is the matter of the roster: a user whose profile cannot be read is a
// job that fails, with its reason.
func readUser(raw []byte) (u offer.User, err error) {
	if !json.Valid(raw) {
		return u, errors.New(notJSON)
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		var field *json.UnmarshalTypeError
		if errors.As(err, &field) && field.Field != "" {
			return u, fmt.Errorf("%s: it is a JSON %s", field.Field, field.Value)
		}
		return u, errors.New("it is no user: an object with id, tenant_id, timezone, profile, preferences")
	}
	id, idErr := document.ParseID(r.ID)
	tenant, tenantErr := document.ParseID(r.TenantID)
	_, zoneErr := day.Zone(r.Timezone)
	switch {
	case idErr != nil:
		return u, fmt.Errorf("id: %.50q is %w", r.ID, idErr)
	case tenantErr != nil:
		return u, fmt.Errorf("tenant_id: %.50q is %w", r.TenantID, tenantErr)
	case zoneErr != nil:
		return u, fmt.Errorf("timezone: %w", zoneErr)
	case !object(r.Profile):
		return u, errors.New("profile: it is no object")
	case !object(r.Preferences):
		return u, errors.New("preferences: it is no object")
	}
	return offer.User{ID: id, Tenant: tenant, Zone: r.Timezone, Active: r.Active == nil || *r.Active, ActiveAt: r.ActiveAt,
		Profile: r.Profile, Preferences: r.Preferences}, nil
}

// object reports whether a value is an object, or is left out.
func object(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == '{'
}
