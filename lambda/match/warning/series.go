package warning

import (
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/internal/lazy"
)

// Bounds in days. Within a month, equal invoices may be billed twice even if they come regularly,
// because two of them make no series.
const (
	within = 27
	year   = 366
	slack  = 4 // in the distances of a series, because of weekends and months; less if they're short
)

// recurs reports whether an invoice continues a series of equal ones: two of them come before it
// at equal distances, like rents and weekly cleaning.
func (d Document) recurs(series []Document) bool {
	var before []int
	for _, o := range series {
		if !d.Date.IsZero() && !o.Date.IsZero() && sameItems(d.Lines, o.Lines) {
			before = append(before, o.Date.DaysUntil(d.Date))
		}
	}
	for _, days := range before {
		most := min(slack, days/7)
		if most > 0 && slices.ContainsFunc(before, func(n int) bool { return max(n-2*days, 2*days-n) <= most }) {
			return true
		}
	}
	return false
}

// monthly reports whether two dates are whole months apart, give or take a few days, or ends of months.
func monthly(a, b document.Date) bool {
	from, err1 := time.Parse(time.DateOnly, a.String())
	to, err2 := time.Parse(time.DateOnly, b.String())
	if err1 != nil || err2 != nil {
		return false
	}
	ends := func(t time.Time) bool { return t.AddDate(0, 0, 1).Day() == 1 }
	if ends(from) && ends(to) {
		return true
	}
	for n := range 13 {
		at := from.AddDate(0, n, 0)
		if at.Day() != from.Day() { // the month is shorter
			at = at.AddDate(0, 0, -at.Day())
		}
		if d := to.Sub(at); n > 0 && max(d, -d) <= slack*24*time.Hour {
			return true
		}
	}
	return false
}

// copySuffix matches the addition to the number of an invoice sent again: 918-A, 918 copy, 918/2.
var copySuffix = lazy.Regexp(`^(?:[-/ ._(]*\pL{1,9}\)?|[-/ ._]+\d)$`)

// renumbered reports whether one number is the other one with a suffix.
func renumbered(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if len(a) < len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(a, b)
	return ok && b != "" && copySuffix().MatchString(rest)
}

// sameTexts reports whether two invoices say the same about their items and in their notes. A
// recurring service names its month there.
func sameTexts(a, b Document) bool {
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	texts := func(lines []document.Line) (list []string) {
		for _, l := range lines {
			list = append(list, fold(l.SKU+" "+l.Description))
		}
		slices.Sort(list)
		return list
	}
	return fold(a.Notes) == fold(b.Notes) && slices.Equal(texts(a.Lines), texts(b.Lines))
}

// restarts reports whether a number may have been used for two documents of different years,
// because a serial number without a year begins with 1 again.
func restarts(d, earlier Document) bool {
	const few = 5 // digits
	digits := 0
	for _, c := range reference.Canonical(d.Number) {
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	y, z := d.Date.String(), earlier.Date.String()
	return digits < few && len(y) >= 4 && len(z) >= 4 && y[:4] != z[:4]
}
