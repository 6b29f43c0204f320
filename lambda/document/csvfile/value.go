package csvfile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
)

// separators of groups of digits that are neither point nor comma.
var grouping = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "\u2019", "")

// Amounts that show which sign is the decimal one: both are there, or the last is
// not before exactly three digits.
var (
	decimalComma = regexp.MustCompile(`^-?[0-9]+(\.[0-9]{3})+,[0-9]+-?$|^-?[0-9]+,([0-9]{1,2}|[0-9]{4,})-?$|^-?[0-9]+(\.[0-9]{3}){2,}-?$`)
	decimalPoint = regexp.MustCompile(`^-?[0-9]+(,[0-9]{3})+\.[0-9]+-?$|^-?[0-9]+\.([0-9]{1,2}|[0-9]{4,})-?$|^-?[0-9]+(,[0-9]{3}){2,}-?$`)
	unclear      = regexp.MustCompile(`^-?[0-9]+[.,][0-9]{3}-?$`)
)

// decimalOf finds the decimal sign of a file by its amounts. It is an error if they
// contradict one another, or if none shows it and one needs it.
func decimalOf(amounts []string) (string, error) {
	var comma, point, either string
	for _, a := range amounts {
		switch a = grouping.Replace(a); {
		case decimalComma.MatchString(a):
			comma = a
		case decimalPoint.MatchString(a):
			point = a
		case unclear.MatchString(a):
			either = a
		}
	}
	switch {
	case comma != "" && point != "":
		return "", fmt.Errorf("the amounts %.30q and %.30q have different decimal signs: "+
			"--decimal , or --decimal . says which is right", comma, point)
	case comma != "":
		return ",", nil
	case point == "" && either != "":
		return "", fmt.Errorf("the amount %.30q may be a fraction or thousands: --decimal , or --decimal . says which", either)
	}
	return ".", nil
}

// plain writes an amount with a decimal point and a minus in front.
func plain(amount, decimal string) string {
	amount = grouping.Replace(amount)
	if decimal == "," {
		amount = strings.ReplaceAll(strings.ReplaceAll(amount, ".", ""), ",", ".")
	} else {
		amount = strings.ReplaceAll(amount, ",", "")
	}
	if number, ok := strings.CutSuffix(amount, "-"); ok {
		amount = "-" + number
	}
	return amount
}

// value converts a cell to the JSON value of a field.
func (s *Sheet) value(path, cell, decimal string) (any, error) {
	if slices.Contains(outside, path) {
		return cell, nil
	}
	kind, err := document.FieldKind(numbered(path))
	if err != nil {
		return nil, err
	}
	switch {
	case path == "type" || path == "currency":
		return cell, nil // in words and signs as well, as in files of JSON
	case kind == document.Number:
		cell = plain(cell, decimal)
	case kind == document.Day && s.Layout != "":
		day, err := time.Parse(s.Layout, cell)
		if err != nil {
			return nil, errors.New("not a date of the form of --date-format")
		}
		cell = day.Format(time.DateOnly)
	}
	return document.ParseField(numbered(path), cell)
}
