package offer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer/day"
)

func date(t *testing.T, s string) day.Date {
	t.Helper()
	return must.Get(day.Parse(s))(t)
}

// from is a zone that is so far from UTC.
func from(offset time.Duration) *time.Location { return time.FixedZone("", int(offset/time.Second)) }

func TestOwedDates(t *testing.T) {
	t.Parallel()
	zones := map[string]*time.Location{"UTC": time.UTC, "East": from(14 * time.Hour), "West": from(-11 * time.Hour),
		"Half": from(5*time.Hour + 30*time.Minute), "Samoa": nil}
	var err error
	if zones["Samoa"], err = day.Zone("Pacific/Apia"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, zone, now, through, flown string
		want                            string // dates; a skipped one has its reason
	}{
		{"nothing before nine", "UTC", "2026-05-02T08:59:59Z", "2026-05-01", "", ""},
		{"at nine", "UTC", "2026-05-02T09:00:00Z", "2026-05-01", "", "2026-05-02"},
		{"half an hour off", "Half", "2026-05-02T03:30:00Z", "2026-05-01", "", "2026-05-02"},
		{"east of the date line", "East", "2026-05-01T19:00:00Z", "2026-05-01", "", "2026-05-02"},
		{"west of the date line", "West", "2026-05-02T19:59:59Z", "2026-05-01", "", ""},
		{"done", "UTC", "2026-05-02T23:00:00Z", "2026-05-02", "", ""},
		{"a tick of a scheduler whose clock is ahead was before", "UTC", "2026-05-02T08:00:00Z", "2026-05-02", "", ""},
		{"new users wait for the latest date only", "UTC", "2026-05-02T08:00:00Z", "", "", "2026-05-01"},
		{"an outage of hours", "UTC", "2026-05-02T19:00:00Z", "2026-05-01", "", "2026-05-02"},
		{"an outage of a day", "UTC", "2026-05-03T20:59:00Z", "2026-05-01", "", "2026-05-02 2026-05-03"},
		{"to the hour", "UTC", "2026-05-03T21:00:00Z", "2026-05-01", "", "2026-05-02 2026-05-03"},
		{"longer than may be caught up", "UTC", "2026-05-03T21:00:01Z", "2026-05-01", "",
			"2026-05-02(late) 2026-05-03"},
		{"an outage of days", "UTC", "2026-05-05T10:00:00Z", "2026-05-01", "",
			"2026-05-02(late) 2026-05-03(late) 2026-05-04 2026-05-05"},
		{"a zone that is not known", "Mars", "2026-05-02T09:00:00Z", "2026-05-01", "", "2026-05-02(zone)"},
		{"and had an outage", "Mars", "2026-05-04T09:00:00Z", "2026-05-01", "",
			"2026-05-02(zone) 2026-05-03(zone) 2026-05-04(zone)"},
		{"before nine in UTC", "Mars", "2026-05-02T08:00:00Z", "2026-05-01", "", ""},
		{"a date that was flown over", "East", "2026-05-02T19:00:00Z", "2026-05-01", "2026-05-02 2026-05-03",
			"2026-05-03"},
		{"nothing on the evening of the flight", "East", "2026-05-02T11:00:00Z", "2026-05-01",
			"2026-05-02 2026-05-03", ""},
		{"two dates", "East", "2026-05-03T19:00:00Z", "2026-05-01", "2026-05-02 2026-05-04", "2026-05-04"},
		{"an outage around a flight", "East", "2026-05-03T19:00:00Z", "2026-04-30", "2026-05-02 2026-05-03",
			"2026-05-01(late) 2026-05-03 2026-05-04"},
		{"new users after a flight", "East", "2026-05-02T11:00:00Z", "", "2026-05-02 2026-05-03", ""},
		{"a flight long ago", "UTC", "2026-05-02T09:00:00Z", "2026-05-01", "2026-04-01 2026-04-02", "2026-05-02"},
		{"a date that the zone left out", "Samoa", "2011-12-30T19:00:00Z", "2011-12-28", "", "2011-12-29 2011-12-31"},
		{"on the evening before", "Samoa", "2011-12-30T09:59:00Z", "2011-12-29", "", ""},
	} {
		now := must.Get(time.Parse(time.RFC3339, c.now))(t)
		g := Group{Zone: c.zone}
		if c.through != "" {
			through := date(t, c.through)
			g.Through = &through
		}
		if a, b, ok := strings.Cut(c.flown, " "); ok {
			g.FlownFrom, g.FlownTo = date(t, a), date(t, b)
		}
		list := calendar{now: now, catchUp: 36 * time.Hour, zones: zones}.owed([]Group{g})
		if got := describe(list); got != c.want {
			t.Errorf("%s: owed %q, want %q", c.name, got, c.want)
		}
		checkChain(t, c.name, g, list)
	}
}

