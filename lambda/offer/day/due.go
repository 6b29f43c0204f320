package day

import "time"

// Nine is when a date is due, since midnight of the local clock.
const Nine = 9 * time.Hour

const whole = 24 * time.Hour

// reach is more than any clock differs from UTC.
const reach = 2 * whole

// Due returns the first instant at which the clocks of the zone show the date and
// nine in the morning or later, in UTC. It is the end of a gap that swallows nine
// o'clock, and the first of two occurrences. ok is false for a date on which there
// is none, such as 2011-12-30 in Samoa, which went over to the other side of the
// date line.
func Due(d Date, zone *time.Location) (due time.Time, ok bool) {
	midnight := d.Time() // by a clock of UTC; local is the same by that of the zone
	for t, end := midnight.Add(-reach).In(zone), midnight.Add(whole+reach); t.Before(end); {
		_, seconds := t.Zone()
		local := time.Duration(seconds) * time.Second
		due := later(midnight.Add(Nine), t.Add(local)).Add(-local)
		next := change(t)
		if due.Before(next) && due.Before(midnight.Add(whole-local)) {
			return due.UTC(), true
		}
		t = next
	}
	return time.Time{}, false
}

// change returns the end of the period in which the clocks differ from UTC as they
// do at t, or an earlier instant after t. On the last day of a leap year ZoneBounds
// (Go 1.26) returns the beginning of that day where the database ends with rules.
func change(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	switch {
	case end.IsZero(): // for ever
		return t.Add(2*reach + whole)
	case !end.After(t):
		return t.Truncate(whole).Add(whole)
	}
	return end
}

// Latest returns the latest date that is due at now in the zone. ok is false only
// for a zone without a date in the last week.
func Latest(now time.Time, zone *time.Location) (d Date, ok bool) {
	for d, today := Of(now.In(zone))+1, Of(now.In(zone)); d > today-7; d-- {
		if due, ok := Due(d, zone); ok && !due.After(now) {
			return d, true
		}
	}
	return 0, false
}

// Next returns the next date that the zone has, and when it is due.
func Next(d Date, zone *time.Location) (next Date, due time.Time) {
	for next = d + 1; ; next++ {
		if due, ok := Due(next, zone); ok {
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
