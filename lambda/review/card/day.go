package card

import (
	"time"

	"matchbook/lambda/review/record"
)

// Computed returns the card with the last day of its first term and the last day of notice, as
// far as its dates and periods tell. A term of one year from 1 April ends on 31 March. A month
// without that day gives its last one.
func Computed(c record.Card) record.Card {
	end, known := dayOf(c.End)
	if start, ok := dayOf(c.Effective); !known && ok && c.Term.N > 0 {
		end, known = moved(start, c.Term, 1).AddDate(0, 0, -1), true
		c.End = end.Format(time.DateOnly)
	}
	c.LastNotice = ""
	if known && c.Notice.N > 0 {
		c.LastNotice = moved(end, c.Notice, -1).Format(time.DateOnly)
	}
	return c
}

func dayOf(text string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil
}

// moved adds a span to a day, or subtracts it with sign -1.
func moved(day time.Time, s record.Span, sign int) time.Time {
	n := sign * s.N
	switch s.Unit {
	case "day":
		return day.AddDate(0, 0, n)
	case "week":
		return day.AddDate(0, 0, 7*n)
	case "year":
		n *= 12
	}
	month := time.Date(day.Year(), day.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := month.AddDate(0, 1, -1).Day()
	return month.AddDate(0, 0, min(day.Day(), last)-1)
}
