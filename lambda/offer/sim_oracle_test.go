package offer_test

import (
	"maps"
	"testing"
	"time"

	"matchbook/lambda/offer/day"
)

// The oracle knows nothing of the scheduler: it walks through a user's life by his
// own clock, and decides for each date whether he was owed a set. Within patience
// of a change, or while all is down, it accepts either.

// patience is the time that two schedulers may take: a period, twice, and the errors
// of their clocks.
const patience = 40 * time.Minute

type verdict byte

const (
	never verdict = iota
	maybe
	always
)

// judge compares what became of all dates with what the users were owed.
func (s *simulation) judge() {
	for n, p := range s.people {
		owed := s.owed(p)
		for date := s.From - 2; date <= day.Of(s.end)+2; date++ {
			s.compare(n, p, date, owed[date])
		}
	}
}

func (s *simulation) compare(n int, p *simPerson, date day.Date, v verdict) {
	roster, frozen := s.members[date]
	member := n < len(roster) && roster[n]
	is := *s.mark(n, date)
	switch {
	case is == none:
		if v == always && (member || !frozen) {
			s.broken("%s of %s is missing: %s", date, p.ID, p.story())
		}
	case v == never:
		s.broken("%s of %s was not a date of the user: %s", date, p.ID, p.story())
	case is != skipped && !member:
		s.broken("%s of %s has a set, and the user is not in its roster", date, p.ID)
	}
}

// owed returns the verdicts on the dates of a life.
func (s *simulation) owed(p *simPerson) map[day.Date]verdict {
	all := map[day.Date]verdict{}
	var run []chapter // chapters without a break
	for _, c := range p.life {
		switch {
		case !c.from.Before(s.end): // no date is queued any more
		case c.active:
			run = append(run, c)
		default:
			s.live(run, c.from, all)
			run = nil
		}
	}
	s.live(run, s.end, all)
	return all
}

// live judges the dates of a run of chapters that ends at end.
func (s *simulation) live(run []chapter, end time.Time, all map[day.Date]verdict) {
	if len(run) == 0 {
		return
	}
	calendar, first := map[day.Date]bool{}, map[day.Date]time.Time{}
	begun := s.ready(run[0].from) // of the dates that are due until then only the latest is owed
	for i, c := range run {
		until := end
		if i+1 < len(run) {
			until = run[i+1].from
		}
		zone := zone(c.zone)
		from, last := day.Of(c.from.In(zone)), day.Of(until.Add(-1).In(zone))
		if c.from.Before(begun) { // the latest date that is due may be one that was not lived
			yesterday := from
			if nine(from, zone).After(c.from.Add(-mostSkew)) { // by a slow clock it is not nine yet
				yesterday--
			}
			all[yesterday] = max(all[yesterday], maybe)
		}
		// A date that had begun, and was not due, counts when it comes again.
		maps.DeleteFunc(calendar, func(d day.Date, _ bool) bool { return d > from && first[d].IsZero() })
		for d := from; d <= last; d++ {
			calendar[d] = true
		}
		for d := range calendar {
			due := later(c.from, nine(d, zone))
			if !due.Before(until) {
				continue
			}
			if _, ok := first[d]; !ok {
				first[d] = due
			}
			v := maybe
			if first[d].After(begun) && s.ready(due).Before(until) {
				v = always
			}
			all[d] = max(all[d], v)
		}
	}
}

// ready returns the time until when the schedulers have surely noticed a change.
func (s *simulation) ready(change time.Time) time.Time {
	for _, o := range s.outages {
		if change.Before(o.until) && o.from.Before(change.Add(patience)) {
			change = o.until
		}
	}
	return change.Add(patience)
}

// nine is nine in the morning as package time has it.
func nine(d day.Date, zone *time.Location) time.Time {
	y, m, n := d.Time().Date()
	return time.Date(y, m, n, 9, 0, 0, 0, zone)
}

// A user joins at nine sharp. A scheduler with a slow clock still sees the date
// before as the latest one that is due.
func TestOracleAllowsForSlowClocks(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]string{-time.Second: "0112", 0: "0112",
		mostSkew - time.Second: "0112", mostSkew: "0012"} {
		s := newSimulation(t, "2026-01-01", simOptions{Users: 1, Days: 3})
		owed := s.owed(&simPerson{life: []chapter{{from: s.start.Add(after), zone: "Asia/Seoul", active: true}}})
		got := ""
		for d := s.From - 2; d <= s.From+1; d++ {
			got += string('0' + rune(owed[d]))
		}
		if got != want {
			t.Errorf("%s after nine: verdicts %s, want %s", after, got, want)
		}
	}
}
