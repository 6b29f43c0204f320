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

const (
	maxSize     = 64 << 10 // bytes of the file
	maxName     = 100      // characters of the name and the version
	maxText     = 1_000    // of the other texts
	maxWord     = 40       // of a text quoted in an error
	maxProblems = 10       // listed in an error
)

var sides = []string{"customer", "supplier", "licensee", "licensor", "neutral"}

// Parse reads a playbook strictly: an unknown, duplicate or missing field, an invalid value or
// a text over its limit is an error. Its text has a line for each problem, ten at most, with
// its place, such as positions.renewal.severity. You can show it to the author.
func Parse(raw []byte) (Playbook, error) {
	switch {
	case len(raw) > maxSize:
		return Playbook{}, fmt.Errorf("playbook too large: %d bytes, at most %d", len(raw), maxSize)
	case !utf8.Valid(raw) || !json.Valid(raw):
		return Playbook{}, errors.New("invalid playbook: expected JSON in UTF-8")
	}
	r := &reader{}
	c := r.content(raw)
	if len(r.problems) > 0 {
		return Playbook{}, errors.New(strings.Join(r.problems, "\n"))
	}
	return Playbook{content: c, version: versionOf(c)}, nil
}

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
		r.report("version", "must not be empty")
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

// object reads an object, in which all of these fields must be present.
func (r *reader) object(at string, raw json.RawMessage, names ...string) map[string]json.RawMessage {
	if raw == nil { // the caller has reported it as missing
		return nil
	}
	fields := r.optional(at, raw, names)
	for _, name := range names {
		if _, ok := fields[name]; !ok && fields != nil {
			r.report(under(at, name), "missing")
		}
	}
	return fields
}

// optional reads an object with any of these fields, each at most once.
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
		key, _ := d.Token() // the JSON is known to be valid
		name := key.(string)
		var value json.RawMessage
		_ = d.Decode(&value)
		switch _, twice := fields[name]; {
		case !slices.Contains(names, name):
			r.report(under(at, term.Clean(name, maxWord)), "unknown field%s", meant(name, names))
		case twice:
			r.report(under(at, name), "duplicate field")
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
		r.report(at, "expected a string")
		return ""
	}
	if n := utf8.RuneCountInString(*value); n > most {
		r.report(at, "too long: %d characters, at most %d", n, most)
	}
	if strings.ContainsFunc(*value, hidden) {
		r.report(at, "must not contain control or invisible characters")
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
		r.report(at, "invalid value %q, expected one of %s%s", term.Clean(*value, maxWord), strings.Join(choices, ", "),
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
