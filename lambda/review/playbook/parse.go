package playbook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/review/record"
)

// Limits of a playbook.
const (
	maxSize     = 64 << 10 // bytes of the file
	maxName     = 100      // characters of the name and the version
	maxText     = 1_000    // of the other texts
	maxWord     = 40       // of a text that an error repeats
	maxProblems = 10       // that an error lists
)

// sides are the roles that a tenant can have in its contracts.
var sides = []string{"customer", "supplier", "licensee", "licensor", "neutral"}

// Parse reads a playbook strictly: an unknown or repeated field, a missing one, a
// value that is none of the permitted ones or a text beyond its limit is an
// error. The error names each place, as positions.renewal.severity.
func Parse(raw []byte) (Playbook, error) {
	switch {
	case len(raw) > maxSize:
		return Playbook{}, fmt.Errorf("the playbook has %d bytes, the limit is %d", len(raw), maxSize)
	case !utf8.Valid(raw) || !json.Valid(raw):
		return Playbook{}, errors.New("the playbook is not valid JSON in UTF-8")
	}
	r := &reader{}
	c := r.content(raw)
	if len(r.problems) > 0 {
		return Playbook{}, errors.New(strings.Join(r.problems, "\n"))
	}
	return Playbook{content: c, version: versionOf(c)}, nil
}

// reader collects the problems of a file.
type reader struct{ problems []string }

func (r *reader) report(at, format string, args ...any) {
	sentence := fmt.Sprintf(format, args...)
	if at != "" {
		sentence = at + ": " + sentence
	}
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, sentence)
	}
}

func (r *reader) content(raw []byte) content {
	c := content{Positions: map[record.Category]Position{}}
	fields := r.object("", raw, "name", "version", "side", "positions")
	c.Name = r.text("name", fields["name"], maxName)
	c.Version = r.text("version", fields["version"], maxName)
	if strings.TrimSpace(c.Version) == "" && fields["version"] != nil {
		r.report("version", "is empty")
	}
	c.Side = r.choice("side", fields["side"], sides)
	topics := names(record.Topics())
	for topic, raw := range r.optional("positions", fields["positions"], topics) {
		c.Positions[record.Category(topic)] = r.position("positions."+topic, topic, raw)
	}
	return c
}

func (r *reader) position(at, topic string, raw json.RawMessage) (p Position) {
	fields := r.object(at, raw, "required", "clause", "acceptable", "unwanted", "fallback", "severity", "reason")
	p.Required = r.boolean(at+".required", fields["required"])
	if p.Required && !slices.Contains(record.All(), record.Category(topic)) {
		r.report(at+".required", "only a category of clauses can be required: %s", strings.Join(names(record.All()), ", "))
	}
	p.Clause = r.choice(at+".clause", fields["clause"], []string{accepted, conditional, unwanted})
	p.Acceptable = r.text(at+".acceptable", fields["acceptable"], maxText)
	p.Unwanted = r.text(at+".unwanted", fields["unwanted"], maxText)
	p.Fallback = r.text(at+".fallback", fields["fallback"], maxText)
	p.Severity = record.Severity(r.choice(at+".severity", fields["severity"], names(record.Severities())))
	p.Reason = r.text(at+".reason", fields["reason"], maxText)
	return p
}

func names[T ~string](all []T) (plain []string) {
	for _, v := range all {
		plain = append(plain, string(v))
	}
	return plain
}

// object reads an object that has all of these fields.
func (r *reader) object(at string, raw json.RawMessage, names ...string) map[string]json.RawMessage {
	if raw == nil { // its absence is reported above it
		return nil
	}
	fields := r.optional(at, raw, names)
	for _, name := range names {
		if _, ok := fields[name]; !ok && fields != nil {
			r.report(under(at, name), "is missing")
		}
	}
	return fields
}

// optional reads an object that has some of these fields, each once.
func (r *reader) optional(at string, raw json.RawMessage, names []string) map[string]json.RawMessage {
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, _ := d.Token(); open != json.Delim('{') {
		r.report(at, "expected an object")
		return nil
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		key, _ := d.Token() // all of it is valid JSON
		name := key.(string)
		var value json.RawMessage
		_ = d.Decode(&value)
		switch _, twice := fields[name]; {
		case !slices.Contains(names, name):
			r.report(under(at, term.Clean(name, maxWord)), "is not a field%s", meant(name, names))
		case twice:
			r.report(under(at, name), "is there twice")
		default:
			fields[name] = value
		}
	}
	return fields
}

func under(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func (r *reader) text(at string, raw json.RawMessage, most int) (text string) {
	if raw == nil {
		return ""
	}
	var value *string
	if json.Unmarshal(raw, &value) != nil || value == nil {
		r.report(at, "expected a text")
		return ""
	}
	if n := utf8.RuneCountInString(*value); n > most {
		r.report(at, "has %d characters, the limit is %d", n, most)
	}
	if strings.ContainsFunc(*value, hidden) {
		r.report(at, "contains a control character or an invisible one")
	}
	return *value
}

func hidden(c rune) bool { return unicode.IsControl(c) && c != '\n' || unicode.Is(unicode.Cf, c) }

func (r *reader) choice(at string, raw json.RawMessage, choices []string) string {
	var value *string
	switch {
	case raw == nil:
	case json.Unmarshal(raw, &value) != nil || value == nil:
		r.report(at, "expected one of %s", strings.Join(choices, ", "))
	case !slices.Contains(choices, *value):
		r.report(at, "found %q, expected one of %s%s", term.Clean(*value, maxWord), strings.Join(choices, ", "),
			meant(*value, choices))
	default:
		return *value
	}
	return ""
}

func (r *reader) boolean(at string, raw json.RawMessage) (value bool) {
	var v *bool
	switch {
	case raw == nil:
	case json.Unmarshal(raw, &v) != nil || v == nil:
		r.report(at, "expected true or false")
	default:
		return *v
	}
	return false
}
