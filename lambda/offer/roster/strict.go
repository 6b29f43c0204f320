package roster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/internal/nearest"
)

// keys are the known keys of an object, each with the keys of its value; nil allows any.
type keys map[string]keys

var (
	profileKeys = keys{"kind": nil, "born": nil, "place": {"lat": nil, "lon": nil}, "languages": nil, "interests": nil}
	wantedKeys  = keys{"kinds": nil, "age": {"min": nil, "max": nil}, "max_km": nil, "languages": nil, "interests": nil,
		"weights": {"distance": nil, "activity": nil}}
	withCapacity = with(wantedKeys, "capacity")
)

func with(these keys, key string) keys {
	these = maps.Clone(these)
	these[key] = nil
	return these
}

// reading says how strictly to read an object. With strict its keys must be known and occur
// once; if it is open, only the misspelt ones are wrong.
type reading struct {
	known        keys
	strict, open bool
}

// object reads a JSON object. Nothing and null are empty objects. Its error names the field and
// what it should be, never the value.
func object(raw json.RawMessage, into any, how reading) error {
	raw = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("\ufeff")))
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case len(raw) > MaxBytes || bytes.Equal(raw, tooLong):
		return fmt.Errorf("too long: limit %d bytes", MaxBytes)
	case raw[0] != '{':
		return errors.New("expected a JSON object")
	}
	w := walk{decoder: json.NewDecoder(bytes.NewReader(raw)), open: how.open}
	if err := w.value(how.known); err != nil && how.strict {
		return err
	}
	err := json.Unmarshal(raw, into)
	// Use only the field, because the rest of such an error carries the value.
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s must be %s", wrong.Field, expected(wrong.Type))
	}
	if err != nil {
		return errors.New("invalid JSON")
	}
	return nil
}

// expected says what a field must be; without a type it is a coordinate.
func expected(t reflect.Type) string {
	if t == nil {
		return "decimal degrees"
	}
	switch t.Kind() {
	case reflect.Int:
		return "a whole number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// walk looks at the keys and texts of a value, before it is read.
type walk struct {
	decoder *json.Decoder
	path    []string
	open    bool
}

func (w *walk) value(known keys) error {
	token, err := w.decoder.Token()
	if err != nil {
		return w.problem("has invalid JSON")
	}
	if text, ok := token.(string); ok && broken(text) {
		return w.problem("must not contain a NUL or a broken character")
	}
	switch token {
	case json.Delim('{'):
		err = w.members(known)
	case json.Delim('['):
		for w.decoder.More() && err == nil {
			err = w.value(nil)
		}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := w.decoder.Token(); err != nil {
		return w.problem("has invalid JSON")
	}
	return nil
}

func (w *walk) members(known keys) error {
	seen := map[string]bool{}
	for w.decoder.More() {
		token, err := w.decoder.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return w.problem("has invalid JSON")
		}
		if seen[key] {
			return w.problem("has a key twice")
		}
		seen[key] = true
		below, ok := known[key]
		if known != nil && !ok {
			if err := w.unknown(key, known); err != nil {
				return err
			}
		}
		if known == nil && broken(key) {
			return w.problem("must not contain a NUL or a broken character")
		}
		if ok {
			w.path = append(w.path, key)
		}
		if err := w.value(below); err != nil {
			return err
		}
		if ok {
			w.path = w.path[:len(w.path)-1]
		}
	}
	return nil
}

// unknown is the error for an unknown key. It doesn't quote the key, which a stranger chose.
func (w *walk) unknown(key string, known keys) error {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
	var near []string
	for name := range known {
		short := strings.ReplaceAll(name, "_", "")
		if nearest.Distance(plain, short) <= max(1, len(short)/3) {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		return nearest.Distance(key, a) - nearest.Distance(key, b) + strings.Compare(a, b)/2
	})
	switch {
	case len(near) > 0:
		return w.problem("has an unknown key: did you mean " + near[0] + "?")
	case w.open:
		return nil
	}
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return w.problem("has an unknown key: expected " + strings.Join(names, ", "))
}

// problem is an error about the value that is being looked at.
func (w *walk) problem(what string) error {
	if len(w.path) == 0 {
		return errors.New(what)
	}
	return errors.New(strings.Join(w.path, ".") + " " + what)
}

func broken(text string) bool {
	return strings.Contains(text, "\x00") || strings.Contains(text, "\ufffd") || !utf8.ValidString(text)
}
