package printed

import (
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

var eitherSeparator = lazy.Regexp(`^-?[1-9]\d{0,2},\d{3}$`)

// Typed returns a value that a person typed in the form that document.ParseField takes: 16.11.2026
// becomes 2026-11-16, and 1.234,50 becomes 1234.50. A value with two meanings, such as 03/04/2026 or
// 1,500, stays as it is, so that ParseField refuses it.
func Typed(path, value string) string {
	value = strings.TrimSpace(value)
	switch kind, _ := document.FieldKind(path); kind {
	case document.Day:
		if found := Dates(value); len(found) == 1 && found[0].Text == value && len(found[0].Readings) == 1 {
			return found[0].Readings[0].String()
		}
	case document.Number:
		return TypedNumber(value)
	}
	return value
}

// TypedNumber is Typed for a number.
func TypedNumber(value string) string {
	if value = strings.TrimSpace(value); eitherSeparator().MatchString(value) {
		return value
	}
	return Decimal(value)
}

// Decimal returns an amount without its separators of thousands, with a point before the decimals: of
// points and commas, the last one divides them.
func Decimal(amount string) string {
	plain := strings.Join(strings.Fields(amount), "")
	if comma, point := strings.LastIndex(plain, ","), strings.LastIndex(plain, "."); comma > point { // 1.234,50
		return strings.ReplaceAll(strings.ReplaceAll(plain, ".", ""), ",", ".")
	}
	return strings.ReplaceAll(plain, ",", "")
}
