package offer

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/offer/day"
)

// owed is a date the users of a group wait for.
type owed struct {
	group   Group // its Through is the owed date before it, if any
	date    day.Date
	begins  time.Time // in the zone
	due     time.Time
	expires time.Time // when the next date is due
	skip    *skip     // nil: queue it
}

// skip is the reason not to queue a date. It must not depend on the current time, so that two
// schedulers give the same one.
type skip struct {
	reason string
	count  func(*ScheduleReport) *int
}

func (o owed) shard(limit int) Shard {
	return Shard{Group: o.group, Date: o.date, Limit: limit, OfferedAt: o.due, ExpiresAt: o.expires}
}

type calendar struct {
	now     time.Time
	catchUp time.Duration
	zones   map[string]*time.Location // nil: unknown
	chosen  settings
}

// owed returns the dates the groups wait for, the oldest first.
func (c calendar) owed(groups []Group) (all []owed) {
	for _, g := range groups {
		all = append(all, c.dates(g)...)
	}
	slices.SortStableFunc(all, func(a, b owed) int { return cmp.Compare(a.date, b.date) })
	return all
}

// dates returns the due dates after Through. It leaves out dates missing in the zone or in all
// calendars of the users. Users without a Through wait for the latest date only, because no
// earlier one was theirs.
func (c calendar) dates(g Group) (list []owed) {
	zone, unknown := c.zone(g.Zone)
	rule := c.chosen.rule(g.Tenant)
	latest, ok := rule.Latest(c.now, zone)
	if !ok {
		return nil
	}
	first := latest
	if g.Through != nil {
		first = *g.Through + 1
	}
	for d := first; d <= latest; d++ {
		due, ok := rule.Due(d, zone)
		if !ok || g.FlownFrom <= d && d < g.FlownTo {
			continue
		}
		_, expires := rule.Next(d, zone)
		begins, _ := day.Rule{}.Due(d, zone)
		list = append(list, owed{group: g, date: d, begins: begins, due: due, expires: expires,
			skip: cmp.Or(unknown, c.tooLate(due, rule))})
		g = g.after(d)
	}
	return list
}

func (g Group) after(d day.Date) Group {
	g.Through = &d
	if g.FlownTo <= d+1 {
		g.FlownFrom, g.FlownTo = 0, 0
	}
	return g
}

func (c calendar) tooLate(due time.Time, rule day.Rule) *skip {
	if c.now.Sub(due) <= c.catchUp {
		return nil
	}
	return &skip{
		fmt.Sprintf("was not queued within %s after %02d:00 of the date", c.catchUp, int(rule.At.Hours())),
		func(r *ScheduleReport) *int { return &r.TooLate },
	}
}

// zone returns the zone of a name. An unknown zone uses the dates of UTC, which are skipped.
func (c calendar) zone(name string) (*time.Location, *skip) {
	zone, known := c.zones[name]
	if !known {
		zone, _ = day.Zone(name)
		c.zones[name] = zone
	}
	if zone != nil {
		return zone, nil
	}
	return time.UTC, &skip{
		"unknown time zone of the user",
		func(r *ScheduleReport) *int { return &r.UnknownZone },
	}
}
