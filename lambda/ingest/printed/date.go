package printed

import (
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// Date is a day in a text. 03/04/2026 has two readings; the first one has the day first.
type Date struct {
	Text       string
	Start, End int // byte offsets in the text
	Readings   []document.Date
}

// DayFirst reports whether the day comes first. known is false if the notation leaves the
// order of day and month open.
func (d Date) DayFirst() (dayFirst, known bool) {
	m := numeric().FindStringSubmatch(d.Text)
	if m == nil {
		return false, false
	}
	first, _ := strconv.Atoi(m[1])
	second, _ := strconv.Atoi(m[3])
	return first > 12, first > 12 || second > 12
}

var (
	iso     = lazy.Regexp(`\b((?:19|20)\d\d)([-/]|\. ?)(\d{1,2})(?:[-/]|\. ?)(\d{1,2})\b`)
	numeric = lazy.Regexp(`\b(\d{1,2})([-/.]) ?(\d{1,2})([-/.]) ?((?:19|20)\d\d|\d\d)\b`)
	worded  = lazy.Regexp(`(?i)\b(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[ -]*(?:de |of )?` +
		`(\pL{3,10})\.?,?[ -]*(?:de |del )?((?:19|20)\d\d)\b`)
	english = lazy.Regexp(`(?i)\b(\pL{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? ((?:19|20)\d\d)\b`)
)

// Dates finds the days of a text, in the order of their notations.
func Dates(text string) (found []Date) {
	if !strings.ContainsAny(text, digits) {
		return nil
	}
	add := func(m []int, readings ...document.Date) {
		if d := (Date{text[m[0]:m[1]], m[0], m[1], valid(readings)}); len(d.Readings) > 0 && !within(found, m[0], m[1]) {
			found = append(found, d)
		}
	}
	part := func(m []int, n int) string { return text[m[2*n]:m[2*n+1]] }
	for _, m := range iso().FindAllStringSubmatchIndex(text, -1) {
		add(m, day(part(m, 1), number(part(m, 3)), part(m, 4)))
	}
	for _, m := range numeric().FindAllStringSubmatchIndex(text, -1) {
		if part(m, 2) != part(m, 4) {
			continue // 3/8-16 is a thread
		}
		dayFirst := day(part(m, 5), number(part(m, 3)), part(m, 1))
		if part(m, 2) == "." {
			add(m, dayFirst)
			continue
		}
		add(m, dayFirst, day(part(m, 5), number(part(m, 1)), part(m, 3)))
	}
	for _, m := range worded().FindAllStringSubmatchIndex(text, -1) {
		add(m, day(part(m, 3), month(part(m, 2)), part(m, 1)))
	}
	for _, m := range english().FindAllStringSubmatchIndex(text, -1) {
		add(m, day(part(m, 3), month(part(m, 1)), part(m, 2)))
	}
	return found
}

// valid drops impossible days, and second readings equal to the first.
func valid(readings []document.Date) (days []document.Date) {
	for _, d := range readings {
		if !d.IsZero() && (len(days) == 0 || days[0] != d) {
			days = append(days, d)
		}
	}
	return days
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

// century completes a year of two digits.
const century = 2000

func day(year string, month int, dayOfMonth string) document.Date {
	y, d := number(year), number(dayOfMonth)
	if len(year) == 2 {
		y += century
	}
	t := time.Date(y, time.Month(month), d, 0, 0, 0, 0, time.UTC)
	if month < 1 || month > 12 || t.Day() != d {
		return document.Date{}
	}
	return document.DateOf(t)
}

// months has the first letters of each month in the languages of the rules.
var months = []string{
	"jan gen ene jän sty leden ledna ian ιαν", "feb fév fev lut úno φεβ", "mar mär mrz maer maart bře már μαρ μάρ",
	"apr avr abr kwi dub ápr απρ",
	"may mai mag mei maj kvě máj μαΐ μάι", "jun juin giu cze červen červn jún iun ιουν ιούν", "jul juil lug lip červenc júl iul ιουλ ιούλ",
	"aug aoû aou ago sie srp αυγ αύγ", "sep set wrz zář szept σεπ", "oct okt ott out paź říj οκτ",
	"nov listop noi νοε νοέ", "dec dez déc dic gru pros δεκ",
}

func month(name string) int {
	name = strings.ToLower(name)
	best, length := 0, 0
	for i, starts := range months {
		for _, start := range strings.Fields(starts) {
			if strings.HasPrefix(name, start) && len(start) > length {
				best, length = i+1, len(start)
			}
		}
	}
	return best
}
