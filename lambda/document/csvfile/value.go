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

// grouping drops the separators of groups of digits other than point and comma.
var grouping = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "\u2019", "")

// Amounts that reveal the decimal sign: with both signs, or other than three digits after it.
var (
	decimalComma = regexp.MustCompile(`^-?[0-9]+(\.[0-9]{3})+,[0-9]+-?$|^-?[0-9]+,([0-9]{1,2}|[0-9]{4,})-?$|^-?[0-9]+(\.[0-9]{3}){2,}-?$`)
	decimalPoint = regexp.MustCompile(`^-?[0-9]+(,[0-9]{3})+\.[0-9]+-?$|^-?[0-9]+\.([0-9]{1,2}|[0-9]{4,})-?$|^-?[0-9]+(,[0-9]{3}){2,}-?$`)
	unclear      = regexp.MustCompile(`^-?[0-9]+[.,][0-9]{3}-?$`)
)

// decimalOf finds the decimal sign of a file by its amounts. It returns an error if they
// contradict one another, or if one is ambiguous and none reveals the sign.
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
		return "", fmt.Errorf("different decimal signs in %.30q and %.30q; "+
			"use --decimal with , or . to decide", comma, point)
	case comma != "":
		return ",", nil
	case point == "" && either != "":
		return "", fmt.Errorf("ambiguous amount %.30q: a fraction or thousands; use --decimal with , or . to decide", either)
	}
	return ".", nil
}

// plain writes an amount with a decimal point and a leading minus.
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
			return nil, errors.New("invalid date: expected the form of --date-format")
		}
		cell = day.Format(time.DateOnly)
	}
	return document.ParseField(numbered(path), cell)
}