func describe(list []owed) string {
	var texts []string
	for _, o := range list {
		text := o.date.String()
		switch {
		case o.skip == nil:
		case strings.Contains(o.skip.reason, "zone"):
			text += "(zone)"
		case strings.Contains(o.skip.reason, "36h"):
			text += "(late)"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// checkChain checks that each date leads to the next: a step takes the users that the
// step before it left.
func checkChain(t *testing.T, name string, g Group, list []owed) {
	t.Helper()
	for i, o := range list {
		if (o.group.Through == nil) != (g.Through == nil) || g.Through != nil && *o.group.Through != *g.Through {
			t.Errorf("%s: step %d is for users after %v, want %v", name, i, o.group.Through, g.Through)
		}
		if o.group.FlownFrom != g.FlownFrom || o.group.FlownTo != g.FlownTo {
			t.Errorf("%s: step %d is for users who flew over %s to %s", name, i, o.group.FlownFrom, o.group.FlownTo)
		}
		if !o.due.Before(o.expires) || o.expires.Sub(o.due) > 25*time.Hour {
			t.Errorf("%s: step %d: from %s to %s", name, i, o.due, o.expires)
		}
		through := o.date
		if g.Through = &through; g.FlownTo <= through+1 {
			g.FlownFrom, g.FlownTo = 0, 0
		}
	}
}

// A government moves the clocks after the date was queued, or before: each date is
// queued once.
func TestZoneUpdateKeepsDates(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{-2 * time.Hour, -30 * time.Minute, 30 * time.Minute, 2 * time.Hour} {
		for update := range 48 { // half an hour after midnight
			through := date(t, "2026-05-01")
			g := Group{Zone: "Zone", Through: &through}
			zones := map[string]*time.Location{"Zone": from(0)}
			var got []string
			for tick := range 4 * 72 {
				now := date(t, "2026-05-02").Time().Add(time.Duration(tick) * 15 * time.Minute)
				if tick >= 2*update {
					zones["Zone"] = from(after)
				}
				for _, o := range (calendar{now: now, catchUp: CatchUp, zones: zones}).owed([]Group{g}) {
					got, g = append(got, o.date.String()), o.group.after(o.date)
				}
			}
			if want := []string{"2026-05-02", "2026-05-03", "2026-05-04"}; !slices.Equal(got, want) {
				t.Errorf("clocks moved by %s after %d half hours: %v, want %v", after, update, got, want)
			}
		}
	}
}

func TestOldestDatesFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 3, 20, 0, 0, 0, time.UTC)
	first, second := date(t, "2026-05-01"), date(t, "2026-05-02")
	zones := map[string]*time.Location{"UTC": time.UTC, "West": from(-11 * time.Hour)}
	list := calendar{now: now, catchUp: CatchUp, zones: zones}.owed(
		[]Group{{Zone: "UTC", Through: &second}, {Zone: "West", Through: &first}, {Zone: "UTC", Through: &first}})
	if got, want := describe(list), "2026-05-02 2026-05-02 2026-05-03 2026-05-03 2026-05-03"; got != want {
		t.Errorf("owed %q, want %q", got, want)
	}
}
