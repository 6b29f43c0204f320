package explain

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Corrections stores a person's corrections and publishes the document.
type Corrections interface {
	Correct(ctx context.Context, id uuid.UUID, by string, corrections map[string]json.RawMessage) (
		[]job.Stamped, []taught.Lesson, error)
}

// Corrected is the report of Correct.
type Corrected struct {
	Document named           `json:"document"`
	Changes  []correction    `json:"changes"`
	Lessons  []taught.Lesson `json:"lessons,omitempty"`
}

type correction struct {
	Field  string `json:"field"`
	Before string `json:"before"` // empty: no value
	Now    string `json:"now"`    // empty: removed
}

// Correct stores corrections by a person, FIELD=VALUE or FIELD= to remove the field, of the
// document with this id or number. The caller must send the messages, even if there is an error.
func (d *Reader) Correct(arg, by string, assignments []string, store Corrections) (*Corrected, []job.Stamped, error) {
	corrections, err := parseAssignments(assignments)
	if err != nil {
		return nil, nil, err
	}
	id, err := d.find(arg)
	if err != nil {
		return nil, nil, err
	}
	before, _, err := d.values(id)
	if err != nil {
		return nil, nil, err
	}
	for field := range corrections {
		if err := before.room(field); err != nil {
			return nil, nil, err
		}
	}
	stamped, lessons, err := store.Correct(d.ctx, id, by, corrections)
	if err != nil {
		return nil, nil, err
	}
	now, name, err := d.values(id)
	if err != nil {
		return nil, stamped, err
	}
	r := &Corrected{Document: name, Changes: []correction{}, Lessons: lessons}
	for _, a := range assignments {
		field, _, _ := strings.Cut(a, "=")
		r.Changes = append(r.Changes, correction{field, before.at(field), now.at(field)})
	}
	return r, stamped, nil
}

func parseAssignments(assignments []string) (map[string]json.RawMessage, error) {
	corrections := make(map[string]json.RawMessage)
	for _, a := range assignments {
		field, value, ok := strings.Cut(a, "=")
		if !ok {
			return nil, Errorf("invalid correction %q: expected FIELD=VALUE, such as total=119.00", term.Clean(a, term.MaxValue))
		}
		if _, twice := corrections[field]; twice {
			return nil, Errorf("duplicate correction of %s", term.Clean(field, term.MaxValue))
		}
		raw, err := document.ParseField(field, printed.Typed(field, value))
		if err != nil {
			return nil, Errorf("%w", err)
		}
		corrections[field] = raw
	}
	return corrections, nil
}

// values are the structured data of a document, and its type under "type".
type values map[string]any

func (d *Reader) values(id uuid.UUID) (v values, name named, err error) {
	raws, err := d.matches.Raws(d.ctx, []uuid.UUID{id})
	if err != nil {
		return nil, name, err
	}
	if len(raws) == 0 {
		return nil, name, Errorf("document not found: %s", id)
	}
	v = values{}
	if raws[0].Data != "" && json.Unmarshal([]byte(raws[0].Data), &v) != nil {
		return nil, name, Errorf("invalid structured data of %s", id)
	}
	v["type"] = string(raws[0].Type)
	return v, named{ID: id, Type: raws[0].Type, Number: term.Clean(v.at("number"), term.MaxValue)}, nil
}

// at returns the value at a path, or "".
func (v values) at(path string) string {
	switch found := v.find(strings.Split(path, ".")).(type) {
	case string:
		return found
	case float64:
		return strconv.FormatFloat(found, 'f', -1, 64)
	}
	return ""
}

func (v values) find(parts []string) any {
	var at any = map[string]any(v)
	for _, part := range parts {
		switch inside := at.(type) {
		case map[string]any:
			at = inside[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(inside) {
				return nil
			}
			at = inside[i]
		default:
			return nil
		}
	}
	return at
}

// room refuses an item beyond the next free one, because PostgreSQL would append it under
// another number.
func (v values) room(path string) error {
	parts := strings.Split(path, ".")
	at := slices.IndexFunc(parts, func(s string) bool { _, err := strconv.Atoi(s); return err == nil })
	if at < 0 {
		return nil
	}
	items, _ := v.find(parts[:at]).([]any)
	if i, _ := strconv.Atoi(parts[at]); i > len(items) {
		return Errorf("invalid item %s: the document has %d %s, counted from 0", path, len(items), strings.Join(parts[:at], "."))
	}
	return nil
}

// Text returns the report for people.
func (r *Corrected) Text() string {
	p := &term.Page{}
	p.Line("%s  %s", r.Document.Called(), r.Document.ID)
	shown := func(value, none string) string {
		if value == "" {
			return none
		}
		return term.Clean(value, term.MaxValue)
	}
	for _, c := range r.Changes {
		p.Line("  %-24s %s -> %s", c.Field, shown(c.Before, "(none)"), shown(c.Now, "(removed)"))
	}
	for _, l := range r.Lessons {
		if l.Why != "" {
			p.Hang("  ", "nothing learned from "+l.Field+": "+l.Why)
			continue
		}
		p.Hang("  ", "learned for the supplier's next documents: "+l.Field+" "+term.Clean(l.Learned, term.MaxValue))
	}
	if len(r.Changes) == 0 {
		p.Line("done: it needs nobody any more")
	} else {
		p.Line("stored, and published for matching")
	}
	return p.String()
}
