package day

import "time"

// Nine is the usual time since midnight at which a date is due, by the local clock.
const Nine = 9 * time.Hour

// Rule says when dates are due.
type Rule struct {
	At     time.Duration   // since midnight, by the local clock; less than a day
	Paused func(Date) bool // dates that are never due; nil: none
}

// Due returns when a date is due at nine.
func Due(d Date, zone *time.Location) (due time.Time, ok bool) { return Rule{At: Nine}.Due(d, zone) }

const whole = 24 * time.Hour

// reach must exceed the difference of any clock from UTC.
const reach = 2 * whole

// Due returns the first instant, in UTC, at which the clocks of the zone show the date and the
// rule's time or later. If a gap swallows the time, it is the end of the gap; if it occurs
// twice, it is the first time. ok is false if the date is paused, or the zone never shows that,
// as on 2011-12-30 in Samoa, which crossed the date line.
func (r Rule) Due(d Date, zone *time.Location) (due time.Time, ok bool) {
	if r.Paused != nil && r.Paused(d) {
		return time.Time{}, false
	}
	midnight := d.Time() // in UTC; local is the zone's offset
	for t, end := midnight.Add(-reach).In(zone), midnight.Add(whole+reach); t.Before(end); {
		_, seconds := t.Zone()
		local := time.Duration(seconds) * time.Second
		due := later(midnight.Add(r.At), t.Add(local)).Add(-local)
		next := change(t)
		if due.Before(next) && due.Before(midnight.Add(whole-local)) {
			return due.UTC(), true
		}
		t = next
	}
	return time.Time{}, false
}

// change returns the end of the period with the same offset from UTC as at t, or an earlier
// instant after t. Note that ZoneBounds (Go 1.26) returns the beginning of the day on the last
// day of a leap year if the database ends with rules.
func change(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	switch {
	case end.IsZero(): // forever
		return t.Add(2*reach + whole)
	case !end.After(t):
		return t.Truncate(whole).Add(whole)
	}
	return end
}

// Latest returns the latest date due at now in the zone. ok is false only if all dates of the
// last week were never due.
func (r Rule) Latest(now time.Time, zone *time.Location) (d Date, ok bool) {
	for d, today := Of(now.In(zone))+1, Of(now.In(zone)); d > today-7; d-- {
		if due, ok := r.Due(d, zone); ok && !due.After(now) {
			return d, true
		}
	}
	return 0, false
}

// Next returns the next date of the zone after d, and when it is due. Some date must be due.
func (r Rule) Next(d Date, zone *time.Location) (next Date, due time.Time) {
	for next = d + 1; ; next++ {
		if due, ok := r.Due(next, zone); ok {
			return next, due
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
