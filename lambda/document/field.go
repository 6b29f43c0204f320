package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
)

// maxText bounds a text for ParseField, in bytes.
const maxText = 10_000

// typeField is the path of a document's type, which isn't part of its structured data.
const typeField = "type"

// ParseField checks a value for one field of structured data and returns it as JSON; nil for
// an empty value, which removes the field. path must follow the JSON, with items counted from
// 0: total, supplier.vat_id, line_items.0.amount. Use the path "type" for the document's type;
// it cannot be removed.
func ParseField(path, value string) (json.RawMessage, error) {
	field, err := fieldAt(path)
	if err != nil {
		return nil, err
	}
	if value == "" && path != typeField {
		return nil, nil
	}
	var parsed any
	switch {
	case path == typeField && value == "":
		err = errors.New("must not be empty; set another type")
	case path == typeField:
		parsed, err = ParseType(value)
	case path == "currency" && !currencyForm().MatchString(value):
		err = errors.New("invalid currency: expected a code of three letters such as EUR")
	case field == reflect.TypeFor[Amount]():
		parsed, err = ParseAmount(value)
	case field == reflect.TypeFor[Date]():
		var d Date
		err = d.UnmarshalJSON([]byte(strconv.Quote(value)))
		parsed = d
	default:
		parsed, err = value, checkText(value)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return json.Marshal(parsed)
}

// Kind is the form of a field's value.
type Kind int

// The kinds of fields.
const (
	Text Kind = iota
	Number
	Day
)

// FieldKind returns the kind of the field at a path; see ParseField for paths.
func FieldKind(path string) (Kind, error) {
	field, err := fieldAt(path)
	switch field {
	case reflect.TypeFor[Amount]():
		return Number, err
	case reflect.TypeFor[Date]():
		return Day, err
	}
	return Text, err
}

var currencyForm = lazy.Regexp(`^[A-Z]{3}$`)

func checkText(s string) error {
	switch {
	case len(s) > maxText:
		return fmt.Errorf("text too long: over %d bytes", maxText)
	case !utf8.ValidString(s):
		return errors.New("invalid UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("text must not contain a control character")
	}
	return nil
}

// fieldAt returns the type of a field, following the names of the JSON.
func fieldAt(path string) (reflect.Type, error) {
	at, walked := reflect.TypeFor[Data](), ""
	if path == typeField {
		return reflect.TypeFor[Type](), nil
	}
	for part := range strings.SplitSeq(path, ".") {
		switch {
		case at.Kind() == reflect.Slice:
			if !indexForm().MatchString(part) {
				return nil, fmt.Errorf("unknown field %.60q; number the items of %s from 0: %s.0", path, walked, walked)
			}
			at = at.Elem()
		case isField(at):
			return nil, fmt.Errorf("unknown field %.60q; %s is a single value", path, walked)
		default:
			names := namesOf(at)
			next, ok := names[part]
			if !ok {
				return nil, unknownField(path, walked, names)
			}
			at = next
		}
		walked = strings.TrimPrefix(walked+"."+part, ".")
	}
	if at.Kind() == reflect.Slice {
		return nil, fmt.Errorf("missing item in %.60q; number items from 0: %s.0", path, path)
	}
	if !isField(at) {
		return nil, unknownField(path, path, namesOf(at))
	}
	return at, nil
}

// indexForm must not allow a leading zero, because PostgreSQL would read it as the same item.
var indexForm = lazy.Regexp(`^(0|[1-9]\d{0,3})$`)

func isField(t reflect.Type) bool {
	return t.Kind() == reflect.String || t == reflect.TypeFor[Amount]() || t == reflect.TypeFor[Date]()
}

// namesOf lists the fields of a struct by their names in JSON.
func namesOf(t reflect.Type) map[string]reflect.Type {
	names := make(map[string]reflect.Type)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names[name] = t.Field(i).Type
	}
	return names
}

func unknownField(path, within string, names map[string]reflect.Type) error {
	var list []string
	for name := range names {
		list = append(list, name)
	}
	if within == "" {
		list = append(list, typeField)
		within = "a document"
	}
	slices.Sort(list)
	return fmt.Errorf("unknown field %.60q; the fields of %s are %s", path, within, strings.Join(list, ", "))
}
